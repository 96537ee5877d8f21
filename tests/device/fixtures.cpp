#include "fixtures.hpp"

#include <algorithm>

#include "backend/cuda/event.hpp"
#include "backend/cuda/launcher.hpp"

namespace roofline::selftest {
namespace {

constexpr unsigned kPairs = 64;
constexpr unsigned kSpins = 128;
constexpr cuda::u64 kFirstSpin = 5'000;  ///< ns
constexpr cuda::u64 kLonger = 37;        ///< ns; no multiple of a likely step

template <class Between>
double timed(cuda::Context& context, const Between& between) {
  cuda::Event begin(context);
  cuda::Event end(context);
  begin.record();
  between();
  end.record();
  end.synchronize();
  return in_second(end.since(begin));
}

std::optional<double> smallest_step(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::optional<double> step;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double difference = times[i] - times[i - 1];
    // The driver tells milliseconds as a float: what is below its last place is no step.
    if (difference > 1e-6 * times[i] && (!step || difference < *step)) step = difference;
  }
  return step;
}

}  // namespace

std::map<int, int> device_attributes(cuda::Context& context, int index) {
  CUdevice device = 0;
  context.driver().device(&device, index);
  std::map<int, int> out;
  for (int which = 1; which < static_cast<int>(CU_DEVICE_ATTRIBUTE_MAX); ++which) {
    int value = 0;
    if (context.driver().device_attribute.result(&value, static_cast<CUdevice_attribute>(which),
                                                 device) == CUDA_SUCCESS)
      out[which] = value;
  }
  return out;
}

std::optional<KernelFacts> kernel_facts(cuda::Context& context, const cuda::KernelEntry& kernel) {
  CUfunction function = nullptr;
  try {
    // One that was launched is known, and its parameters are not asked for again.
    function = context.function(kernel, nullptr, 0);
  } catch (const backend::BackendError&) {
    return std::nullopt;
  }
  const auto ask = [&](CUfunction_attribute which) {
    int value = 0;
    context.driver().function_attribute(&value, which, function);
    return value;
  };
  return KernelFacts{
      ask(CU_FUNC_ATTRIBUTE_NUM_REGS),          ask(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
      ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
      ask(CU_FUNC_ATTRIBUTE_BINARY_VERSION),    ask(CU_FUNC_ATTRIBUTE_PTX_VERSION)};
}

EventSteps event_steps(cuda::Context& context) {
  EventSteps out;
  for (unsigned i = 0; i < kPairs; ++i) out.nothing_s.push_back(timed(context, [] {}));
  const cuda::KernelEntry& spin = cuda::kernel_named("spin");
  for (unsigned i = 0; i < kSpins; ++i) {
    out.spins_s.push_back(timed(context, [&] {
      cuda::launch<cuda::Family::spin>(context, spin, {1, 1, 1, 0}, kFirstSpin + i * kLonger);
    }));
  }
  std::vector<double> all = out.nothing_s;
  all.insert(all.end(), out.spins_s.begin(), out.spins_s.end());
  out.step_s = smallest_step(std::move(all));
  return out;
}

}  // namespace roofline::selftest
