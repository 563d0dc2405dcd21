//===- SourceText.h - Text that MLIR's parser does not take as it is ------------===//
//
// Public KTIR has two forms that are clear to a reader and that upstream's parser refuses: aliases that are
// defined after their first use, and sets with '>=' written out inside a type such as
// `!ktdp.tile_future<tensor<8xf16>, groups = affine_set<(g) : (g >= 0)>>`. Both are resolved in the text:
// definitions move to the front, sets inside types become aliases. All else stays at its line and column,
// but for the line that the definitions are put before.
//
//===----------------------------------------------------------------------===//
#ifndef KTIR_PYTHON_CAPI_SOURCETEXT_H
#define KTIR_PYTHON_CAPI_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <optional>
#include <string>

namespace ktir {

/// The text in a form that MLIR parses. Text without the two forms is returned as it is, and so is bytecode.
/// With a split marker, each part between markers is a text of its own.
std::string prepareText(llvm::StringRef text, llvm::StringRef splitMarker = "");

/// Brackets that may be open at once: MLIR's parser and what walks the ops later recurse, so a text far
/// deeper would end the process.
inline constexpr int deepestNesting = 128;

/// The place of the first bracket of a text inside too many others. With a split marker, each part between
/// markers is a text of its own. Bytecode has none.
std::optional<size_t> findTooDeep(llvm::StringRef text, llvm::StringRef splitMarker = "");

/// What to say about that place.
std::string describeTooDeep();

} // namespace ktir

#endif // KTIR_PYTHON_CAPI_SOURCETEXT_H
