// The thread that first writes to a page decides on which memory node it lies. Which thread that
// was shows in the page faults of each, on machines with one node too.
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "cpu_under_test.hpp"

namespace roofline::cpu {
namespace {

/// Minor page faults so far of every thread of this process, by its id.
std::map<std::string, long> faults() {
  std::map<std::string, long> out;
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    // The name in parentheses may hold anything; minflt is the eighth field after it.
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string field;
    for (int i = 0; i < 8; ++i) fields >> field;
    out[task.path().filename()] = std::stol(field);
  }
  return out;
}

TEST(CpuBackend, B184_ArraysAreFirstTouchedByTheThreadsThatStreamThem) {
#if ROOFLINE_SANITIZED
  GTEST_SKIP() << "a sanitizer's shadow of the arrays is touched as well";
#endif
  Cpu cpu(small(512));
  const Facts facts = cpu.device().facts;
  ASSERT_NE(find(facts, "numa_nodes"), nullptr) << "their number, or why it is unknown";
  const auto threads = std::get<std::uint64_t>(*find(facts, "threads"));

  constexpr std::uint64_t kElements = std::uint64_t{16} << 20;  // 2 x 128 MiB, 64 huge pages each
  const Stream copy{StreamKind::copy, kElements, DType::fp64};
  cpu.prepare(copy).reset();  // starts the threads, and maps whatever code and stacks need
  const auto before = faults();
  const auto run = cpu.prepare(copy);
  const auto after = faults();

  std::uint64_t workers = 0;
  long total = 0;
  for (const auto& [task, count] : after) total += count - before.at(task);
  ASSERT_GE(total, 100) << "two fresh arrays";
  for (const auto& [task, count] : after) {
    const long share = count - before.at(task);
    if (share < total / 10) continue;
    ++workers;
    EXPECT_NE(task, std::to_string(getpid())) << "the caller touches no array";
    EXPECT_NEAR(static_cast<double>(share),
                static_cast<double>(total) / static_cast<double>(threads),
                0.2 * static_cast<double>(total));
  }
  if (threads <= 8) {
    EXPECT_EQ(workers, threads);
  }
}

}  // namespace
}  // namespace roofline::cpu
