//===- OptMain.cpp - The ktir-opt driver ----------------------------------------===//
#include "capi/KtirCAPI.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/raw_ostream.h"

int ktirOptMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  ktirRegisterDialects(wrap(&registry));
  ktirRegisterUpstreamPasses();
  mlir::LogicalResult result = mlir::MlirOptMain(argc, argv, "KTIR optimizer driver\n", registry);
  llvm::outs().flush();
  llvm::errs().flush();
  return mlir::asMainReturnCode(result);
}
