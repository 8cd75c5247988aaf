"""Machine instructions without a name in numba: counting zeros and bits of a word, prefetch, load, store, tickets.

Each is one LLVM intrinsic, but for the clock, a call of the C library; what they are for is said where they are used.
"""

from __future__ import annotations

import time
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils

intrinsic: Any = extending.intrinsic  # kernels call these with one argument less than their Python signature


@intrinsic
def count_trailing_zeros(typingctx: Any, word: Any) -> Any:
    """Index of the lowest set bit of a uint64 word (64 when none is set)."""
    signature = types.uint64(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return signature, codegen


@intrinsic
def count_leading_zeros(typingctx: Any, word: Any) -> Any:
    """Number of zero bits above the highest set bit of a uint64 word (64 when none is set)."""
    signature = types.uint64(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

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
def fetch_add(typingctx: Any, counter: Any, index: Any, amount: Any) -> Any:
    """Atomically add an int64 to ``counter[index]`` (int64 array) and return the old value: how threads share work."""
    signature = types.int64(counter, types.int64, types.int64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.atomic_rmw("add", builder.gep(view.data, [args[1]]), args[2], "monotonic")

    return signature, codegen


@intrinsic
def load_int8(typingctx: Any, address: Any) -> Any:
    """The signed byte at a memory address (uint64): how kernels read tables that are mapped one file a tier."""
    signature = types.int8(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        return builder.load(pointer)

    return signature, codegen


@intrinsic
def load_uint16(typingctx: Any, address: Any) -> Any:
    """The unsigned 16-bit word at a memory address (uint64)."""
    signature = types.uint16(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[0], ir.IntType(16).as_pointer())
        return builder.load(pointer)

    return signature, codegen


@intrinsic
def prefetch_address(typingctx: Any, address: Any) -> Any:
    """Ask for the cache line at a memory address (uint64), to be read soon."""
    signature = types.void(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        pointer: Any = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def match_words(typingctx: Any, array: Any, index: Any, mask: Any, wanted: Any, limit: Any) -> Any:
    """Compare the 64 words ``array[index : index + 64]`` (uint16, contiguous) at once, without a bounds check.

    Bit i of the uint64 result is set where ``word & mask == wanted`` and ``word < limit`` (all uint16). A vector
    comparison in plain LLVM terms: a handful of instructions on any machine with vectors.
    """
    signature = types.uint64(array, types.uint64, types.uint16, types.uint16, types.uint16)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(16), 64)
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.bitcast(builder.gep(view.data, [args[1]]), vector.as_pointer())
        words = builder.load(pointer, align=2)

        def spread(word: Any) -> Any:
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), word, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), 64), None)
            return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)

        same = builder.icmp_unsigned("==", builder.and_(words, spread(args[2])), spread(args[3]))
        below = builder.icmp_unsigned("<", words, spread(args[4]))
        return builder.bitcast(builder.and_(same, below), ir.IntType(64))

    return signature, codegen


@intrinsic
def load_uint64(typingctx: Any, address: Any) -> Any:
    """The 64-bit word at a memory address (uint64)."""
    signature = types.uint64(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.load(pointer)

    return signature, codegen


@intrinsic
def store_uint64(typingctx: Any, address: Any, word: Any) -> Any:
    """Write a 64-bit word (uint64) at a memory address (uint64)."""
    signature = types.void(types.uint64, types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def byte_swap(typingctx: Any, word: Any) -> Any:
    """The eight bytes of a uint64 word in reverse order."""
    signature = types.uint64(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.bswap(args[0])

    return signature, codegen


@intrinsic
def monotonic_time(typingctx: Any) -> Any:
    """Nanoseconds, int64, of the clock that Python's ``time.clock_gettime_ns(time.CLOCK_MONOTONIC)`` reads."""
    signature = types.int64()

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        i32, i64 = ir.IntType(32), ir.IntType(64)
        moment = cgutils.alloca_once(builder, ir.LiteralStructType([i64, i64]))  # seconds and nanoseconds
        kind = ir.FunctionType(i32, [i32, moment.type])
        function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(function, [i32(time.CLOCK_MONOTONIC), moment])
        seconds, nanoseconds = (builder.load(cgutils.gep_inbounds(builder, moment, 0, part)) for part in (0, 1))
        return builder.add(builder.mul(seconds, i64(10**9)), nanoseconds)

    return signature, codegen
