//===- KtirCAPI.h - C interface between the dialects and the Python module ------===//
//
// MLIR is built without RTTI and exceptions, nanobind needs both: the extension module sees MLIR subclasses
// (dialects, passes, the opt driver) only through these functions.
//
//===----------------------------------------------------------------------===//
#ifndef KTIR_PYTHON_CAPI_KTIRCAPI_H
#define KTIR_PYTHON_CAPI_KTIRCAPI_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds every dialect of the package, with upstream's external models and transform extensions, to
/// `registry`.
MLIR_CAPI_EXPORTED void ktirRegisterDialects(MlirDialectRegistry registry);

/// Registers the passes of the package's upstream dialects. May be called more than once.
MLIR_CAPI_EXPORTED void ktirRegisterUpstreamPasses(void);

//===----------------------------------------------------------------------===//
// Passes written in Python
//===----------------------------------------------------------------------===//

typedef enum {
  KTIR_OPTION_BOOL,
  KTIR_OPTION_INT,
  KTIR_OPTION_FLOAT,
  KTIR_OPTION_STRING,
  KTIR_OPTION_INT_LIST,
  KTIR_OPTION_STRING_LIST,
} KtirOptionKind;

/// One typed option of a pass. `defaultValue` is its textual form; lists are comma separated.
typedef struct {
  MlirStringRef name;
  MlirStringRef description;
  KtirOptionKind kind;
  MlirStringRef defaultValue;
} KtirPassOption;

/// Runs the pass on `op`. `values` holds the options' textual values in order of declaration. Reports its own
/// diagnostics.
typedef MlirLogicalResult (*KtirPassCallback)(MlirOperation op, intptr_t numValues, MlirStringRef *values,
                                              void *userData);

/// Registers a pass for as long as the process lives (`userData` must live as long). `anchor` names the op
/// the pass runs on; empty means any. Returns false, changing nothing, if a pass of that name exists.
MLIR_CAPI_EXPORTED bool ktirRegisterPythonPass(MlirStringRef argument, MlirStringRef description,
                                               MlirStringRef anchor, intptr_t numOptions,
                                               const KtirPassOption *options, KtirPassCallback callback,
                                               void *userData);

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Receives one diagnostic: severity 0 error, 1 warning, 2 note, 3 remark.
typedef void (*KtirDiagnosticSink)(int severity, MlirStringRef location, MlirStringRef message,
                                   void *userData);

/// Parses and verifies a module, called `name` in locations. Takes what public KTIR writes and upstream's
/// parser refuses: aliases defined after use, sets inside types. Null if the text is not legal.
MLIR_CAPI_EXPORTED MlirModule ktirParseModule(MlirContext context, MlirStringRef text, MlirStringRef name,
                                              KtirDiagnosticSink sink, void *userData);

/// Parses `pipeline` and runs it on `op`. With a non-empty `reproducer` path, a failing run writes its input
/// and pipeline there in the form `ktir-opt --run-reproducer` reads. Touches no Python state: call it with
/// the GIL released.
MLIR_CAPI_EXPORTED MlirLogicalResult ktirRunPipeline(MlirOperation op, MlirStringRef pipeline, bool verify,
                                                     MlirStringRef reproducer, KtirDiagnosticSink sink,
                                                     void *userData);

/// Upstream's `mlir-opt` main with the package's dialects and every registered pass; `--version` prints
/// `versions`. Returns the exit status.
MLIR_CAPI_EXPORTED int ktirOptMain(int argc, char **argv, MlirStringRef versions);

/// The version of MLIR that this was built with, as in "22.1.8".
MLIR_CAPI_EXPORTED MlirStringRef ktirMlirVersion(void);

#ifdef __cplusplus
}
#endif

#endif // KTIR_PYTHON_CAPI_KTIRCAPI_H
