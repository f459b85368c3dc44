"""Calls the C interface of Prelaunch with real torch tensors: python3 torch_example.py libprelaunch.so"""
import ctypes
import sys

import torch
from torch.utils.dlpack import to_dlpack

library = ctypes.CDLL(sys.argv[1])
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def call(op, *arguments):
    """Each argument as C sees it: a tensor by DLPack, an int, float or bool as itself, None as NULL."""
    error = ctypes.create_string_buffer(4096)
    kept, values = [], []
    for argument in arguments:
        if isinstance(argument, torch.Tensor):
            kept.append(to_dlpack(argument))  # a DLManagedTensor, which begins with its DLTensor
            values.append(ctypes.c_void_p(pointer_of(kept[-1], b"dltensor")))
        elif isinstance(argument, bool):
            values.append(ctypes.c_bool(argument))
        elif isinstance(argument, float):
            values.append(ctypes.c_float(argument))
        elif argument is None:
            values.append(ctypes.c_void_p())
        else:
            values.append(ctypes.c_int64(argument))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    result = getattr(library, "prelaunch_" + op)(*values, stream, error, ctypes.c_size_t(len(error)))
    if result == 1:
        raise ValueError(error.value.decode())
    if result != 0:
        raise RuntimeError(error.value.decode())


def new(*shape, dtype=torch.bfloat16, like=torch.randn):
    return like(*shape, device="cuda").to(dtype)


def full(value, *shape, dtype=torch.int64):
    return torch.full(shape, value, device="cuda", dtype=dtype)


def ulysses_pack():
    qkv = new(5, 3, 8, 16)  # q, k and v are slices of one projection
    out = new(4, 5, 2, 48)
    call("ulysses_pack", qkv[:, 0], qkv[:, 1], qkv[:, 2], 4, out)
    assert torch.equal(out, qkv.view(5, 3, 4, 2, 16).permute(2, 0, 3, 1, 4).reshape(4, 5, 2, 48))
    return lambda: call("ulysses_pack", qkv[:, 0].transpose(1, 2), qkv[:, 1], qkv[:, 2], 4, out)


def dflash_greedy():
    target = torch.arange(24, device="cuda").view(8, 3).t()  # a transpose
    candidates = torch.cat([full(7, 3, 1), target[:, :-1]], 1)
    accepted, bonus = full(0, 3, dtype=torch.int32), full(0, 3)
    call("dflash_greedy", candidates, target, accepted, bonus)
    assert accepted.tolist() == [7, 7, 7] and torch.equal(bonus, target[:, 7])
    return lambda: call("dflash_greedy", candidates.cpu(), target, accepted, bonus)


def kv_materialize():
    kv, weight, eps = new(6, 2, 2 * 3 * 8), new(2, 8), full(1e-6, 2, dtype=torch.float32)
    angles = torch.rand(32, 4, device="cuda")
    cache = torch.cat([angles.cos(), angles.sin()], 1)
    k, v = new(2, 6, 3, 16).split(8, dim=-1)  # the two halves of one pool
    positions = torch.arange(6, device="cuda")
    call("kv_materialize", kv, weight, eps, cache, positions, 3, 8, 8, k, v, None)
    assert torch.equal(v, kv[:, :, 24:].view(6, 2, 3, 8).transpose(0, 1))
    return lambda: call("kv_materialize", kv, weight, eps, cache, positions, 3, 8, 7, k, v, None)


def kda_replayssm():
    qkv, a, b = new(2, 3 * 2 * 16), new(2, 2, 16), new(2, 2)
    rates, bias = new(2, like=torch.rand), new(2, 16)
    state = new(4, 2, 16, 16, like=torch.zeros, dtype=torch.float32)
    rings = [new(4, 2, 3, 16, like=torch.zeros, dtype=torch.float32) for _ in range(3)]
    out, slots = new(2, 1, 2, 16), torch.tensor([3, 1], device="cuda")
    write_pos = full(0, 1, dtype=torch.int32).expand(2)  # a stride of 0
    rest = (out, slots, write_pos, None, True, None, None)
    call("kda_replayssm", qkv, a, b, rates, bias, 0.25, state, *rings, *rest)
    assert out.isfinite().all() and rings[0][3, :, 0].any() and not rings[0][0].any()
    rings[2] = rings[2].cpu()
    return lambda: call("kda_replayssm", qkv, a, b, rates, bias, 0.25, state, *rings, *rest)


def dflash_sampling():
    candidates, logits = full(5, 3, 4), new(12, 100, dtype=torch.float32)
    coins, last = torch.rand(3, 4, device="cuda"), torch.rand(3, device="cuda")
    warm, accepted, bonus = full(1.0, 3, dtype=torch.float32), full(9, 3, dtype=torch.int32), full(-1, 3)
    rest = (warm, None, None, coins, last, 1.0, 1.0, accepted, bonus, None)
    call("dflash_sampling", candidates, logits, *rest)
    assert (accepted <= 3).all() and ((bonus >= 0) & (bonus < 100)).all()
    return lambda: call("dflash_sampling", candidates.cpu(), logits, *rest)


for op in (ulysses_pack, dflash_greedy, kv_materialize, kda_replayssm, dflash_sampling):
    bad_call = op()
    torch.cuda.synchronize()
    try:
        bad_call()
    except ValueError as error:
        print(f"{op.__name__}: right; a bad call: {str(error).split(' [')[0]}")
    else:
        sys.exit(f"{op.__name__}: a bad call was accepted")
