// Finds damaged weights (NaN or infinity) when a model is loaded, before they spread through a
// chat.
#pragma once

#include "kernels/cpu/number_format.h"

namespace thermocline::kernels {

// Index of the first of `n` weights whose value is NaN or infinite; n if there is none. `row` needs
// no alignment; `n` is a whole number of blocks. In the quantised formats only a block's scale can
// be at fault, and then all its weights are: the block's first index is returned.
std::size_t first_non_finite(NumberFormat format, const void* row, std::size_t n);

}  // namespace thermocline::kernels
