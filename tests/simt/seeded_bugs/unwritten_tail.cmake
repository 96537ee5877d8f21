# The elements behind the last whole pack.
set(file kernels/cuda/stream.cuh)
set(old [==[
    if (blockIdx.x == 0 && threadIdx.x < n % kLanes) {
]==])
set(new [==[
    if (blockIdx.x == 0 && threadIdx.x < packs % kLanes) {
]==])
