# Lanes with nothing to add skip the exchange that the others wait in.
set(file kernels/cuda/stream.cuh)
set(old [==[
    value += __shfl_xor_sync(kAllLanes, value, distance);
]==])
set(new [==[
    if (value != 0) value += __shfl_xor_sync(kAllLanes, value, distance);
]==])
