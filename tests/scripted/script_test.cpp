// The format of scripts: what is read, and how each fault is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/scripted/script.hpp"
#include "roofline/error.hpp"

namespace roofline::scripted {
namespace {

std::string fault(const std::string& text, const std::string& origin = "m.script") {
  try {
    (void)parse_script(text, origin);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Script, NothingAtAllIsAMachineThatCanDoNothing) {
  const Script script = parse_script("", "m.script");
  EXPECT_EQ(script.label, "m.script");
  EXPECT_TRUE(script.peaks.empty());
  EXPECT_TRUE(script.rules.empty());
}

TEST(Script, EveryStatementOfTheDevice) {
  const Script script = parse_script(
      "# a machine\n"
      "name \"Toy \\\"one\\\" \\\\ two\"   # quotes within quotes\n"
      "\tseed\t9\r\n"
      "\n"
      "threads 4\n"
      "memory 2GiB\n"
      "clock 1.5GHz\n"
      "throttle 3s 60%\n"
      "heat 1.5s 80% sw_thermal\n"
      "pace 0.5\n"
      "fact driver \"535.1\"\n"
      "fact cores 12\n"
      "fact share 0.25\n"
      "fact boost true\n"
      "fact mode eco\n"
      "fact digits \"12\"\n"
      "peak fp32 1TFLOP/s\n"
      "peak int8 4TOP/s\n"
      "bandwidth dram 100GB/s\n"
      "bandwidth dram copy 90GB/s\n"
      "level l2 2MiB\n"
      "overhead graph 1us",
      "m.script");
  EXPECT_EQ(script.name, "Toy \"one\" \\ two");
  EXPECT_EQ(script.seed, 9U);
  EXPECT_EQ(script.threads, 4U);
  EXPECT_EQ(script.memory, 2147483648U);
  EXPECT_EQ(in_hertz(script.clock.value()), 1.5e9);
  EXPECT_EQ(in_second(script.throttle.value().after), 3);
  EXPECT_EQ(script.throttle.value().fraction, 0.6);
  EXPECT_EQ(in_second(script.heat.value().after), 1.5);
  EXPECT_EQ(script.heat.value().fraction, 0.8);
  EXPECT_EQ(script.heat_event, ClockEvent::sw_thermal);
  EXPECT_EQ(script.pace, 0.5);
  const Facts facts{{"driver", std::string("535.1")},
                    {"cores", std::uint64_t{12}},
                    {"share", 0.25},
                    {"boost", true},
                    {"mode", std::string("eco")},
                    {"digits", std::string("12")}};
  EXPECT_EQ(script.facts, facts);
  EXPECT_EQ(in_flop_per_s(script.peaks.at(DType::fp32)), 1e12);
  EXPECT_EQ(in_flop_per_s(script.peaks.at(DType::int8)), 4e12);
  ASSERT_EQ(script.bandwidths.size(), 2U);
  EXPECT_FALSE(script.bandwidths[0].mix);
  EXPECT_EQ(script.bandwidths[1].mix, StreamKind::copy);
  EXPECT_EQ(in_byte_per_s(script.bandwidths[1].rate), 90e9);
  EXPECT_EQ(script.levels.at(Boundary::l2), 2097152U);
  EXPECT_NEAR(in_second(script.overheads.at(LaunchPath::graph)), 1e-6, 1e-18);
}

TEST(Script, SectionsOfDevicesReplaceWhatHoldsForAll) {
  const auto devices = parse_devices(
      "clock 2GHz\npeak fp32 1TFLOP/s\nbandwidth dram 100GB/s\nbandwidth dram copy 90GB/s\n"
      "fact cores 12\npoint * noise=1%\n"
      "device cuda:0 \"One\"\n"
      "device cuda:1\nname Two\nbandwidth dram 50GB/s\nfact cores 6\nclock 1GHz\n"
      "point stream/* noise=5%\n",
      "m.script");
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].id, "cuda:0");
  EXPECT_EQ(devices[0].name, "One");
  EXPECT_EQ(devices[1].name, "Two");
  EXPECT_EQ(in_flop_per_s(devices[1].peaks.at(DType::fp32)), 1e12) << "stated for all";
  EXPECT_EQ(in_hertz(*devices[0].clock), 2e9);
  EXPECT_EQ(in_hertz(*devices[1].clock), 1e9);
  ASSERT_EQ(devices[1].bandwidths.size(), 2U) << "one replaced, one as for all";
  for (const StatedBandwidth& stated : devices[1].bandwidths)
    EXPECT_EQ(in_byte_per_s(stated.rate), stated.mix ? 90e9 : 50e9);
  EXPECT_EQ(devices[0].facts, (Facts{{"cores", std::uint64_t{12}}}));
  EXPECT_EQ(devices[1].facts, (Facts{{"cores", std::uint64_t{6}}}));
  EXPECT_EQ(behaviour_of(devices[0], {"stream/fp64/read"}).noise, 0.01);
  EXPECT_EQ(behaviour_of(devices[1], {"stream/fp64/read"}).noise, 0.05);
  EXPECT_EQ(parse_script("name Only\n", "m.script").id, "scripted");
}

TEST(Script, ADeviceHasAnIdAndOneSection) {
  const auto refused = [](const std::string& text) {
    try {
      (void)parse_devices(text, "m.script");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refused("device A100\n").find("'A100' is no id"), std::string::npos);
  EXPECT_NE(refused("device all\n").find("'all'"), std::string::npos);
  EXPECT_NE(refused("device cpu\ndevice cpu\n").find("line 2"), std::string::npos);
  EXPECT_NE(refused("device a\nclock 1GHz\nclock 2GHz\n").find("keep one"), std::string::npos);
  EXPECT_EQ(refused("clock 1GHz\ndevice a\nclock 2GHz\n"), "accepted");
  EXPECT_NE(refused("device a\nthrottle 1s 50%\n").find("clock"), std::string::npos);
}

TEST(Script, TheLinkHasWays) {
  const Script script =
      parse_script("bandwidth link 25GB/s\nbandwidth link to_host 20GB/s\n", "m.script");
  ASSERT_EQ(script.bandwidths.size(), 2U);
  EXPECT_EQ(script.bandwidths[1].direction, TransferDirection::to_host);
  EXPECT_THROW((void)parse_script("bandwidth link copy 20GB/s\n", "m.script"), InputError);
  EXPECT_THROW((void)parse_script("bandwidth dram to_host 20GB/s\n", "m.script"), InputError);
}

TEST(Script, EveryKeyOfAPoint) {
  const Script script = parse_script(
      "clock 2GHz\n"
      "point * time=1.2ms overhead=3us efficiency=80% traffic_factor=1.5 noise=2%\n"
      "point * distribution=bimodal slow_start=3:0.2s drift=2%/s clock=1GHz throttle=0s:50%\n"
      "point * contention=2s-4s:60% placement=far far=0.7 flip=0.5s prepare=1s verify=10ms\n"
      "point * unsupported=\"no units\" incorrect=wrong unverified=\"too big\" failure=\"a = b\"\n"
      "point * power=650.5W temperature=64 clock_events=sw_power_cap+hw_thermal\n"
      "point * fail_at=3 lost hang fact.provider=\"x y\" fact.calls=7",
      "m.script");
  const Behaviour b = behaviour_of(script, {"gemm/fp32/1x1x1"});
  EXPECT_NEAR(in_second(b.time.value()), 1.2e-3, 1e-18);
  EXPECT_NEAR(in_second(b.overhead.value()), 3e-6, 1e-18);
  EXPECT_EQ(b.efficiency, 0.8);
  EXPECT_EQ(b.traffic_factor, 1.5);
  EXPECT_EQ(b.noise, 0.02);
  EXPECT_EQ(b.distribution, Distribution::bimodal);
  EXPECT_EQ(b.slow_start.factor, 3);
  EXPECT_EQ(in_second(b.slow_start.settle), 0.2);
  EXPECT_EQ(b.drift, 0.02);
  EXPECT_EQ(in_hertz(b.clock.value()), 1e9);
  EXPECT_EQ(in_second(b.throttle.value().after), 0);
  EXPECT_EQ(b.throttle.value().fraction, 0.5);
  EXPECT_EQ(in_second(b.contention.value().from), 2);
  EXPECT_EQ(in_second(b.contention.value().to), 4);
  EXPECT_EQ(b.contention.value().share, 0.6);
  EXPECT_EQ(b.placement, "far");
  EXPECT_EQ(b.far, 0.7);
  EXPECT_EQ(in_second(b.flip.value()), 0.5);
  EXPECT_EQ(in_second(b.prepare), 1);
  EXPECT_NEAR(in_second(b.verify), 0.01, 1e-15);
  EXPECT_EQ(b.unsupported, "no units");
  EXPECT_EQ(b.incorrect, "wrong");
  EXPECT_EQ(b.unverified, "too big");
  EXPECT_EQ(b.failure, "a = b");
  EXPECT_EQ(b.telemetry.power_w, 650.5);
  EXPECT_EQ(b.telemetry.temperature_c, 64);
  EXPECT_EQ(b.telemetry.events, (ClockEvents{ClockEvent::sw_power_cap, ClockEvent::hw_thermal}));
  EXPECT_EQ(b.fail_at, 3U);
  EXPECT_TRUE(b.lost);
  EXPECT_TRUE(b.hangs);
  const Facts facts{{"provider", std::string("x y")}, {"calls", std::uint64_t{7}}};
  EXPECT_EQ(b.facts, facts);
}

TEST(Script, ContentionAtRandom) {
  const Script script = parse_script("point * contention=5%:0.5", "m.script");
  const Contention found = behaviour_of(script, {"gemm/fp32/1x1x1"}).contention.value();
  EXPECT_EQ(found.probability, 0.05);
  EXPECT_EQ(found.share, 0.5);
}

TEST(Script, LaterLinesOverrideWhatTheyNameAndNothingElse) {
  const Script script = parse_script(
      "point * efficiency=90% noise=1% fact.a=1 fact.b=2\n"
      "point gemm/* efficiency=50% fact.a=3\n"
      "point gemm/*/8x8x8 efficiency=40%\n"
      "point gemm/fp?? noise=5%\n",
      "m.script");
  EXPECT_EQ(behaviour_of(script, {"stream/fp64/triad"}).efficiency, 0.9);
  const Behaviour other = behaviour_of(script, {"gemm/fp32/4x4x4"});
  EXPECT_EQ(other.efficiency, 0.5);
  EXPECT_EQ(other.noise, 0.01);
  const Facts facts{{"a", std::uint64_t{3}}, {"b", std::uint64_t{2}}};
  EXPECT_EQ(other.facts, facts);
  EXPECT_EQ(behaviour_of(script, {"gemm/fp32/8x8x8"}).efficiency, 0.4);
}

TEST(Script, Globs) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("a*c", "abbc"));
  EXPECT_TRUE(glob_match("a*b*c", "a/b/b/c"));
  EXPECT_TRUE(glob_match("T=?_*", "T=8_16x16"));
  EXPECT_TRUE(glob_match("**", "x"));
  EXPECT_FALSE(glob_match("a*c", "abcd"));
  EXPECT_FALSE(glob_match("?", ""));
  EXPECT_FALSE(glob_match("gemm", "gemm/x"));
  // As many stars as a line holds must not take for ever.
  std::string stars;
  for (int i = 0; i < 300; ++i) stars += "*a";
  EXPECT_FALSE(glob_match(stars, std::string(5000, 'a') + "b"));
}

struct Fault {
  const char* line;
  std::vector<const char*> named;  ///< what the error must name: the word and the way out
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.line; }

class Refused : public testing::TestWithParam<Fault> {};

TEST_P(Refused, NamesTheLineTheWordAndAWayOut) {
  const std::string said = fault("# first\n" + std::string(GetParam().line) + "\n");
  EXPECT_TRUE(said.starts_with("script m.script line 2")) << said;
  for (const char* const word : GetParam().named)
    EXPECT_NE(said.find(word), std::string::npos) << said << " lacks " << word;
  EXPECT_EQ(said.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Statements, Refused,
    testing::Values(
        Fault{"bandwith dram 1GB/s", {"'bandwith'", "bandwidth", "point"}},
        Fault{"name", {"'name'", "0 values", "name \"Toy"}},
        Fault{"name Toy accelerator", {"2 values", "\"Toy"}}, Fault{"name \"Toy", {"quote"}},
        Fault{"name \"a\\n\"", {"\\"}}, Fault{"name \"\xff\"", {"UTF-8"}},
        Fault{"name \"\xed\xa0\x80\"", {"UTF-8"}}, Fault{"name \"\xc0\xaf\"", {"UTF-8"}},
        Fault{"name \"\x1b[31m\"", {"control character"}},
        Fault{"seed -1", {"seed", "'-1'", "whole number"}},
        Fault{"seed 18446744073709551616", {"whole number"}}, Fault{"threads 0", {"'0'", "1 and"}},
        Fault{"threads 1e9", {"'1e9'"}}, Fault{"memory 0B", {"'0B'"}},
        Fault{"memory 2048TiB", {"1024TiB"}}, Fault{"memory 16Gb", {"bits"}},
        Fault{"clock 2", {"clock", "unit", "MHz"}}, Fault{"clock 0GHz", {"zero"}},
        Fault{"clock 2000THz", {"between"}}, Fault{"pace -1", {"negative"}},
        Fault{"pace 11", {"between"}}, Fault{"throttle 5s", {"throttle 5s 60%"}},
        Fault{"throttle 5s 120%", {"'120%'", "between"}},
        Fault{"throttle 5s 50%", {"core clock", "clock 2GHz"}},
        Fault{"heat 5s 50%", {"core clock", "clock 2GHz"}}, Fault{"heat 5s", {"heat 1s 85%"}},
        Fault{"heat 5s 50% cold", {"'cold'", "sw_power_cap"}},
        Fault{"point * clock_events=hot", {"'hot'", "hw_thermal"}},
        Fault{"point * power=700", {"'700'", "700W"}}, Fault{"point * power=xW", {"'x'"}},
        Fault{"fact Driver 1", {"'Driver'", "lower-case"}},
        Fault{"fact backend cpu", {"'backend'", "leave the line out"}},
        Fault{"fact script x", {"'script'"}}, Fault{"peak fp33 1TFLOP/s", {"'fp33'", "fp32"}},
        Fault{"peak int32 1TFLOP/s", {"'int32'", "int8"}},
        Fault{"peak fp32 1TB/s", {"peak", "'1TB/s'", "TFLOP/s"}},
        Fault{"peak fp32 nanTFLOP/s", {"peak"}}, Fault{"peak fp32 1e400FLOP/s", {"out of range"}},
        Fault{"peak fp32 1e25FLOP/s", {"1e24"}}, Fault{"peak fp32 -1TFLOP/s", {"negative"}},
        Fault{"bandwidth l4 1GB/s", {"'l4'", "dram, l3"}},
        Fault{"bandwidth dram fast 1GB/s", {"'fast'", "triad"}},
        Fault{"bandwidth dram 1e22B/s", {"1e21"}}, Fault{"bandwidth dram 8Gb/s", {"bits"}},
        Fault{"level dram 1GiB", {"'dram'", "l3, l2, l1"}}, Fault{"level l2 0B", {"'0B'"}},
        Fault{"overhead call 1us", {"'call'", "kernel, library, graph"}},
        Fault{"overhead kernel 0s", {"zero"}}, Fault{"overhead kernel 4", {"unit", "ms"}}));

INSTANTIATE_TEST_SUITE_P(
    Points, Refused,
    testing::Values(
        Fault{"point gemm/*", {"1 value ", "efficiency=80%"}},
        Fault{"point gem/* noise=1%", {"'gem/*'", "gemm", "gemm/*"}},
        Fault{"point gemm noise=1%", {"'gemm'"}}, Fault{"point foo* noise=1%", {"'foo*'"}},
        Fault{"point * nois=1%", {"'nois'", "noise"}},
        Fault{"point * noise", {"'noise'", "KEY=VALUE"}},
        Fault{"point * noise=1% noise=2%", {"'noise'", "twice"}},
        Fault{"point * noise=", {"noise", "empty"}}, Fault{"point * noise=nan", {"noise", "'nan'"}},
        Fault{"point * noise=inf", {"noise"}}, Fault{"point * noise=-1%", {"negative"}},
        Fault{"point * noise=101%", {"between 0 and 1"}}, Fault{"point * noise=1%%", {"noise"}},
        Fault{"point * efficiency=0", {"between 0.001"}},
        Fault{"point * efficiency=1e99", {"efficiency"}},
        Fault{"point * time=5", {"time", "unit", "1.5ms"}}, Fault{"point * time=0s", {"zero"}},
        Fault{"point * time=1e7s", {"1e6s"}}, Fault{"point * time=1e-13s", {"1e-12s"}},
        Fault{"point * distribution=gauss", {"'gauss'", "normal"}},
        Fault{"point * slow_start=3", {"'3'", "3:0.2s"}},
        Fault{"point * slow_start=3:0s", {"slow_start"}}, Fault{"point * drift=2%", {"/s"}},
        Fault{"point * drift=2%/h", {"/s"}}, Fault{"point * clock=1GHz", {"clock 2GHz"}},
        Fault{"point * throttle=1s:50%", {"clock 2GHz"}},
        Fault{"point * throttle=1s", {"throttle=0.5s:60%"}},
        Fault{"point * contention=50%", {"contention=2s-4s:50%"}},
        Fault{"point * contention=4s-2s:50%", {"ends before"}},
        Fault{"point * contention=2s:50%", {"contention=2s-4s:50%"}},
        Fault{"point * contention=10%:0", {"between 0.01"}},
        Fault{"point * placement=middle", {"'middle'", "near or far"}},
        Fault{"point * far=0", {"far"}}, Fault{"point * flip=0s", {"flip"}},
        Fault{"point * fail_at=0", {"fail_at", "'0'"}}, Fault{"point * fail_at=1.5", {"whole"}},
        Fault{"point * hang=-1s", {"hang", "negative"}},
        Fault{"point * fact.Name=1", {"'Name'", "lower-case"}},
        Fault{"point * fact.=1", {"fact"}}));

TEST(Script, TheSameThingTwiceNamesTheSecondLine) {
  EXPECT_TRUE(fault("seed 1\nseed 2").starts_with("script m.script line 2: 'seed'"));
  EXPECT_TRUE(fault("peak fp32 1TFLOP/s\n\npeak fp32 2TFLOP/s")
                  .starts_with("script m.script line 3: 'peak fp32'"));
  EXPECT_EQ(fault("peak fp32 1TFLOP/s\npeak bf16 1TFLOP/s"), "");
  EXPECT_EQ(fault("bandwidth dram 1GB/s\nbandwidth dram copy 1GB/s"), "");
  EXPECT_NE(fault("throttle 1s 50%\nthrottle 2s 50%\nclock 2GHz"), "");
  EXPECT_NE(fault("heat 1s 50%\nheat 2s 60%\nclock 2GHz"), "");
  EXPECT_EQ(fault("point * noise=1%\npoint * noise=1%"), "");
}

TEST(Script, ALineIsOneThatAPersonCanRead) {
  EXPECT_NE(fault("name " + std::string(2000, 'x')).find("longer than"), std::string::npos);
}

TEST(Script, TheOriginStaysOnOneLine) {
  EXPECT_TRUE(fault("x", "a\nb").starts_with("script a?b line 1"));
}

}  // namespace
}  // namespace roofline::scripted
