# The first thread adds up what other warps have not written yet.
set(file kernels/cuda/stream.cuh)
set(old [==[
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = value;
  __syncthreads();
]==])
set(new [==[
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = value;
]==])
