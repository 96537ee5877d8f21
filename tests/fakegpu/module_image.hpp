// What a driver sees of a kernel image before it loads it: for which devices it holds code. The
// code itself is never read; kernels run by their names.
#pragma once

#include <cuda.h>

namespace fakegpu {

/// Whether a device of this compute capability under this driver (as cuDriverGetVersion counts)
/// loads the image: a fatbin, its wrapper, a cubin or PTX text.
[[nodiscard]] CUresult check_image(const void* image, int major, int minor, int driver);

}  // namespace fakegpu
