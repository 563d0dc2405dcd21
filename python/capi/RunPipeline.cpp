//===- RunPipeline.cpp - Run a textual pipeline, collecting diagnostics ---------===//
#include "capi/KtirCAPI.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;

namespace {

/// Passes diagnostics of any thread on to the sink, notes after what they belong to.
class Forwarder {
public:
  Forwarder(MLIRContext *context, KtirDiagnosticSink sink, void *userData)
      : sink(sink), userData(userData), handler(context, [this](Diagnostic &diagnostic) {
          std::lock_guard<std::mutex> lock(mutex);
          forward(diagnostic);
          for (Diagnostic &note : diagnostic.getNotes())
            forward(note);
          return success();
        }) {}

private:
  static int severity(DiagnosticSeverity severity) {
    switch (severity) {
    case DiagnosticSeverity::Error:
      return 0;
    case DiagnosticSeverity::Warning:
      return 1;
    case DiagnosticSeverity::Note:
      return 2;
    case DiagnosticSeverity::Remark:
      return 3;
    }
    llvm_unreachable("unknown severity");
  }

  void forward(Diagnostic &diagnostic) {
    std::string location, message = diagnostic.str();
    llvm::raw_string_ostream(location) << diagnostic.getLocation();
    sink(severity(diagnostic.getSeverity()), mlirStringRefCreate(location.data(), location.size()),
         mlirStringRefCreate(message.data(), message.size()), userData);
  }

  KtirDiagnosticSink sink;
  void *userData;
  std::mutex mutex;
  ScopedDiagnosticHandler handler;
};

} // namespace

MlirLogicalResult ktirRunPipeline(MlirOperation op, MlirStringRef pipeline, bool verify,
                                  MlirStringRef reproducer, KtirDiagnosticSink sink, void *userData) {
  Operation *root = unwrap(op);
  Forwarder forwarder(root->getContext(), sink, userData);
  PassManager manager(root->getContext(), root->getName().getStringRef());
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  FailureOr<OpPassManager> passes = parsePassPipeline(unwrap(pipeline), stream);
  if (failed(passes)) {
    emitError(root->getLoc()) << "cannot parse the pass pipeline: " << problem;
    return wrap(failure());
  }
  static_cast<OpPassManager &>(manager) = std::move(*passes);
  manager.enableVerifier(verify);
  if (reproducer.length != 0)
    manager.enableCrashReproducerGeneration(unwrap(reproducer));
  return wrap(manager.run(root));
}
