//===- RunPipeline.cpp - Run a textual pipeline, collecting diagnostics ---------===//
#include "capi/DiagnosticForwarder.h"
#include "capi/KtirCAPI.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

MlirLogicalResult ktirRunPipeline(MlirOperation op, MlirStringRef pipeline, bool verify,
                                  MlirStringRef reproducer, KtirDiagnosticSink sink, void *userData) {
  Operation *root = unwrap(op);
  ktir::DiagnosticForwarder forwarder(root->getContext(), sink, userData);
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
