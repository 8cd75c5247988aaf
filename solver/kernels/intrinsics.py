"""Machine instructions that numba has no name for: count trailing zeros, population count, prefetch, load.

Each is one LLVM intrinsic; what they are for is said where they are used.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

intrinsic: Any = numba_intrinsic  # callers leave out the typing context; the type checker cannot know


@intrinsic
def count_trailing_zeros(typingctx: Any, word: Any) -> Any:
    """Index of the lowest set bit of a uint64 word (64 when none is set)."""
    signature = types.uint64(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return signature, codegen


@intrinsic
def population_count(typingctx: Any, word: Any) -> Any:
    """Number of set bits of a uint64 word."""
    signature = types.uint64(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return signature, codegen


@intrinsic
def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of ``array[index]`` (one-dimensional, contiguous), to be written soon."""
    signature = types.void(array, index)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.gep(view.data, [args[1]])
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, i32, i32, i32])
        name = "llvm.prefetch.p0"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        builder.call(function, [pointer, i32(1), i32(3), i32(1)])
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def load_int8(typingctx: Any, address: Any) -> Any:
    """The int8 at a machine address (an integer): how kernels read one of many mapped tables."""
    return types.int8(address), _load


@intrinsic
def load_uint16(typingctx: Any, address: Any) -> Any:
    """The uint16 at a machine address (an integer)."""
    return types.uint16(address), _load


def _load(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
    kind: Any = context.get_value_type(signature.return_type)
    return builder.load(builder.inttoptr(args[0], kind.as_pointer()))


@intrinsic
def prefetch_address(typingctx: Any, address: Any) -> Any:
    """Ask for the cache line at a machine address (an integer), to be read soon."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        pointer: Any = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(address), codegen
