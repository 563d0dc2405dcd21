//===- DiagnosticForwarder.h - Diagnostics to a C callback ----------------------===//
#ifndef KTIR_PYTHON_CAPI_DIAGNOSTICFORWARDER_H
#define KTIR_PYTHON_CAPI_DIAGNOSTICFORWARDER_H

#include "capi/KtirCAPI.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <string>

namespace ktir {

/// Passes diagnostics of any thread on to the sink, notes after what they belong to.
class DiagnosticForwarder {
public:
  DiagnosticForwarder(mlir::MLIRContext *context, KtirDiagnosticSink sink, void *userData)
      : sink(sink), userData(userData), handler(context, [this](mlir::Diagnostic &diagnostic) {
          std::lock_guard<std::mutex> lock(mutex);
          forward(diagnostic);
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            forward(note);
          return mlir::success();
        }) {}

private:
  static int severity(mlir::DiagnosticSeverity severity) {
    switch (severity) {
    case mlir::DiagnosticSeverity::Error:
      return 0;
    case mlir::DiagnosticSeverity::Warning:
      return 1;
    case mlir::DiagnosticSeverity::Note:
      return 2;
    case mlir::DiagnosticSeverity::Remark:
      return 3;
    }
    llvm_unreachable("unknown severity");
  }

  void forward(mlir::Diagnostic &diagnostic) {
    std::string location, message = diagnostic.str();
    llvm::raw_string_ostream(location) << diagnostic.getLocation();
    sink(severity(diagnostic.getSeverity()), mlirStringRefCreate(location.data(), location.size()),
         mlirStringRefCreate(message.data(), message.size()), userData);
  }

  KtirDiagnosticSink sink;
  void *userData;
  std::mutex mutex;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace ktir

#endif // KTIR_PYTHON_CAPI_DIAGNOSTICFORWARDER_H
