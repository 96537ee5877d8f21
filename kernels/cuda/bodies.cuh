// All kernel bodies that kernels.def calls.
#pragma once

#include "kernels/cuda/elementwise.cuh"
#include "kernels/cuda/fill.cuh"
#include "kernels/cuda/matvec.cuh"
#include "kernels/cuda/probe.cuh"
#include "kernels/cuda/stream.cuh"
