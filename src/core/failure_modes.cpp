#include "diagnosis_symptoms.hpp"

namespace roofline {
namespace {

// The seven failure modes of the roofline chapter, some as several rows that fields can tell apart.
// Counters: Nsight Compute metric names; perf and likwid event and group names; names of facts in
// the report.
constexpr FailureMode kModes[] = {
    // Is the figure right?
    {"mfu_above_one", Scope::any_point, symptom::mfu_above_one,
     "A ratio above 100 % is a wrong count, time or peak: a sparse or another type's peak, an FMA "
     "counted as one, a clock stopped too early, or work that the model does not need.",
     "sm__sass_thread_inst_executed_op_ffma_pred_on.sum, sm__inst_executed_pipe_tensor.sum (work "
     "executed) and gpu__time_duration.sum (time)",
     "the point's verification, and the probe's facts of_ideal and ideal_flop_per_cycle; perf "
     "fp_arith_inst_retired.* or likwid group FLOPS_SP (work executed)",
     "Match dtype and sparsity of the peak, count an FMA as two, synchronise before the clock "
     "stops; "
     "where the roof was measured, measure it again."},
    {"disturbed_measurement", Scope::below_any_roof, symptom::disturbed_measurement,
     "The figure is of a machine shared with other work, not of the kernel.",
     "gpu__time_duration.sum of a run alone on the device; processes listed by the driver",
     "cpu_share and disturbance of the samples; perf context-switches, cpu-migrations",
     "Stop what else runs, or give the measurement cores of its own, and measure again."},
    // Is it where the model says it must be?
    {"low_mfu_at_its_roof", Scope::any_point, symptom::low_mfu_at_its_roof,
     "No fault: the operation is at its memory roof, and its MFU can be no higher; 100 % is not "
     "its "
     "ceiling.",
     "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed (near the sustained share)",
     "achieved_byte_per_s against the read stream of this report; likwid group MEM",
     "Judge it against bandwidth x intensity. To go faster share each weight among more rows "
     "(batch) or shrink the weights; no kernel passes this ceiling."},
    {"power_capped", Scope::any_point, symptom::power_capped,
     "No fault of the kernel: the power limit lowers the clock under this load.",
     "clocks_event_reasons.sw_power_cap, power draw and limit by nvidia-smi -q -d POWER; "
     "sm__cycles_elapsed.avg.per_second",
     "clock_hz of the samples; likwid group ENERGY",
     "Judge it by the clock-adjusted MFU. What draws less power clocks higher: zeros (the same "
     "product with --data zeros tells how much), narrower types, less traffic; or raise the limit "
     "where the board allows (nvidia-smi -pl, needs root)."},
    // What holds it below either roof?
    {"call_overhead", Scope::below_any_roof, symptom::call_overhead,
     "The call itself takes the time, not its bytes or its work.",
     "gpu__time_duration.sum against the wall time of a call (gaps in an Nsight Systems timeline)",
     "the launch points of this report; perf context-switches (waking threads)",
     "Fuse or batch, so that one call does more; calls that a host launches one by one (kernel, "
     "library) are shorter in a captured graph."},
    {"too_few_threads", Scope::below_any_roof, symptom::too_few_threads,
     "Too little parallelism: not all cores that the roof was measured with take part.",
     "sm__warps_active.avg.pct_of_peak_sustained_active, launch__waves_per_multiprocessor",
     "threads and cpus in the point's implementation; perf task-clock (CPUs utilized)",
     "Let it use every core (--threads all, the library's own thread setting), or hold it against "
     "the roof of as many threads."},
    {"few_tiles", Scope::below_any_roof, symptom::few_tiles,
     "The output has fewer tiles than the device has units, and k is not split among those that "
     "are "
     "left over.",
     "launch__waves_per_multiprocessor (below 1), sm__cycles_active.avg / sm__cycles_elapsed.max",
     "algo_tile and split_k in the point's implementation; perf task-clock (CPUs utilized)",
     "Split k (another algorithm, more workspace, a stream-K kernel), take smaller tiles, or batch "
     "several such products into one call."},
    {"emulated_arithmetic", Scope::below_any_roof, symptom::emulated_arithmetic,
     "The type is not computed in natively: values are converted on the way, by instructions that "
     "the count leaves out.",
     "sm__inst_executed_pipe_tensor.sum (low), sm__inst_executed_pipe_alu.sum (conversions)",
     "kernel and isa_path in the point's implementation; perf annotate; likwid group FLOPS_SP",
     "Use a type that the hardware multiplies, or hold it against the roof of the type that it is "
     "widened to."},
    // What holds it below the memory roof?
    {"stores_read_lines", Scope::below_memory_roof, symptom::stores_read_lines,
     "Regular stores read each line before they write it: more bytes move than are counted.",
     "dram__bytes_op_read.sum (dram__bytes_read.sum) above the counted reads",
     "traffic_byte.moved; likwid group MEM (read volume above the counted reads)",
     "Use non-temporal stores for results that are not read again soon."},
    {"other_placement", Scope::below_memory_roof, symptom::other_placement,
     "The threads lay otherwise than when the roof was measured, and reach memory at another rate.",
     "dram__throughput.avg.pct_of_peak_sustained_elapsed on the same partition of the device",
     "thread_placement and core_to_core_min_s; likwid-topology; perf c2c",
     "Pin the threads, and compare within one placement only."},
    {"small_transfer", Scope::below_memory_roof, symptom::small_transfer,
     "The transfer is too small to keep the memory busy: latency decides.",
     "launch__waves_per_multiprocessor, sm__warps_active.avg.pct_of_peak_sustained_active",
     "a bandwidth sweep over sizes; perf LLC-load-misses; likwid group MEM",
     "Sweep the size before touching the kernel; merge small transfers into one call."},
    {"host_side_of_link", Scope::below_memory_roof, symptom::host_side_of_link,
     "The host's side holds the transfer up: pageable memory is copied through a buffer first, "
     "memory of another socket is farther away, other work shares the link.",
     "pcie__read_bytes.sum.per_second, pcie__write_bytes.sum.per_second; host_memory of the point",
     "numastat -p, lspci -vv (LnkSta: speed and width)",
     "Copy from pinned memory that the device's own socket holds, in pieces of several MiB."},
    {"uncoalesced_access", Scope::below_memory_roof, symptom::uncoalesced_access,
     "The access pattern wastes bandwidth: strided, unaligned or scattered accesses, or too few "
     "bytes in flight.",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / l1tex__t_requests_pipe_lsu_mem_global_op_ld."
     "sum (sectors per request), sm__warps_active.avg.pct_of_peak_sustained_active",
     "perf dTLB-load-misses, l1d_pend_miss.fb_full; likwid groups MEM and TLB_DATA",
     "Make neighbouring threads read neighbouring bytes in wide loads, unroll for more bytes in "
     "flight, use huge pages."},
    // What holds it below the compute roof?
    {"clock_throttled", Scope::below_compute_roof, symptom::clock_throttled,
     "The clock fell under load: at the clock of its samples the kernel does better.",
     "sm__cycles_elapsed.avg.per_second; clocks and throttle reasons by the driver",
     "clock_hz of the point and its samples; perf cycles / task-clock; likwid group CLOCK",
     "Log sustained clocks; mend power limit, cooling or frequency governor, or judge by the "
     "clock-adjusted MFU."},
    {"library_held_back", Scope::below_compute_roof, symptom::library_held_back,
     "The library runs a kernel for an older CPU, or another library had to stand in.",
     "the kernel's name; sm__inst_executed_pipe_tensor.sum",
     "library_isa and library_core in the point's implementation; ONEDNN_VERBOSE=1, "
     "OPENBLAS_VERBOSE=2",
     "Unset what holds it back (OPENBLAS_CORETYPE, ONEDNN_MAX_CPU_ISA), or install a build for "
     "this "
     "CPU."},
    {"awkward_shape", Scope::below_compute_roof, symptom::awkward_shape,
     "Rows begin where the fast kernels can't load them whole.",
     "sm__inst_executed_pipe_tensor.sum against work / tile, "
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / "
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     "perf fp_arith_inst_retired.scalar_*; likwid group FLOPS_SP (vectorisation ratio)",
     "Pad what is contiguous to multiples of 16 bytes (8 elements of 16 bits), best of 128."},
    {"tile_quantisation", Scope::below_compute_roof, symptom::tile_quantisation,
     "Tiles reach beyond the edges of the output, and what they compute there is thrown away.",
     "sm__inst_executed_pipe_tensor.sum against work / tile, smsp__inst_executed.sum",
     "perf fp_arith_inst_retired.* against work_flop; likwid group FLOPS_SP",
     "Pad or batch m and n to multiples of the tile, or choose smaller tiles."},
    {"wave_quantisation", Scope::below_compute_roof, symptom::wave_quantisation,
     "The last wave of tiles leaves units idle.",
     "launch__waves_per_multiprocessor, sm__cycles_active.avg / sm__cycles_elapsed.max",
     "cpu_share of the samples per thread; perf task-clock (CPUs utilized)",
     "Choose smaller tiles or split k, so that the tiles fill whole waves."},
    {"ordinary_units", Scope::below_compute_roof, symptom::ordinary_units,
     "A kernel for other units or another type was dispatched: the rate is that of a slower peak.",
     "sm__inst_executed_pipe_tensor.sum (0 where no matrix unit works), "
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
     "provider, kernel and library_isa in the point's implementation; ONEDNN_VERBOSE=1",
     "Allow the library the type, workspace and alignment that its "
     "matrix-unit kernels need."},
    {"kernel_choice", Scope::below_compute_roof, symptom::kernel_choice,
     "The kernel's tiles, pipelining or choice: the record tells no other reason.",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active, "
     "smsp__issue_active.avg.pct_of_peak_sustained_active",
     "perf cycles, instructions, fp_arith_inst_retired.*; likwid group FLOPS_SP",
     "Compare other kernels of the library on the same shape; profile this one."},
    // What does the whole sweep say?
    {"nearly_all_compute_bound", Scope::whole_report, symptom::nearly_all_compute_bound,
     "Bytes may be undercounted: outputs, re-reads, conversion buffers or the C that beta reads.",
     "dram__bytes_op_read.sum + dram__bytes_op_write.sum (dram__bytes.sum) against "
     "traffic_byte.total",
     "likwid group MEM (data volume) against traffic_byte.total; perf LLC-load-misses x 64",
     "Name the boundary, then enumerate every tensor that crosses it; check peak and bandwidth of "
     "the ridge."},
    {"only_friendly_squares", Scope::whole_report, symptom::only_friendly_squares,
     "A roofline of friendly squares shows the library, not what will run on it.",
     "launch__waves_per_multiprocessor on production shapes",
     "the same points for production shapes",
     "Add production shapes: an MLP projection, the vocabulary head, the token batch of a step."},
    {"batching_stops_helping", Scope::whole_report, symptom::batching_stops_helping,
     "What grows with the batch (KV cache, activations) outweighs the weights that it shares, so "
     "that the intensity nears that of what grows alone.",
     "dram__bytes_op_read.sum (dram__bytes_read.sum) of the attention kernels against that of the "
     "projections",
     "traffic_byte.by_tensor; likwid group MEM around attention and projections",
     "Model the bytes that grow; what is left are KV heads, cache type and context length, or "
     "narrower and fused activations, not batch size."},
    {"quantisation_barely_helps", Scope::whole_report, symptom::quantisation_barely_helps,
     "Something other than weights dominates the traffic.",
     "dram__bytes_op_read.sum (dram__bytes_read.sum) per kernel, by tensor class",
     "traffic_byte.by_tensor; likwid group MEM (data volume of both points)",
     "Break the traffic down by tensor class, and shrink the largest: the KV cache, activations or "
     "a "
     "collective."},
    {"first_suggestion_slow", Scope::whole_report, symptom::first_suggestion_slow,
     "Whoever takes the algorithm that the library suggests first, as most frameworks do, gets "
     "less "
     "than what was measured here.",
     "gpu__time_duration.sum of the framework's kernel against this report's; its name",
     "algo_of, algo_candidates and first_suggestion_loss of the points",
     "Let the framework tune these shapes (torch.compile with mode max-autotune, TensorRT), or "
     "time "
     "what cublasLtMatmulAlgoGetHeuristic offers; roofline gemm --algo first measures what it gets "
     "now."},
    {"fp32_not_tf32", Scope::whole_report, symptom::fp32_not_tf32,
     "No fault of the kernel: true fp32 is not computed by matrix units.",
     "sm__inst_executed_pipe_tensor.sum (0), sm__inst_executed_pipe_fma.sum",
     "roofs and achieved_flop_per_s of the fp32 and the tf32 products",
     "Where significands of 10 bits do, allow tf32 (CUBLAS_COMPUTE_32F_FAST_TF32, "
     "torch.set_float32_matmul_precision('high')); else this roof is the one to reach."},
    {"refuted_predictions", Scope::whole_report, symptom::refuted_predictions,
     "The time speaks against the side that was predicted: a count or a roof is wrong.",
     "dram__bytes.sum and sm__inst_executed_pipe_tensor.sum against the counts",
     "likwid groups MEM and FLOPS_SP against work_flop and traffic_byte.total",
     "Check bytes, work and both roofs of these points before choosing an optimisation."},
    {"disturbed_points", Scope::whole_report, symptom::disturbed_points,
     "Other work, a falling clock or wandering threads disturbed much of the run.",
     "processes and throttle reasons by the driver",
     "cpu_share, clock_hz and placement of the "
     "samples; perf context-switches, cpu-migrations",
     "Quiet the machine (roofline doctor says how) and measure these points again."},
    // What does the device say of itself?
    {"rated_bandwidth_doubtful", Scope::whole_report, symptom::rated_bandwidth_doubtful,
     "Bandwidth by the driver's memory clock and bus width is not that of the catalogue: the clock "
     "is an effective or an idle one, part of the memory is disabled, or the product is another "
     "one.",
     "dram__bytes.sum.per_second.peak_sustained (nsight-compute's own figure of the peak)",
     "memory_clock_hz and memory_bus_bits of the device",
     "The catalogue's figure is used. Compare both with the measured read stream, and correct the "
     "catalogue (--config-dir) where it is wrong."},
    {"power_limited", Scope::whole_report, symptom::power_limited,
     "The power limit is set below the board's own: what is bound by arithmetic will be slower "
     "than "
     "rated, and what is bound by memory hardly.",
     "nvidia-smi -q -d POWER (enforced and default limit), clocks_event_reasons.sw_power_cap",
     "clock_hz of the samples",
     "Raise it (nvidia-smi -pl, needs root), or compare only with devices of the same limit."},
    // What do equal devices say beside each other?
    {"slow_device", Scope::across_devices, symptom::slow_devices,
     "It is slower than its equals: a lower clock or power limit, heat, memory errors, a narrower "
     "link, or other work on it.",
     "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE,ECC,PAGE_RETIREMENT of it and of a "
     "neighbour; its link width and processes",
     "clock_hz of the samples on each device",
     "Compare clocks, limits, errors and link with a neighbour, mend or replace it, and keep jobs "
     "that wait for their slowest part off it until then."},
};

}  // namespace

std::span<const FailureMode> failure_modes() { return kModes; }

}  // namespace roofline
