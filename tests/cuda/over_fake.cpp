#include "over_fake.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "roofline/account.hpp"

namespace roofline::cuda {

OverFake::OverFake()
    : scenario_file_(testing::TempDir() + "over-fake-" + std::to_string(getpid()) + ".scenario") {
  unsetenv("CUDA_VISIBLE_DEVICES");
  use(kSmallA100);
}

OverFake::~OverFake() {
  unsetenv("CUDA_VISIBLE_DEVICES");
  forget();
  std::remove(scenario_file_.c_str());
}

void OverFake::use(const std::string& scenario) {
  std::ofstream(scenario_file_) << scenario;
  setenv("FAKEGPU", scenario_file_.c_str(), 1);
  forget();
}

void OverFake::forget() {
  void* const library = dlopen(FAKEGPU_FOLDER "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto reset = reinterpret_cast<void (*)()>(dlsym(library, "fakegpu_reset"));
  ASSERT_NE(reset, nullptr);
  reset();
}

CudaOptions OverFake::options() {
  return {FAKEGPU_FOLDER "/libcuda.so.1", FAKEGPU_FOLDER "/libnvidia-ml.so.1",
          FAKEGPU_FOLDER "/libcublasLt.so.13"};
}

Point::Point(backend::Backend& backend, const Workload& workload, std::size_t index) {
  const backend::Device device = backend.devices().at(index);
  const auto answer = backend.supports(workload, device);
  if (const auto* no = std::get_if<backend::Unsupported>(&answer))
    throw std::runtime_error("not supported: " + no->reason);
  workload_ = std::get<Workload>(answer);
  run_ = backend.prepare(workload_, device);
}

double Point::seconds() {
  constexpr double kLong = 5e-3;
  Sample sample = run_->time(1);
  sample = run_->time(1);
  const double one = std::max(in_second(sample.duration), 1e-9);
  const auto wanted = static_cast<std::uint64_t>(std::clamp(kLong / one, 1.0, 1e5));
  sample = run_->time(wanted);
  return in_second(sample.duration) / static_cast<double>(sample.iterations);
}

double Point::bytes_per_second() {
  return total_traffic(account(workload_)).as_double() / seconds();
}

FactValue fact_of(const Facts& facts, const std::string& key) {
  for (const Fact& fact : facts) {
    if (fact.key == key) return fact.value;
  }
  return Unknown{"there is no fact " + key};
}

testing::AssertionResult verified(const Verification& verification) {
  if (verification.state == VerificationState::verified) return testing::AssertionSuccess();
  return testing::AssertionFailure() << verification.detail;
}

std::string refused(backend::Backend& backend, const Workload& workload) {
  const auto answer = backend.supports(workload, backend.devices().at(0));
  const auto* no = std::get_if<backend::Unsupported>(&answer);
  return no == nullptr ? "" : no->reason;
}

std::string failure(backend::Backend& backend, const Workload& workload) {
  try {
    Point point(backend, workload);
    (void)point.run().verify();
    (void)point.run().time(3);
    return "";
  } catch (const backend::DeviceLost& error) {
    return std::string("lost: ") + error.what();
  } catch (const backend::Refused& error) {
    return std::string("refused: ") + error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace roofline::cuda
