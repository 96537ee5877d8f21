// Every row of the table of checks, in both directions and unreadable: what severity, what it says
// was found, what to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fake_machine.hpp"
#include "findings_cases.hpp"

namespace roofline::host {
namespace {

const Finding& find(const std::vector<Finding>& list, std::string_view id) {
  for (const Finding& finding : list) {
    if (finding.id == id) return finding;
  }
  static const Finding none;
  ADD_FAILURE() << "no finding " << id;
  return none;
}

TEST(Findings, EveryRowInEveryDirection) {
  for (const Case& c : all_cases()) {
    Evidence e = quiet();
    c.change(e);
    const auto list = findings(e);
    const Finding& found = find(list, c.id);
    SCOPED_TRACE(std::string(c.id) + ": " + found.found + " | " + found.remedy.action);
    EXPECT_EQ(name(found.severity), name(c.severity));
    EXPECT_NE(found.found.find(c.found), std::string::npos) << c.found;
    const std::string remedy = found.remedy.action + " | " + found.remedy.without_root;
    EXPECT_NE(remedy.find(c.remedy), std::string::npos) << c.remedy;
    const bool harmless = c.severity == Severity::ok || c.severity == Severity::unknown;
    EXPECT_EQ(found.remedy.action.empty(), harmless);
    EXPECT_FALSE(found.effect.empty());
    // Who has no root is told what else there is.
    EXPECT_EQ(found.remedy.needs_root, !found.remedy.without_root.empty());
  }
}

TEST(Findings, NoRowIsWithoutCases) {
  std::set<std::pair<std::string_view, Severity>> seen;
  for (const Case& c : all_cases()) seen.insert({c.id, c.severity});
  // These are told from what is always there.
  const std::set<std::string_view> always_known{"power_profile", "nvidia_driver"};
  std::set<std::string_view> ids;
  for (const std::string_view id : check_ids()) {
    EXPECT_TRUE(ids.insert(id).second) << id << " is there twice";
    const bool harmless = seen.count({id, Severity::ok}) != 0 || id == "boost";
    EXPECT_TRUE(harmless) << id << " has no case in which all is well";
    EXPECT_TRUE(seen.count({id, Severity::spoils}) + seen.count({id, Severity::lowers}) +
                    seen.count({id, Severity::note}) !=
                0)
        << id << " has no case in which something is found";
    EXPECT_NE(seen.count({id, Severity::unknown}) != 0, always_known.count(id) != 0)
        << id << " unreadable";
  }
}

TEST(Findings, NothingIsWrongWithAQuietMachine) {
  for (const Finding& finding : findings(quiet())) {
    EXPECT_EQ(name(finding.severity), finding.id == "boost" ? "note" : "ok") << finding.id;
  }
}

TEST(Findings, WhatWasNotReadIsUnknownAndNeverOk) {
  const auto list = findings({});
  for (const Finding& finding : list) {
    const bool told = finding.id == "power_profile" || finding.id == "nvidia_driver";
    EXPECT_EQ(finding.severity == Severity::unknown, !told) << finding.id;
  }
}

TEST(Findings, TheWorstComesFirst) {
  Evidence e = quiet();
  e.conditions.load = 9;
  e.host.huge_pages.reset();
  e.conditions.memory_pressure = 0.5;
  const auto list = findings(e);
  // Of GPUs only that there is none.
  const auto ids = check_ids();
  const auto of_gpus = std::count_if(ids.begin(), ids.end(),
                                     [](std::string_view id) { return id.starts_with("gpu_"); });
  ASSERT_EQ(list.size() + static_cast<std::size_t>(of_gpus), ids.size());
  EXPECT_EQ(list[0].id, "memory_pressure");
  EXPECT_EQ(list[1].id, "load_average");
  EXPECT_EQ(list[2].id, "huge_pages");
  EXPECT_EQ(list[3].id, "boost");
  EXPECT_EQ(list[4].severity, Severity::ok);
}

TEST(Findings, B181_AFractionOfACpuIsMeasuredWithWholeThreadsInstead) {
  Evidence e = quiet();
  e.host.limits.cpus = 2.5;
  EXPECT_EQ(find(findings(e), "cpu_quota").remedy.without_root, "roofline run --threads 2");
}

TEST(Findings, OfSeveralGpusTheWorstDecidesAndAllThatIsAmissIsSaid) {
  Evidence e = quiet();
  e.gpus.emplace();
  const auto with = [](const char* id, FactValue others) {
    return Gpu{id, "GPU", {}, {{"other_processes", std::move(others)}}};
  };
  e.gpus->devices = {with("cuda:0", std::uint64_t{0}), with("cuda:1", Unknown{"who knows"}),
                     with("cuda:2", std::uint64_t{2}), with("cuda:3", Unknown{"who knows"})};
  const auto list = findings(e);
  const Finding& found = find(list, "gpu_processes");
  EXPECT_EQ(name(found.severity), "spoils");
  EXPECT_EQ(found.found,
            "cuda:1, cuda:3: who knows; cuda:2: 2 other processes have a context on it");
  // A fact that is not there is not in order either.
  EXPECT_EQ(name(find(list, "gpu_ecc").severity), "unknown");
  EXPECT_NE(find(list, "gpu_ecc").found.find("ecc is not told"), std::string::npos);
}

TEST(Findings, WithoutAGpuTheirChecksAreNotThere) {
  Evidence e = quiet();
  e.gpus = Gpus{{}, "none"};
  for (const Finding& finding : findings(e))
    EXPECT_FALSE(finding.id.starts_with("gpu_")) << finding.id;
}

TEST(Findings, AMachineLaidOutAsFiles) {
  const FakeMachine machine;
  machine.write("/sys/devices/system/cpu/online", "0-3\n");
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    machine.cpu(cpu, cpu % 2 == 0 ? "0,2" : "1,3");
    machine.cache(cpu, 3, 3, "Unified", "32768K", "0-3");
    machine.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor",
                  "ondemand\n");
  }
  machine.write("/sys/devices/system/node/online", "0-1\n");
  machine.write("/proc/sys/kernel/numa_balancing", "1\n");
  machine.write("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor\n");
  machine.write("/proc/meminfo", "MemTotal: 1048576 kB\nMemAvailable: 262144 kB\n");
  machine.write("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
  Evidence e;
  e.host = read_host(machine.root());
  e.conditions = read_conditions(machine.root(), e.host.allowed_cpus);
  const auto list = findings(e);
  EXPECT_EQ(name(find(list, "memory_size").severity), "spoils");
  EXPECT_EQ(find(list, "smt").found, "SMT is on: 4 hardware threads on 2 cores");
  for (const char* id : {"governor", "numa_balancing", "virtual_machine", "huge_pages"})
    EXPECT_EQ(name(find(list, id).severity), "lowers") << id;
}

}  // namespace
}  // namespace roofline::host
