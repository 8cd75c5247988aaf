"""Machine instructions that numba has no name for: count trailing zeros, population count, prefetch.

Each is one LLVM intrinsic; what they are for is said where they are used.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


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
def byte_swap(typingctx: Any, word: Any) -> Any:
    """The eight bytes of a uint64 word in reverse order."""
    signature = types.uint64(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.bswap(args[0])

    return signature, codegen
