//===- OptMain.cpp - The ktir-opt driver ----------------------------------------===//
#include "capi/KtirCAPI.h"
#include "capi/SourceText.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Runs the driver on the text of a file in the form that MLIR parses.
static LogicalResult runOnFile(StringRef input, StringRef output, DialectRegistry &registry,
                               const MlirOptMainConfig &config) {
  if (input == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(reading from the terminal; end with ctrl-d)\n";
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &problem);
  if (!file) {
    llvm::errs() << problem << "\n";
    return failure();
  }
  std::unique_ptr<llvm::ToolOutputFile> result = openOutputFile(output, &problem);
  if (!result) {
    llvm::errs() << problem << "\n";
    return failure();
  }
  if (std::optional<size_t> place = ktir::findTooDeep(file->getBuffer(), config.inputSplitMarker())) {
    size_t line = file->getBuffer().take_front(*place).count('\n') + 1;
    llvm::errs() << input << ":" << line << ": error: " << ktir::describeTooDeep() << "\n";
    return failure();
  }
  std::string text = ktir::prepareText(file->getBuffer(), config.inputSplitMarker());
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text, file->getBufferIdentifier());
  if (failed(MlirOptMain(result->os(), std::move(buffer), registry, config)))
    return failure();
  result->keep();
  return success();
}

MlirStringRef ktirMlirVersion() { return wrap(StringRef(LLVM_VERSION_STRING)); }

int ktirOptMain(int argc, char **argv, MlirStringRef versions) {
  llvm::cl::SetVersionPrinter([text = unwrap(versions)](llvm::raw_ostream &os) { os << text << "\n"; });
  DialectRegistry registry;
  ktirRegisterDialects(wrap(&registry));
  ktirRegisterUpstreamPasses();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "KTIR optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  LogicalResult result = failure();
  if (config.shouldShowDialects() || config.shouldListPasses()) {
    result = MlirOptMain(argc, argv, input, output, registry); // answers questions about the driver
  } else {
    llvm::InitLLVM init(argc, argv);
    result = runOnFile(input, output, registry, config);
  }
  llvm::outs().flush();
  llvm::errs().flush();
  return asMainReturnCode(result);
}
