//===- SourceText.cpp - Text that MLIR's parser does not take as it is ----------===//
#include "capi/SourceText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <vector>

using namespace llvm;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static bool isNameLetter(char letter) { return isAlnum(letter) || letter == '_' || letter == '$'; }

/// The place after the comment or string that starts at `at`; `at` itself if neither does.
static size_t skipQuoted(StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

/// +1, -1 or 0 for what opens, closes or does neither. Arrows and comparisons have no brackets.
static int getNesting(StringRef text, size_t at) {
  char letter = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
  char before = at > 0 ? text[at - 1] : '\0';
  if (StringRef("([{").contains(letter))
    return 1;
  if (StringRef(")]}").contains(letter))
    return -1;
  if (letter == '<' && next != '=')
    return 1;
  return letter == '>' && next != '=' && before != '-' ? -1 : 0;
}

/// The place after the bracket that closes the one at `at`.
static size_t skipBrackets(StringRef text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    size_t after = skipQuoted(text, at);
    if (after != at) {
      at = after;
      continue;
    }
    depth += getNesting(text, at++);
    if (depth == 0)
      return at;
  }
  return text.size();
}

/// The `#name` or `!name` at `at`, dots included; empty if there is none, as in `%value#1`.
static StringRef getSigilName(StringRef text, size_t at) {
  if (text[at] != '#' && text[at] != '!')
    return {};
  if (at > 0 && isNameLetter(text[at - 1]))
    return {};
  size_t end = at + 1;
  while (end < text.size() && (isNameLetter(text[end]) || text[end] == '.'))
    ++end;
  return end > at + 1 ? text.slice(at, end) : StringRef();
}

//===----------------------------------------------------------------------===//
// Sets inside types
//===----------------------------------------------------------------------===//

/// Calls `use` with every `#name` and `!name` of a text and its place. `depth` tells how many braces and
/// parentheses are open there. What `use` returns is the place to go on from.
template <typename Use> static void forEachName(StringRef text, Use use) {
  int depth = 0;
  for (size_t at = 0; (at = text.find_first_of("#!/\"([{}])", at)) != StringRef::npos;) {
    size_t after = skipQuoted(text, at);
    if (after != at) {
      at = after;
      continue;
    }
    if (StringRef name = getSigilName(text, at); !name.empty()) {
      at = use(name, at, depth);
      continue;
    }
    depth += getNesting(text, at++);
  }
}

/// A name that `taken` lacks; it is put there. It is no longer than `affine_set<`, so that it fits.
static std::string makeName(StringSet<> &taken) {
  for (unsigned number = 0;; ++number) {
    std::string name = "#inline" + std::to_string(number);
    if (taken.insert(name).second)
      return name;
  }
}

/// Replaces a part of the text by something shorter; line breaks stay.
static void overwrite(std::string &text, size_t begin, size_t end, StringRef by) {
  for (size_t i = begin; i < end; ++i)
    if (text[i] != '\n')
      text[i] = ' ';
  std::copy(by.begin(), by.end(), text.begin() + begin);
}

/// Names the sets with comparisons in the bodies of `!dialect.type<..>` and `#dialect.attr<..>`. Returns
/// their definitions.
static std::string nameInlineSets(std::string &text, StringSet<> &taken) {
  struct Place {
    size_t begin, end;
  };
  std::vector<Place> places;
  StringRef view = text;
  forEachName(view, [&](StringRef name, size_t at, int) {
    size_t body = at + name.size();
    if (!name.contains('.') || body >= view.size() || view[body] != '<')
      return body;
    size_t end = skipBrackets(view, body);
    for (size_t i = view.find("affine_set<", body); i < end; i = view.find("affine_set<", i)) {
      size_t setEnd = skipBrackets(view, i + strlen("affine_set"));
      if (view.slice(i, setEnd).contains(">="))
        places.push_back({i, setEnd});
      i = setEnd;
    }
    return end;
  });
  std::string definitions;
  for (Place place : places) {
    std::string name = makeName(taken), value = text.substr(place.begin, place.end - place.begin);
    std::replace(value.begin(), value.end(), '\n', ' ');
    overwrite(text, place.begin, place.end, name);
    definitions += name + " = " + value + " ";
  }
  return definitions;
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// Aliases that may name each other one after the other; writing them recurses.
static constexpr int longestChain = 1000;

namespace {

/// `name = value` at the top of a text.
struct Definition {
  StringRef name;
  size_t begin, end;
  std::string value;
};

} // namespace

/// True if what follows continues the attribute or type before it, as in `dense<0>` and `: tensor<8xi8>`.
static bool continuesValue(StringRef rest) {
  rest = rest.ltrim();
  return rest.starts_with(":") || rest.starts_with("->") || rest.starts_with(",");
}

/// Reads the value that starts at `at`, without comments and with single spaces, up to the end of the line on
/// which its brackets are closed. Returns the place after it.
static size_t readValue(StringRef text, size_t at, std::string &value) {
  int depth = 0;
  while (at < text.size()) {
    size_t after = skipQuoted(text, at);
    if (after != at) {
      if (text[at] == '"')
        value += text.slice(at, after);
      at = after;
      continue;
    }
    if (text[at] == '\n' && depth == 0 && !StringRef(value).trim().empty() &&
        !continuesValue(text.substr(at)))
      return at;
    depth += getNesting(text, at);
    if (!isSpace(text[at]))
      value += text[at];
    else if (!StringRef(value).ends_with(" "))
      value += ' ';
    ++at;
  }
  return at;
}

/// The place after the `=` of a definition whose name ends at `at`; npos if none is defined there.
static size_t skipEqual(StringRef text, size_t at) {
  at = text.find_first_not_of(" \t\r\n", at);
  if (at == StringRef::npos || text[at] != '=' || text.substr(at).starts_with("=="))
    return StringRef::npos;
  return at + 1;
}

namespace {

/// The aliases of a text: where each is defined and where it is used first.
class Aliases {
public:
  explicit Aliases(StringRef text);

  std::vector<Definition> definitions;
  StringSet<> names;

  /// True if some alias is used before it is defined. Locations may be, upstream waits for them.
  bool hasLate() const;
  /// All definitions on one line, each after those it uses; empty if they are contradictory, or a chain of
  /// them has no reasonable end.
  std::string getLine() const;

private:
  void addUses(StringRef value, size_t at);

  StringMap<size_t> firstUse;
};

} // namespace

Aliases::Aliases(StringRef text) {
  forEachName(text, [&](StringRef name, size_t at, int depth) {
    names.insert(name);
    size_t after = at + name.size(), equal = skipEqual(text, after);
    if (depth != 0 || equal == StringRef::npos || name.contains('.')) {
      firstUse.try_emplace(name, at);
      return after;
    }
    Definition definition{name, at, 0, {}};
    definition.end = readValue(text, equal, definition.value);
    addUses(definition.value, at);
    definitions.push_back(definition);
    return definition.end;
  });
}

void Aliases::addUses(StringRef value, size_t at) {
  forEachName(value, [&](StringRef name, size_t place, int) {
    names.insert(name);
    firstUse.try_emplace(name, at);
    return place + name.size();
  });
}

bool Aliases::hasLate() const {
  return llvm::any_of(definitions, [&](const Definition &definition) {
    auto use = firstUse.find(definition.name);
    return use != firstUse.end() && use->second < definition.begin &&
           !StringRef(definition.value).ltrim().starts_with("loc(");
  });
}

std::string Aliases::getLine() const {
  StringMap<const Definition *> byName;
  for (const Definition &definition : definitions) {
    auto [other, isNew] = byName.try_emplace(definition.name, &definition);
    if (!isNew && StringRef(other->second->value).trim() != StringRef(definition.value).trim())
      return {};
  }
  std::string line;
  StringSet<> done;
  int depth = 0, deepest = 0;
  // Depth first: a definition is written after those that its value names.
  auto write = [&](auto &self, const Definition &definition) -> void {
    if (deepest > longestChain || !done.insert(definition.name).second)
      return;
    deepest = std::max(deepest, ++depth);
    forEachName(definition.value, [&](StringRef name, size_t place, int) {
      if (auto other = byName.find(name); other != byName.end())
        self(self, *other->second);
      return place + name.size();
    });
    line += (definition.name + " = " + StringRef(definition.value).trim() + " ").str();
    --depth;
  };
  for (const Definition &definition : definitions)
    write(write, definition);
  return deepest > longestChain ? std::string() : line;
}

/// Takes late definitions out of the text. Returns the line of all of them.
static std::string hoistAliases(std::string &text, const Aliases &aliases) {
  if (!aliases.hasLate())
    return {};
  std::string line = aliases.getLine();
  if (!line.empty())
    for (const Definition &definition : aliases.definitions)
      overwrite(text, definition.begin, definition.end, "");
  return line;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static std::string preparePart(StringRef part) {
  std::string text = part.str();
  Aliases original(part);
  std::string line = nameInlineSets(text, original.names);
  std::string copy = text; // names refer to it while the text changes
  line += line.empty() ? hoistAliases(text, original) : hoistAliases(text, Aliases(copy));
  if (line.empty())
    return text;
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    return text;
  size_t lineStart = text.rfind('\n', first);
  return text.insert(lineStart == std::string::npos ? 0 : lineStart + 1, line);
}

static bool isBytecode(StringRef text) {
  return text.starts_with("ML\xef"
                          "R");
}

/// The texts between the markers.
static SmallVector<StringRef> getParts(StringRef text, StringRef splitMarker) {
  SmallVector<StringRef> parts;
  if (splitMarker.empty())
    parts.push_back(text);
  else
    text.split(parts, splitMarker);
  return parts;
}

std::string ktir::prepareText(StringRef text, StringRef splitMarker) {
  if (isBytecode(text))
    return text.str();
  std::vector<std::string> prepared;
  for (StringRef part : getParts(text, splitMarker))
    prepared.push_back(preparePart(part));
  return llvm::join(prepared, splitMarker);
}

/// The place of the first bracket of a part inside too many others; npos if there is none.
static size_t findTooDeepInPart(StringRef text) {
  int depth = 0;
  for (size_t at = 0; (at = text.find_first_of("/\"([{<>}])", at)) != StringRef::npos;) {
    size_t after = skipQuoted(text, at);
    if (after != at) {
      at = after;
      continue;
    }
    depth += getNesting(text, at);
    if (depth > ktir::deepestNesting)
      return at;
    ++at;
  }
  return StringRef::npos;
}

std::optional<size_t> ktir::findTooDeep(StringRef text, StringRef splitMarker) {
  if (isBytecode(text))
    return std::nullopt;
  for (StringRef part : getParts(text, splitMarker))
    if (size_t at = findTooDeepInPart(part); at != StringRef::npos)
      return part.data() - text.data() + at;
  return std::nullopt;
}

std::string ktir::describeTooDeep() {
  return "more than " + std::to_string(deepestNesting) +
         " brackets are open here; nothing that deep can be read";
}
