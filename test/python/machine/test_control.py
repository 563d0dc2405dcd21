"""Control flow: where all cores agree, and where each goes its own way."""

from __future__ import annotations

import pytest
import torch
from machine_program import run

from ktir.errors import MachineError, UnsupportedError, VerifyError
from ktir.machine.decode import Scope, handler, terminators
from ktir.machine.frame import CoreGroup, Run, merge

SUM = """
func.func @f(%low: index, %high: index, %step: index, %x: f32) -> (f32, index) {
  %zero = arith.constant 0 : index
  %r:2 = scf.for %i = %low to %high step %step iter_args(%a = %x, %n = %zero) -> (f32, index) {
    %k = arith.index_cast %i : index to i32
    %v = arith.sitofp %k : i32 to f32
    %s = arith.addf %a, %v : f32
    %m = arith.addi %n, %i : index
    scf.yield %s, %m : f32, index
  }
  return %r#0, %r#1 : f32, index
}
"""


def index(*values: int) -> torch.Tensor:
    return torch.tensor(values)


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [
        (index(0), index(5), index(1)),
        (index(3), index(3), index(1)),
        (index(9), index(3), index(2)),
        (index(0), index(2500), index(1)),
        (index(0), index(0, 7, 3, 3), index(1)),
        (index(0, 1, 2, 3), index(4, 5, 6, 7), index(1)),
        (index(5, 0, 1, -4), index(6, 11, 2, 9), index(1, 2, 3, 5)),
        (index(5), index(1, 2, 3, 4), index(1)),
    ],
)
@pytest.mark.parametrize("start", [torch.tensor([0.5]), torch.tensor([0.5, 1.5, 2.5, 3.5])])
def test_for(
    low: torch.Tensor, high: torch.Tensor, step: torch.Tensor, start: torch.Tensor
) -> None:
    total, count = run(SUM, low, high, step, start, grid=(4,))
    bounds = [b.expand(4).tolist() for b in (low, high, step)]
    ranges = [range(*b) for b in zip(*bounds, strict=True)]
    assert count.expand(4).tolist() == [sum(r) for r in ranges]
    expected = torch.tensor([float(sum(r)) for r in ranges]) + start
    assert torch.equal(total.expand(4), expected)


def test_for_refuses_a_step_that_is_not_positive() -> None:
    for step in (index(0), index(1, -1)):
        with pytest.raises(
            MachineError, match=r"'scf.for' at .*: the step of a loop must be positive"
        ):
            run(SUM, index(0), index(4), step, torch.zeros(1), grid=(2,))


def test_i32_bounds() -> None:
    text = """func.func @f(%n: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %r = scf.for %i = %zero to %n step %one iter_args(%a = %zero) -> i32 : i32 {
        %s = arith.addi %a, %i : i32
        scf.yield %s : i32
      }
      return %r : i32
    }"""
    (total,) = run(text, torch.tensor([5], dtype=torch.int32))
    assert total.tolist() == [10]
    assert total.dtype == torch.int32


NESTED = """
func.func @f(%n: index, %t: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %t) -> tensor<4xf32> {
    %q = scf.for %j = %zero to %i step %one iter_args(%b = %a) -> tensor<4xf32> {
      %two = arith.constant dense<2.0> : tensor<4xf32>
      %c = arith.mulf %b, %two : tensor<4xf32>
      scf.yield %c : tensor<4xf32>
    }
    %s = arith.addf %q, %t : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
"""


def test_nested_loops_with_captured_tensors() -> None:
    trips = index(3, 1, 0, 4)
    start = torch.arange(16.0).view(4, 4)
    (got,) = run(NESTED, trips, start, grid=(2, 2))
    for core in range(4):
        expected = start[core]
        for i in range(int(trips[core])):
            expected = expected * 2.0**i + start[core]
        assert torch.equal(got[core], expected)


BRANCH = """
func.func @f(%c: i1, %x: f32, %y: tensor<2xf32>) -> (f32, tensor<2xf32>) {
  %r:2 = scf.if %c -> (f32, tensor<2xf32>) {
    %d = arith.addf %x, %x : f32
    scf.yield %d, %y : f32, tensor<2xf32>
  } else {
    %n = arith.negf %y : tensor<2xf32>
    scf.yield %x, %n : f32, tensor<2xf32>
  }
  return %r#0, %r#1 : f32, tensor<2xf32>
}
"""


@pytest.mark.parametrize("chosen", [[True], [False], [True, False, True], [True] * 3, [False] * 3])
@pytest.mark.parametrize("cores", [1, 3])
def test_if(chosen: list[bool], cores: int) -> None:
    x, y = torch.arange(1.0, 1.0 + cores), torch.arange(2.0 * cores).view(cores, 2)
    a, b = run(BRANCH, torch.tensor(chosen), x, y, grid=(3,))
    taken = torch.tensor(chosen).expand(3)
    assert torch.equal(a.expand(3), torch.where(taken, 2 * x, x))
    assert torch.equal(b.expand(3, 2), torch.where(taken[:, None], y, -y))


def test_if_without_else_does_nothing() -> None:
    text = """func.func @f(%c: i1, %x: f32) -> f32 {
      scf.if %c { %y = arith.addf %x, %x : f32 }
      return %x : f32
    }"""
    for chosen in ([False], [True, False]):
        assert run(text, torch.tensor(chosen), torch.ones(1), grid=(2,))[0].tolist() == [1.0]


WHILE = """
func.func @f(%x: i32) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%v = %x, %n = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi sgt, %v, %one : i32
    scf.condition(%go) %v, %n : i32, i32
  } do {
  ^bb0(%v: i32, %n: i32):
    %h = arith.shrui %v, %one : i32
    %m = arith.addi %n, %one : i32
    scf.yield %h, %m : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}
"""


@pytest.mark.parametrize("values", [[37], [1, 2, 9, 1000], [0, 0, 0, 0]])
def test_while(values: list[int]) -> None:
    left, steps = run(WHILE, torch.tensor(values, dtype=torch.int32), grid=(4,))
    count = len(values)
    assert steps.expand(count).tolist() == [max(0, v.bit_length() - 1) for v in values]
    assert left.tolist() == [min(v, 1) for v in values]


def test_forall_writes_slices_of_a_shared_output() -> None:
    text = """func.func @f(%x: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %r = scf.forall (%i, %j) = (0, 0) to (4, 6) step (1, 3) shared_outs(%s = %o) ->
      tensor<4x6xf32> {
        %a = tensor.extract_slice %x[%i, %j] [1, 3] [1, 1] : tensor<4x6xf32> to tensor<3xf32>
        %b = tensor.extract_slice %s[%i, %j] [1, 3] [1, 1] : tensor<4x6xf32> to tensor<3xf32>
        %c = arith.addf %a, %b : tensor<3xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %c into %s[%i, %j] [1, 3] [1, 1] : tensor<3xf32> into
          tensor<4x6xf32>
        }
      }
      return %r : tensor<4x6xf32>
    }"""
    x, o = torch.randn(2, 4, 6), torch.randn(1, 4, 6)
    before = o.clone()
    assert torch.equal(run(text, x, o, grid=(2,))[0], x + o)
    assert torch.equal(o, before)


def test_parallel_and_execute_region() -> None:
    text = """func.func @f(%x: f32) -> f32 {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      scf.parallel (%i) = (%zero) to (%one) step (%one) { scf.reduce }
      %r = scf.execute_region -> f32 {
        %y = arith.addf %x, %x : f32
        scf.yield %y : f32
      }
      return %r : f32
    }"""
    assert run(text, torch.tensor([1.0, 2.0]), grid=(2,))[0].tolist() == [2.0, 4.0]


def test_calls() -> None:
    text = """
    func.func @f(%n: index, %x: f32) -> f32 {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> f32 {
        %s = func.call @twice(%a) : (f32) -> f32
        scf.yield %s : f32
      }
      return %r : f32
    }
    func.func private @twice(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      return %y : f32
    }"""
    assert run(text, index(3, 0, 1), torch.ones(1), grid=(3,))[0].tolist() == [8.0, 1.0, 2.0]
    loop = """func.func @f() { func.call @g() : () -> () return }
      func.func @g() { func.call @f() : () -> () return }"""
    with pytest.raises(UnsupportedError, match="calls itself"):
        run(loop)
    with pytest.raises(VerifyError, match=r"@g has no body; functions with a body: @f"):
        run("func.func private @g() func.func @f() { func.call @g() : () -> () return }")


def test_unsupported_ops_say_what_and_where() -> None:
    text = """func.func @f(%x: f32) {
      %c = complex.create %x, %x : complex<f32> loc("layer.0"("model.py":3:7))
      return
    }"""
    message = r"'complex.create' at model.py:3:7 \(layer.0\): .*operands: f32, f32"
    with pytest.raises(UnsupportedError, match=message):
        run(text, torch.ones(1))
    several = "func.func @f() { cf.br ^a ^a: return }"
    with pytest.raises(UnsupportedError, match="several blocks"):
        run(several)


def test_locations_of_all_kinds() -> None:
    cases = {
        'loc("a.py":1:2)': "at a.py:1:2",
        'loc("n"("a.py":1:2))': r"at a.py:1:2 \(n\):",
        'loc(fused["n", "a.py":1:2, "b.py":3:4])': r"at a.py:1:2 \(n\):",
        'loc(callsite("a.py":1:2 at "b.py":3:4))': r"at a.py:1:2:",
        "loc(unknown)": "'complex.create':",
    }
    for location, expected in cases.items():
        op = f"%c = complex.create %x, %x : complex<f32> {location}"
        with pytest.raises(UnsupportedError, match=expected):
            run(f"func.func @f(%x: f32) {{ {op} return }}", torch.ones(1))


def test_inner_location_wins() -> None:
    text = """func.func @f(%n: index, %t: tensor<4xf32>) -> f32 {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %x = arith.constant 0.0 : f32
      %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> f32 {
        %e = tensor.extract %t[%i] : tensor<4xf32> loc("inner.py":1:1)
        scf.yield %e : f32
      } loc("outer.py":1:1)
      return %r : f32
    }"""
    with pytest.raises(
        MachineError, match=r"^'tensor.extract' at inner.py:1:1: index 4 in dimension 0"
    ):
        run(text, index(5), torch.zeros(1, 4))


def test_core_groups_number_dimension_0_fastest() -> None:
    state = Run((2, 3))
    assert state.cores == 6
    assert [c.tolist() for c in state.everyone.coordinates] == [
        [0, 1, 0, 1, 0, 1],
        [0, 0, 1, 1, 2, 2],
    ]
    some = state.everyone.narrow(torch.tensor([1, 4]))
    assert (some.numbers.tolist(), some.is_all) == ([1, 4], False)
    assert [c.tolist() for c in some.coordinates] == [[1, 0], [0, 2]]
    assert isinstance(some, CoreGroup)


def test_merge_refuses_what_does_not_fit() -> None:
    first, second = torch.tensor([0]), torch.tensor([1])
    with pytest.raises(MachineError, match="no tensors"):
        merge([(first, "a"), (second, "b")], 2)
    assert merge([(first, "a"), (second, "a")], 2) == "a"
    assert merge([(first, torch.zeros(1, 2)), (second, torch.zeros(1, 3))], 2).shapes == [
        (2,),
        (3,),
    ]


def test_a_name_has_one_handler() -> None:
    with pytest.raises(AssertionError, match=r"scf\.for has a handler"):
        handler("scf.for")(lambda op, scope: None)
    assert callable(terminators)
    assert Scope is not None
