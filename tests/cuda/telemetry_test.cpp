// What NVML says while the simulated device works, and what becomes of a sample by it.
#include "roofline/telemetry.hpp"
#include "over_fake.hpp"

namespace roofline::cuda {
namespace {

class LoadTelemetry : public OverFake {
 protected:
  /// A sample of a stream that lasts for 20 ms, on a device of its own.
  Sample long_sample(const std::string& scenario, const CudaOptions& with = options()) {
    use(scenario);
    const auto gpu = make_cuda_backend(with);
    Point point(*gpu, Stream{.kind = StreamKind::read, .dtype = DType::fp64});
    const double call = point.seconds();
    facts_ = point.run().facts();
    return point.run().time(static_cast<std::uint64_t>(20e-3 / call));
  }
  Facts facts_;
};

TEST_F(LoadTelemetry, IsOfTheDeviceAtWork) {
  const Sample sample = long_sample(kSmallA100);
  const Telemetry& seen = sample.telemetry;
  EXPECT_EQ(sample.disturbance, std::nullopt);
  // An A100's limit is 400 W, of which the simulated load takes 72 %, and an idle device 15 %.
  EXPECT_NEAR(seen.power_w.value_or(0), 0.72 * 400, 1);
  ASSERT_TRUE(seen.clock);
  EXPECT_NEAR(in_hertz(*seen.clock), 1410e6, 1e6) << "not the idle clock";
  EXPECT_GE(seen.temperature_c.value_or(0), 34);
  EXPECT_EQ(seen.events, ClockEvents{});
  EXPECT_EQ(fact_of(facts_, "power_limit_w"), FactValue{400.0});
  EXPECT_EQ(fact_of(facts_, "other_processes"), FactValue{std::uint64_t{0}});
  EXPECT_EQ(fact_of(facts_, "ecc_uncorrected_errors"), FactValue{std::uint64_t{0}});
}

TEST_F(LoadTelemetry, OfIntervalsThatAreOverAtOnceThereIsNone) {
  const auto gpu = backend();
  Point point(*gpu, Stream{.kind = StreamKind::read, .elements = 20'000, .dtype = DType::fp64});
  (void)point.run().time(1);
  EXPECT_EQ(point.run().time(100).telemetry, Telemetry{});
}

TEST_F(LoadTelemetry, HeatAndBrakesMarkTheSample) {
  for (const auto& [reason, event] : {std::pair{"sw_thermal", ClockEvent::sw_thermal},
                                      {"hw_thermal", ClockEvent::hw_thermal},
                                      {"hw_slowdown", ClockEvent::hw_slowdown},
                                      {"hw_power_brake", ClockEvent::hw_power_brake}}) {
    const Sample sample =
        long_sample(std::string(kSmallA100) + "throttle 0s 60% reason=" + reason + "\n");
    EXPECT_EQ(sample.telemetry.events, ClockEvents{event});
    EXPECT_EQ(sample.disturbance, Disturbance::throttled) << reason;
    EXPECT_NEAR(in_hertz(*sample.telemetry.clock), 0.6 * 1410e6, 1e6);
  }
}

TEST_F(LoadTelemetry, ThePowerLimitIsSaidAndMarksNothing) {
  for (const std::string& scenario :
       {std::string(kSmallA100) + "throttle 0s 90% reason=sw_power_cap\n",
        std::string("device a100-80gb l2=256KiB memory=40MiB sms=8 power_limit=200\n")}) {
    const Sample sample = long_sample(scenario);
    EXPECT_EQ(sample.telemetry.events, ClockEvents{ClockEvent::sw_power_cap}) << scenario;
    EXPECT_EQ(sample.disturbance, std::nullopt) << scenario;
  }
}

TEST_F(LoadTelemetry, B070_WithoutNvmlThereIsNoneAndThePointIsMeasured) {
  CudaOptions without = options();
  without.nvml = "/nowhere/libnvidia-ml.so.1";
  const Sample sample = long_sample(kSmallA100, without);
  EXPECT_GT(in_second(sample.duration), 0.01);
  EXPECT_EQ(sample.telemetry, Telemetry{});
  const FactValue why = fact_of(facts_, "telemetry");
  ASSERT_TRUE(std::holds_alternative<Unknown>(why));
  EXPECT_NE(std::get<Unknown>(why).reason.find("/nowhere"), std::string::npos);
}

TEST_F(LoadTelemetry, EachCallMayBeRefusedByItself) {
  const auto without = [&](const std::string& function) {
    return long_sample(std::string(kSmallA100) + "nvml deny " + function + "\n").telemetry;
  };
  const Telemetry no_power = without("nvmlDeviceGetPowerUsage");
  EXPECT_FALSE(no_power.power_w);
  EXPECT_TRUE(no_power.clock && no_power.temperature_c && no_power.events);
  EXPECT_FALSE(without("nvmlDeviceGetClockInfo").clock);
  EXPECT_FALSE(without("nvmlDeviceGetTemperature*").temperature_c);
  EXPECT_FALSE(without("nvmlDeviceGetCurrentClocks*").events);
  const Sample sample = long_sample(std::string(kSmallA100) + "nvml deny nvmlDeviceGetTotalEcc*\n");
  EXPECT_TRUE(sample.telemetry.power_w) << "errors that nobody counts fail no point";
  EXPECT_TRUE(std::holds_alternative<Unknown>(fact_of(facts_, "ecc_uncorrected_errors")));
}

TEST_F(LoadTelemetry, ASliceSaysWhatItsCardDoes) {
  const Sample sample = long_sample("device a100-80gb/2g.20gb l2=256KiB memory=40MiB\n");
  EXPECT_NEAR(sample.telemetry.power_w.value_or(0), 0.72 * 400, 1);
}

TEST_F(LoadTelemetry, MemoryErrorsWhileAPointRunsFailIt) {
  const std::string device = "device a100-80gb l2=256KiB memory=40MiB sms=8 ecc_errors=2";
  try {
    (void)long_sample(device + " ecc_errors_after=15ms\n");
    FAIL() << "two errors were counted";
  } catch (const backend::BackendError& error) {
    EXPECT_NE(std::string(error.what()).find("2 uncorrected memory errors"), std::string::npos)
        << error.what();
  }
  // Those from before are the doctor's business.
  const Sample sample = long_sample(device + "\n");
  EXPECT_GT(in_second(sample.duration), 0.01);
  EXPECT_EQ(fact_of(facts_, "ecc_uncorrected_errors"), FactValue{std::uint64_t{2}});
}

TEST_F(LoadTelemetry, ARestCoolsTheDeviceDown) {
  use(std::string(kSmallA100) + "host real\nthrottle 30ms 50% reason=sw_power_cap\n");
  const auto gpu = backend();
  Point point(*gpu, Stream{.kind = StreamKind::read, .dtype = DType::fp64});
  const auto calls = static_cast<std::uint64_t>(10e-3 / point.seconds());
  // In one go, for the time that the host takes between samples is idle time.
  Sample sample = point.run().time(6 * calls);
  ASSERT_TRUE(power_capped(sample.telemetry)) << "60 ms of load";
  gpu->rest(gpu->devices().front(), second(0.5));
  sample = point.run().time(calls);
  EXPECT_FALSE(power_capped(sample.telemetry));
  EXPECT_NEAR(in_hertz(sample.telemetry.clock.value_or(hertz(0))), 1410e6, 1e6);
}

TEST_F(LoadTelemetry, AnOlderNvmlIsAskedByItsOlderNames) {
  const CudaOptions old{FAKEGPU_FOLDER "/old/libcuda.so.1",
                        FAKEGPU_FOLDER "/old/libnvidia-ml.so.1"};
  const Sample sample = long_sample(kSmallA100, old);
  EXPECT_TRUE(sample.telemetry.events && sample.telemetry.temperature_c);
}

}  // namespace
}  // namespace roofline::cuda
