// Kernels of which it is known what machine code they become: what cubin.cpp knows of instructions
// is held against them, so that a compiler with another encoding is noticed.

extern "C" __global__ void probe_32(float* out, const float* in) {
  out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void probe_64(float2* out, const float2* in) {
  out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void probe_128(float4* out, const float4* in) {
  out[threadIdx.x] = in[threadIdx.x];
}

// One way each through shared memory, across a barrier.
extern "C" __global__ void probe_shared(float4* out, const float4* in) {
  __shared__ float4 exchange[256];
  exchange[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = exchange[255 - threadIdx.x];
}

extern "C" __global__ void probe_shuffle(float* out, const float* in) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, in[threadIdx.x], 1);
}

extern "C" __global__ void probe_fma(float* out, float x, float y) {
  float sum = out[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 7; ++i) sum = fmaf(sum, x, y);
  out[threadIdx.x] = sum;
}

extern "C" __global__ void probe_product(float4* out, const uint4* in) {
  const uint4 q = in[threadIdx.x];
  float4 sum = out[threadIdx.x];
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum.x), "+f"(sum.y), "+f"(sum.z), "+f"(sum.w)
      : "r"(q.x), "r"(q.y), "r"(q.z));
  out[threadIdx.x] = sum;
}

// An array that is written at an index nobody knows lies in local memory.
extern "C" __global__ void probe_local(float* out, const float* in, const int* where, int count) {
  float values[64];
  for (int i = 0; i < 64; ++i) values[i] = in[i * 32 + threadIdx.x];
  for (int i = 0; i < count; ++i) values[where[i] & 63] += in[i];
  out[threadIdx.x] = values[where[count] & 63];
}
