"""Machine instructions without a name in numba: counting zeros and bits of a word, prefetch, load, store, tickets.

Each is one LLVM intrinsic, but for the clock, a call of the C library; what they are for is said where they are used.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils

intrinsic: Any = extending.intrinsic  # kernels call these with one argument less than their Python signature


def _of_word(emit: Callable[[ir.IRBuilder, Any], Any]) -> Any:
    """Declare an intrinsic that makes a uint64 of a uint64, by what ``emit(builder, word)`` emits."""

    @intrinsic
    def instruction(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            return emit(builder, args[0])

        return types.uint64(types.uint64), codegen

    return instruction


@_of_word
def count_trailing_zeros(builder: ir.IRBuilder, word: Any) -> Any:
    """Index of the lowest set bit of a uint64 word (64 when none is set)."""
    return builder.cttz(word, ir.Constant(ir.IntType(1), 0))


@_of_word
def count_leading_zeros(builder: ir.IRBuilder, word: Any) -> Any:
    """Number of zero bits above the highest set bit of a uint64 word (64 when none is set)."""
    return builder.ctlz(word, ir.Constant(ir.IntType(1), 0))


@_of_word
def population_count(builder: ir.IRBuilder, word: Any) -> Any:
    """Number of set bits of a uint64 word."""
    return builder.ctpop(word)


@_of_word
def byte_swap(builder: ir.IRBuilder, word: Any) -> Any:
    """The eight bytes of a uint64 word in reverse order."""
    return builder.bswap(word)


def _emit_prefetch(context: Any, builder: ir.IRBuilder, pointer: Any, write: int) -> Any:
    """LLVM's prefetch of data into all caches, to be written soon (1) or read (0)."""
    i32 = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, i32, i32, i32])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    builder.call(function, [pointer, i32(write), i32(3), i32(1)])
    return context.get_dummy_value()


@intrinsic
def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of ``array[index]`` (one-dimensional, contiguous), to be written soon."""
    signature = types.void(array, index)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        return _emit_prefetch(context, builder, builder.gep(view.data, [args[1]]), 1)

    return signature, codegen


@intrinsic
def prefetch_address(typingctx: Any, address: Any) -> Any:
    """Ask for the cache line at a memory address (uint64), to be read soon."""
    signature = types.void(types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return _emit_prefetch(context, builder, builder.inttoptr(args[0], ir.IntType(8).as_pointer()), 0)

    return signature, codegen


def _load(kind: Any) -> Any:
    """An intrinsic that reads an integer of a numba type at a memory address (uint64)."""

    @intrinsic
    def load(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            return builder.load(builder.inttoptr(args[0], ir.IntType(kind.bitwidth).as_pointer()), align=1)

        return kind(types.uint64), codegen

    return load


load_int8 = _load(types.int8)
"""The signed byte at a memory address (uint64): how kernels read tables that are mapped one file a tier."""
load_uint16 = _load(types.uint16)
"""The unsigned 16-bit word at a memory address (uint64)."""
load_uint64 = _load(types.uint64)
"""The 64-bit word at a memory address (uint64)."""


@intrinsic
def store_uint64(typingctx: Any, address: Any, word: Any) -> Any:
    """Write a 64-bit word (uint64) at a memory address (uint64)."""
    signature = types.void(types.uint64, types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()))
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


def _matcher(bits: int) -> Any:
    """The code of :func:`match_words`, for numbers of so many bits."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(bits), 64)
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.bitcast(builder.gep(view.data, [args[1]]), vector.as_pointer())
        numbers = builder.load(pointer, align=bits // 8)

        def spread(number: Any) -> Any:
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), 64), None)
            return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)

        same = builder.icmp_unsigned("==", builder.and_(numbers, spread(args[2])), spread(args[3]))
        below = builder.icmp_unsigned("<", numbers, spread(args[4]))
        return builder.bitcast(builder.and_(same, below), ir.IntType(64))

    return codegen


@intrinsic
def match_words(typingctx: Any, array: Any, index: Any, mask: Any, wanted: Any, limit: Any) -> Any:
    """Compare the 64 words ``array[index : index + 64]`` (uint16, contiguous) at once, without a bounds check.

    Bit i of the uint64 result is set where ``word & mask == wanted`` and ``word < limit`` (all uint16). A vector
    comparison in plain LLVM terms: a handful of instructions on any machine with vectors.
    """
    return types.uint64(array, types.uint64, types.uint16, types.uint16, types.uint16), _matcher(16)


@intrinsic
def match_bytes(typingctx: Any, array: Any, index: Any, mask: Any, wanted: Any, limit: Any) -> Any:
    """The same for the 64 bytes ``array[index : index + 64]`` (int8 or uint8, compared as uint8)."""
    return types.uint64(array, types.uint64, types.uint8, types.uint8, types.uint8), _matcher(8)


RAISED = 32
"""Bytes that :func:`raise_bytes` takes at once."""


@intrinsic
def raise_bytes(typingctx: Any, array: Any, index: Any, others: Any, place: Any) -> Any:
    """Raise each of 32 bytes, ``array[index : index + 4]``, to that of ``others[place : place + 4]`` where it is more.

    Both are arrays of uint64 words, contiguous, without a bounds check; bytes compare as uint8. The vector maximum in
    plain LLVM terms, as in :func:`match_words`.
    """
    signature = types.void(array, types.uint64, others, types.uint64)

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), RAISED)

        def pointer(kind: Any, view: Any, index: Any) -> Any:
            data = context.make_array(kind)(context, builder, view).data
            return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())

        to, by = pointer(signature.args[0], *args[:2]), pointer(signature.args[2], *args[2:])
        before, offered = builder.load(to, align=8), builder.load(by, align=8)
        more = builder.icmp_unsigned(">", offered, before)
        builder.store(builder.select(more, offered, before), to, align=8)
        return context.get_dummy_value()

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
