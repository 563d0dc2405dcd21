//===- PythonPass.cpp - An MLIR pass whose body is a callback -------------------===//
//
// Owns the pass class that stands for every pass written in Python: real typed options (so that textual
// pipelines, --help, IR printing and reproducers work as for a C++ pass) and the call out to the callback.
//
//===----------------------------------------------------------------------===//
#include "capi/KtirCAPI.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

using namespace mlir;

namespace {

struct OptionSpec {
  std::string name, description, defaultValue;
  KtirOptionKind kind;
};

/// What is the same for every instance of one pass. Lives as long as the process.
struct PassSpec {
  std::string argument, description, anchor;
  std::vector<OptionSpec> options;
  KtirPassCallback callback;
  void *userData;
  std::unique_ptr<TypeIDAllocator> allocator = std::make_unique<TypeIDAllocator>();
  TypeID typeID = allocator->allocate();
};

class PythonPass : public Pass {
public:
  explicit PythonPass(const PassSpec &spec)
      : Pass(spec.typeID, spec.anchor.empty() ? std::nullopt : std::optional<StringRef>(spec.anchor)),
        spec(spec) {
    for (const OptionSpec &option : spec.options)
      addOption(option);
  }

  StringRef getName() const override { return spec.argument; }
  StringRef getArgument() const override { return spec.argument; }
  StringRef getDescription() const override { return spec.description; }

  /// A pass may create ops of any dialect of the package, and none may be loaded once threads run.
  void getDependentDialects(DialectRegistry &registry) const override {
    ktirRegisterDialects(wrap(&registry));
  }

protected:
  bool canScheduleOn(RegisteredOperationName name) const override {
    return spec.anchor.empty() || name.getStringRef() == spec.anchor;
  }

  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<PythonPass>(spec); }

  void runOnOperation() override {
    std::vector<std::string> texts;
    for (const OptionHolder &holder : holders)
      texts.push_back(std::visit([](const auto &option) { return text(*option); }, holder));
    std::vector<MlirStringRef> values;
    for (const std::string &value : texts)
      values.push_back(mlirStringRefCreate(value.data(), value.size()));
    MlirLogicalResult result = spec.callback(wrap(getOperation()), static_cast<intptr_t>(values.size()),
                                             values.data(), spec.userData);
    if (mlirLogicalResultIsFailure(result))
      signalPassFailure();
  }

private:
  template <typename T> using Scalar = std::unique_ptr<Option<T>>;
  template <typename T> using List = std::unique_ptr<ListOption<T>>;
  using OptionHolder = std::variant<Scalar<bool>, Scalar<int64_t>, Scalar<double>, Scalar<std::string>,
                                    List<int64_t>, List<std::string>>;

  static std::string text(const Option<bool> &option) { return option.getValue() ? "true" : "false"; }
  static std::string text(const Option<int64_t> &option) { return std::to_string(option.getValue()); }
  static std::string text(const Option<double> &option) {
    return llvm::formatv("{0:e17}", option.getValue());
  }
  static std::string text(const Option<std::string> &option) { return option.getValue(); }
  template <typename T> static std::string text(const ListOption<T> &option) {
    std::vector<std::string> parts;
    for (const T &value : option) {
      if constexpr (std::is_same_v<T, std::string>)
        parts.push_back(value);
      else
        parts.push_back(std::to_string(value));
    }
    return llvm::join(parts, ",");
  }

  template <typename T> Scalar<T> scalar(const OptionSpec &option, T initial) {
    return std::make_unique<Option<T>>(*this, option.name, llvm::cl::desc(option.description),
                                       llvm::cl::init(std::move(initial)));
  }

  void addOption(const OptionSpec &option) {
    StringRef initial = option.defaultValue;
    switch (option.kind) {
    case KTIR_OPTION_BOOL:
      holders.push_back(scalar<bool>(option, initial == "true"));
      return;
    case KTIR_OPTION_INT: {
      int64_t value = 0;
      initial.getAsInteger(10, value);
      holders.push_back(scalar<int64_t>(option, value));
      return;
    }
    case KTIR_OPTION_FLOAT: {
      double value = 0;
      initial.getAsDouble(value);
      holders.push_back(scalar<double>(option, value));
      return;
    }
    case KTIR_OPTION_STRING:
      holders.push_back(scalar<std::string>(option, initial.str()));
      return;
    case KTIR_OPTION_INT_LIST: {
      std::vector<int64_t> values;
      for (StringRef part : llvm::split(initial, ','))
        if (int64_t value = 0; !part.trim().getAsInteger(10, value))
          values.push_back(value);
      holders.push_back(std::make_unique<ListOption<int64_t>>(
          *this, option.name, llvm::cl::desc(option.description), llvm::cl::list_init<int64_t>(values)));
      return;
    }
    case KTIR_OPTION_STRING_LIST: {
      std::vector<std::string> values;
      for (StringRef part : llvm::split(initial, ','))
        if (!part.trim().empty())
          values.push_back(part.trim().str());
      holders.push_back(std::make_unique<ListOption<std::string>>(
          *this, option.name, llvm::cl::desc(option.description), llvm::cl::list_init<std::string>(values)));
      return;
    }
    }
    llvm_unreachable("unknown option kind");
  }

  const PassSpec &spec;
  std::vector<OptionHolder> holders;
};

} // namespace

static std::string toString(MlirStringRef text) { return std::string(text.data, text.length); }

bool ktirRegisterPythonPass(MlirStringRef argument, MlirStringRef description, MlirStringRef anchor,
                            intptr_t numOptions, const KtirPassOption *options, KtirPassCallback callback,
                            void *userData) {
  if (PassInfo::lookup(unwrap(argument)))
    return false;
  // Registered passes are never unregistered and their instances point at the spec.
  auto *spec =
      new PassSpec{toString(argument), toString(description), toString(anchor), {}, callback, userData};
  for (intptr_t i = 0; i < numOptions; ++i)
    spec->options.push_back({toString(options[i].name), toString(options[i].description),
                             toString(options[i].defaultValue), options[i].kind});
  registerPass([spec]() -> std::unique_ptr<Pass> { return std::make_unique<PythonPass>(*spec); });
  return true;
}
