// The tables of the single instruction-set levels. Only `select_kernels` and the tests ask for one
// by name; the x86 ones exist only in builds for x86-64 and may run only where the processor allows
// it.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace thermocline::kernels {

const KernelTable& avx2_kernels();
const KernelTable& avx512_kernels();
const KernelTable& avx512_vnni_kernels();

// The AVX-512 sources compiled against portable stand-ins for the instructions; part of the tests
// only.
namespace emulated {
const KernelTable& avx512_kernels();
const KernelTable& avx512_vnni_kernels();
}  // namespace emulated

}  // namespace thermocline::kernels
