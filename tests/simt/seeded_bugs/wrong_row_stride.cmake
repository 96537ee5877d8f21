# Right where d_out is a multiple of the tile.
set(file kernels/cuda/matvec.cuh)
set(old [==[
    const u64 at = u64{row} * place_.d_out + output;
]==])
set(new [==[
    const u64 at = u64{row} * ceil_divide(place_.d_out, kMatvecTile) * kMatvecTile + output;
]==])
