//===- SpyreOpAttrs.td - Kinds of comparisons and reductions --*- tablegen -*-===//

#ifndef KTIR_SPYREOP_ATTRS_TD
#define KTIR_SPYREOP_ATTRS_TD

include "spyreop/SpyreOpDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/EnumAttr.td"

class SpyreOp_Enum<string name, string summary, list<I32EnumCase> cases> : I32Enum<name, summary, cases> {
  let cppNamespace = "::mlir::spyreop";
}

class SpyreOp_EnumAttr<EnumInfo enum, string enumMnemonic> : EnumAttr<SpyreOp_Dialect, enum, enumMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def SpyreOp_ReductionKind : SpyreOp_Enum<"ReductionKind", "how a slice is reduced", [
    I32EnumCase<"Add", 0, "add">,
    I32EnumCase<"Sub", 1, "sub">,
    I32EnumCase<"Max", 2, "max">,
    I32EnumCase<"Min", 3, "min">,
    I32EnumCase<"Mul", 4, "mul">,
    I32EnumCase<"AbsMax", 5, "abs_max">,
  ]>;
def SpyreOp_ReductionKindAttr : SpyreOp_EnumAttr<SpyreOp_ReductionKind, "reduction_kind">;

def SpyreOp_ReductionScope : SpyreOp_Enum<"ReductionScope", "which elements of slices meet", [
    I32EnumCase<"InSlice", 0, "in_slice">,
    I32EnumCase<"AcrossSlice", 1, "across_slice">,
  ]>;
def SpyreOp_ReductionScopeAttr : SpyreOp_EnumAttr<SpyreOp_ReductionScope, "reduction_scope">;

def SpyreOp_ComparePredicate : SpyreOp_Enum<"ComparePredicate", "what a comparison asks", [
    I32EnumCase<"Equal", 0, "equal">,
    I32EnumCase<"NotEqual", 1, "notequal">,
    I32EnumCase<"GreaterThan", 2, "greaterthan">,
    I32EnumCase<"GreaterEqual", 3, "greaterequal">,
    I32EnumCase<"LesserThan", 4, "lesserthan">,
    I32EnumCase<"LesserEqual", 5, "lesserequal">,
  ]>;
def SpyreOp_ComparePredicateAttr : SpyreOp_EnumAttr<SpyreOp_ComparePredicate, "compare_predicate">;

def SpyreOp_NonZero : AttrConstraint<
    CPred<"!::llvm::cast<::mlir::FloatAttr>($_self).getValue().isZero()">, "which is non-zero">;

#endif // KTIR_SPYREOP_ATTRS_TD
