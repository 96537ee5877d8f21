// A table of kernels from anywhere: it is refused in one line that names the file, or becomes
// kernels that have counts, times and records of their own.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "demand.hpp"
#include "profile/kernel_table.hpp"
#include "roofline/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofline;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const profile::KernelTable table = profile::read_kernel_table(text, "kernels.csv");
    std::size_t samples = 0;
    std::vector<Record> records;
    for (const profile::TimedKernel& kernel : table.kernels) {
      fuzz::demand(!kernel.name.empty(), "a kernel has a name");
      for (const Sample& sample : kernel.samples)
        fuzz::demand(in_second(sample.duration) > 0, "a time is above zero");
      samples += kernel.samples.size();
      records.push_back(profile::record_of(kernel, "custom", "x", "kernels.csv"));
    }
    fuzz::demand(samples == table.rows && samples != 0, "every row is a sample of one kernel");
    profile::tell_apart(records);
  } catch (const InputError& error) {
    fuzz::demand_sentence(error.what(), "kernels.csv");
  }
  return 0;
}
