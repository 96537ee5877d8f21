# One pack too many.
set(file kernels/cuda/stream.cuh)
set(old [==[
    for (; i < packs; i += step) {
]==])
set(new [==[
    for (; i <= packs; i += step) {
]==])
