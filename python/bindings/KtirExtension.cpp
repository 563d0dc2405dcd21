//===- KtirExtension.cpp - The Python module ktir.mlir._mlir_libs._ktir ---------===//
//
// Registers the dialects, passes written in Python, and runs pipelines and the opt driver. Everything typed
// in MLIR's C++ goes through KtirCAPI.
//
//===----------------------------------------------------------------------===//
#include "capi/KtirCAPI.h"

#include "mlir-c/Diagnostics.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;

namespace {

MlirStringRef ref(const std::string &text) { return mlirStringRefCreate(text.data(), text.size()); }
std::string toString(MlirStringRef text) { return std::string(text.data, text.length); }

/// The C callback of every Python pass: `userData` is a Python callable (op, values) -> None or the text of
/// an error.
MlirLogicalResult runPythonPass(MlirOperation op, intptr_t numValues, MlirStringRef *values, void *userData) {
  nb::gil_scoped_acquire gil;
  std::string problem;
  try {
    nb::list texts;
    for (intptr_t i = 0; i < numValues; ++i)
      texts.append(nb::str(values[i].data, values[i].length));
    nb::object result = nb::handle(static_cast<PyObject *>(userData))(op, texts);
    if (result.is_none())
      return mlirLogicalResultSuccess();
    problem = nb::cast<std::string>(nb::str(result));
  } catch (const std::exception &error) {
    // Nothing may unwind through MLIR's frames, which are built without exceptions.
    problem = std::string("internal error in a pass: ") + error.what();
  }
  mlirEmitError(mlirOperationGetLocation(op), problem.c_str());
  return mlirLogicalResultFailure();
}

using Option = std::tuple<std::string, std::string, int, std::string>;

void registerPass(const std::string &argument, const std::string &description, const std::string &anchor,
                  const std::vector<Option> &options, nb::object callback) {
  std::vector<KtirPassOption> specs;
  for (const auto &[name, text, kind, initial] : options)
    specs.push_back({ref(name), ref(text), static_cast<KtirOptionKind>(kind), ref(initial)});
  // The registry keeps the callable for the life of the process.
  PyObject *owned = callback.inc_ref().ptr();
  if (!ktirRegisterPythonPass(ref(argument), ref(description), ref(anchor),
                              static_cast<intptr_t>(specs.size()), specs.data(), runPythonPass, owned)) {
    callback.dec_ref();
    throw nb::value_error(("a pass named '" + argument + "' is already registered").c_str());
  }
}

using Diagnostic = std::tuple<int, std::string, std::string>;

/// The C callback that appends to a vector of diagnostics.
void collect(int severity, MlirStringRef location, MlirStringRef message, void *userData) {
  static_cast<std::vector<Diagnostic> *>(userData)->emplace_back(severity, toString(location),
                                                                 toString(message));
}

nb::tuple parseModule(const std::string &text, const std::string &name, MlirContext context) {
  std::vector<Diagnostic> diagnostics;
  MlirModule module = ktirParseModule(context, ref(text), ref(name), collect, &diagnostics);
  nb::object result = mlirModuleIsNull(module) ? nb::none() : nb::cast(module);
  return nb::make_tuple(result, diagnostics);
}

std::tuple<bool, std::vector<Diagnostic>> runPipeline(MlirOperation op, const std::string &pipeline,
                                                      bool verify, const std::string &reproducer) {
  std::vector<Diagnostic> diagnostics;
  MlirLogicalResult result;
  {
    // Passes of other threads need the GIL for their callbacks.
    nb::gil_scoped_release release;
    result = ktirRunPipeline(op, ref(pipeline), verify, ref(reproducer), collect, &diagnostics);
  }
  return {mlirLogicalResultIsSuccess(result), std::move(diagnostics)};
}

int optMain(std::vector<std::string> arguments, const std::string &versions) {
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  nb::gil_scoped_release release;
  return ktirOptMain(static_cast<int>(arguments.size()), argv.data(), ref(versions));
}

} // namespace

NB_MODULE(_ktir, m) {
  m.doc() = "Dialects, Python passes and the opt driver of the ktir package";
  m.def(
      "register_dialects", [](MlirDialectRegistry registry) { ktirRegisterDialects(registry); },
      nb::arg("registry"));
  m.def("register_upstream_passes", &ktirRegisterUpstreamPasses);
  m.def("register_pass", &registerPass, nb::arg("argument"), nb::arg("description"), nb::arg("anchor"),
        nb::arg("options"), nb::arg("callback"),
        "Registers callback(op, option_texts) -> None | error text as a pass.");
  m.def("parse_module", &parseModule, nb::arg("text"), nb::arg("name"), nb::arg("context"),
        "Parses a module that locations call `name`; returns (module or None, [(severity, location, "
        "message)]). Aliases may be defined after their use.");
  m.def("run_pipeline", &runPipeline, nb::arg("op"), nb::arg("pipeline"), nb::arg("verify") = true,
        nb::arg("reproducer") = "",
        "Runs a textual pipeline; returns (succeeded, [(severity, location, message)]).");
  m.def("opt_main", &optMain, nb::arg("argv"), nb::arg("versions") = "",
        "Runs the opt driver, whose --version prints `versions`; returns its exit status.");
  m.def(
      "mlir_version", [] { return toString(ktirMlirVersion()); },
      "The version of MLIR that this was built with.");
}
