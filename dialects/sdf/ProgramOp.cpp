//===- ProgramOp.cpp - Programs -------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "sdf/Sdf.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::sdf;

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  DenseI64ArrayAttr grid;
  (void)impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(parser, /*allowVariadic=*/false, arguments,
                                                                   isVariadic, resultTypes, resultAttrs) ||
      parser.parseKeyword("grid") || parser.parseCustomAttributeWithFallback(grid) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  auto types = llvm::map_to_vector(arguments, [](const auto &argument) { return argument.type; });
  result.addAttribute(getGridAttrName(result.name), grid);
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(types, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(builder, result, arguments, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void ProgramOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(printer, *this, getArgumentTypes(),
                                                  /*isVariadic=*/false, getResultTypes());
  printer << " grid ";
  printer.printStrippedAttrOrType(getGridAttr());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getSymVisibilityAttrName(), getFunctionTypeAttrName(),
                            getGridAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult ProgramOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError("has results; a program returns nothing, it writes to device memory");
  for (auto [number, type] : llvm::enumerate(getArgumentTypes()))
    if (!type.isIntOrIndexOrFloat())
      return emitOpError("argument ")
             << number << " is " << type << "; arguments are scalars, a tensor is given by its "
             << "address as an index";
  if (getGrid().empty() || llvm::any_of(getGrid(), [](int64_t size) { return size < 1; }))
    return emitOpError("grid is [") << getGrid() << "]; expected at least one size, each at least 1";
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  Operation *terminator = getBody().front().getTerminator();
  if (!isa<ReturnOp>(terminator))
    return emitOpError("ends with '") << terminator->getName() << "'; expected 'sdf.return'";
  return success();
}

//===----------------------------------------------------------------------===//
// CoreIdOp
//===----------------------------------------------------------------------===//

LogicalResult CoreIdOp::verify() {
  if (getNumResults() == 0)
    return emitOpError("has no result; expected one a dimension of the grid, at least one");
  return success();
}
