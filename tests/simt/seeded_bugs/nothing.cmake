# The same way through, without a bug.
set(file kernels/cuda/stream.cuh)
set(old [==[
#pragma once
]==])
set(new "${old}")
