// The contract of ulysses_pack: its page's rules, in its page's order.
#pragma once

#include "kernels/common/contract.h"
#include "kernels/common/predicates.h"
#include "kernels/ulysses_pack/ulysses_pack.h"

namespace prelaunch {

template <>
inline constexpr auto kRules<ulysses_pack::Op> =
    contract<ulysses_pack::Op>(std::to_array<Rule<ulysses_pack::Args>>({
        {"qkv.same_shape", kSafety, "q, k, and v must have the same 3D shape",
         [](const ulysses_pack::Args& a) PRELAUNCH_RULE {
           const auto like_q = [&a](const TensorView& t)
                                   PRELAUNCH_RULE { return a.q.rank == 3 && same_shape(t, a.q); };
           return first_not(like_q, a.q, a.k, a.v);
         }},
        {"qkv.cuda", kSafety, "q, k, and v must be CUDA tensors",
         [](const ulysses_pack::Args& a)
             PRELAUNCH_RULE { return first_not(on_cuda, a.q, a.k, a.v); }},
        {"qkv.same_device_dtype", kSafety, "q, k, and v must have the same device and dtype",
         [](const ulysses_pack::Args& a) PRELAUNCH_RULE {
           const auto like_q = [&a](const TensorView& t)
                                   PRELAUNCH_RULE { return same_device_dtype(t, a.q); };
           return first_not(like_q, a.k, a.v);
         }},
        {"qkv.dtype", kPolicy, "q, k, and v must have a 1-, 2-, 4- or 8-byte dtype, got {dtype}",
         [](const ulysses_pack::Args& a)
             PRELAUNCH_RULE { return a.q.dtype.bits <= 64 ? nullptr : &a.q; },
         "no model keeps 16-byte attention inputs; what is not used is not promised"},
        {"qkv.inner_contiguous", kSafety, "q, k, and v must be contiguous in head_size",
         [](const ulysses_pack::Args& a)
             PRELAUNCH_RULE { return first_not(inner_contiguous, a.q, a.k, a.v); }},
        {"world_size.divides_heads", kSafety, "world_size must be positive and divide global_heads",
         [](const ulysses_pack::Args& a)
             PRELAUNCH_RULE { return is_multiple(a.q.shape[1], a.world_size); }},
        {"out.size", kSafety,
         "out must fit 64-bit sizes: [world_size={world_size}, rows, global_heads / world_size, "
         "3 * head_size] of q's dtype, got q.shape={q.shape}",
         [](const ulysses_pack::Args& a) PRELAUNCH_RULE {
           return a.out.given || tensor_fits(3 * a.q.dtype.bytes(),
                                             {a.world_size, a.q.shape[0],
                                              quotient(a.q.shape[1], a.world_size), a.q.shape[2]});
         }},
        {"out.matches", kSafety,
         "out must be a contiguous tensor with the expected shape, device, and dtype",
         [](const ulysses_pack::Args& a) PRELAUNCH_RULE {
           return !a.out.given ||
                  (a.out.rank == 4 && a.out.contiguous && a.out.shape[0] == a.world_size &&
                   a.out.shape[1] == a.q.shape[0] &&
                   is_product(a.q.shape[1], a.world_size, a.out.shape[2]) &&
                   is_product(a.out.shape[3], 3, a.q.shape[2]) && same_device_dtype(a.out, a.q));
         }},
        {"out.no_overlap", kSemantics, "out must not overlap q, k, or v",
         [](const ulysses_pack::Args& a) PRELAUNCH_RULE {
           return disjoint(a.out, a.q) && disjoint(a.out, a.k) && disjoint(a.out, a.v);
         }},
    }));

}  // namespace prelaunch
