//===- ParseModule.cpp - Text to a module ---------------------------------------===//
#include "capi/DiagnosticForwarder.h"
#include "capi/KtirCAPI.h"
#include "capi/SourceText.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

MlirModule ktirParseModule(MlirContext context, MlirStringRef text, MlirStringRef name,
                           KtirDiagnosticSink sink, void *userData) {
  ktir::DiagnosticForwarder forwarder(unwrap(context), sink, userData);
  if (std::optional<size_t> place = ktir::findTooDeep(unwrap(text))) {
    StringRef before = unwrap(text).take_front(*place);
    unsigned line = before.count('\n') + 1, column = before.size() - (before.rfind('\n') + 1) + 1;
    emitError(FileLineColLoc::get(unwrap(context), unwrap(name), line, column), ktir::describeTooDeep());
    return {nullptr};
  }
  std::string prepared = ktir::prepareText(unwrap(text));
  return wrap(parseSourceString<ModuleOp>(prepared, unwrap(context), unwrap(name)).release());
}
