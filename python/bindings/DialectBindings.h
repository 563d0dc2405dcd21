//===- DialectBindings.h - Python classes of the dialects' types and attributes -===//
#ifndef KTIR_PYTHON_BINDINGS_DIALECTBINDINGS_H
#define KTIR_PYTHON_BINDINGS_DIALECTBINDINGS_H

#include <nanobind/nanobind.h>

namespace ktir {

/// Adds the classes to the module; `ktir.mlir.dialects.*` re-export them.
void bindDialects(nanobind::module_ &m);

} // namespace ktir

#endif // KTIR_PYTHON_BINDINGS_DIALECTBINDINGS_H
