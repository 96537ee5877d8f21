#include "bars.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace bars {
namespace {

using Strings = std::vector<std::string>;

const Strings kOne = {"--threads", "1"};
const Strings kTwo = {"--threads", "2"};
constexpr int kRounds = 5;

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *b == 0) return std::nullopt;
  return *a / *b;
}

std::string peak(const std::string& dtype) { return "peak/" + dtype + "/registers"; }
std::string gemm(const std::string& dtype, const std::string& shape) {
  return "gemm/" + dtype + "/" + shape;
}

/// A check on a figure of `points`; what it lacks is said by the ids it comes from.
Check check(const std::string& what, std::optional<double> value, std::optional<double> at_least,
            std::optional<double> at_most, const Points& points, const Strings& ids) {
  Check out{what, value, at_least, at_most, {}, false};
  for (const std::string& id : ids) {
    if (value) break;
    if (points.disturbed(id)) out.contended = true;
    if (const std::string why = points.why_not(id); !why.empty()) out.reason = id + ": " + why;
  }
  return out;
}

/// A figure from several rounds with peers between them.
Check of_rounds(const std::string& what, const std::vector<double>& ratios,
                std::optional<double> at_least, std::optional<double> at_most,
                const std::string& reason) {
  Check out{what, std::nullopt, at_least, at_most, reason, false};
  if (!ratios.empty()) out.value = median(ratios);
  return out;
}

/// Share of what two full-width units do in each cycle of the clock under load.
std::optional<double> of_ideal(const Points& points, const std::string& dtype) {
  const std::string id = peak(dtype);
  const auto ideal = points.implementation(id, "ideal_flop_per_cycle");
  return ratio(ratio(points.flop_per_s(id), points.clock_hz(id)), ideal);
}

constexpr const char* kPeaks = R"([{"kind":"peak","dtype":["fp64","fp32","bf16","int8"]}])";

std::vector<Check> bar1(Lab& lab) {
  const Points points = lab.run(R"([{"kind":"peak","dtype":["fp64","fp32"]}])", kOne);
  std::vector<Check> out;
  for (const std::string dtype : {"fp64", "fp32"})
    out.push_back(check(dtype + " FMA peak / ideal at the derived clock", of_ideal(points, dtype),
                        0.97, 1.03, points, {peak(dtype)}));
  return out;
}

std::vector<Check> bar2(Lab& lab) {
  const Points points = lab.run(R"([{"kind":"peak","dtype":["bf16","int8"]}])", kOne);
  return {check("vdpbf16ps / ideal", of_ideal(points, "bf16"), 0.96, 1.03, points, {peak("bf16")}),
          check("vpdpbusd / ideal", of_ideal(points, "int8"), 0.97, 1.03, points, {peak("int8")})};
}

std::vector<Check> bar3(Lab& lab) {
  const Points one = lab.run(kPeaks, kOne);
  const Points narrow =
      lab.run(R"([{"kind":"peak","dtype":"fp32"}])", {"--threads", "1", "--isa", "avx2"});
  const Points again = lab.run(R"([{"kind":"peak","dtype":"fp32"}])", kOne);
  const Points two = lab.run(R"([{"kind":"peak","dtype":"fp32"}])", kTwo);
  const auto rate = [&](const std::string& dtype) { return one.flop_per_s(peak(dtype)); };
  const auto between = [&](const std::string& a, const std::string& b, double slack) {
    return check(a + " / " + b, ratio(rate(a), rate(b)), 2 - slack, 2 + slack, one,
                 {peak(a), peak(b)});
  };
  return {between("fp32", "fp64", 0.06), between("bf16", "fp32", 0.08),
          between("int8", "bf16", 0.08),
          check("AVX-512 / AVX2, fp32",
                ratio(again.flop_per_s(peak("fp32")), narrow.flop_per_s(peak("fp32"))), 1.94, 2.06,
                narrow, {peak("fp32")}),
          check("two threads / one, fp32",
                ratio(two.flop_per_s(peak("fp32")), again.flop_per_s(peak("fp32"))), 1.90, {}, two,
                {peak("fp32")})};
}

std::vector<Check> bar4(Lab& lab) {
  struct Pair {
    const char* dtype;
    const char* kernel;
  };
  std::vector<Check> out;
  for (const Pair& pair :
       {Pair{"fp64", "peakflops_avx512_fma"}, Pair{"fp32", "peakflops_sp_avx512_fma"}}) {
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round) {
      const Points points = lab.run(
          std::string(R"([{"kind":"peak","dtype":")") + pair.dtype + "\"}]", kOne, {0.4, 9});
      const auto r = ratio(points.flop_per_s(peak(pair.dtype)), lab.likwid_flops(pair.kernel, 1));
      if (r) ratios.push_back(*r);
    }
    out.push_back(of_rounds(std::string(pair.dtype) + " FMA peak / likwid-bench " + pair.kernel,
                            ratios, 0.97, 1.03, "likwid-bench has no such kernel here"));
  }
  return out;
}

/// GHz of a chain of dependent multiplications, three cycles each on x86-64.
double multiply_chain_hz() {
#if defined(__x86_64__)
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int part = 0; part < 20; ++part) {
    constexpr int kLinks = 4000;
    unsigned long product = 3;
    const unsigned long factor = 5;
    const auto begin = Clock::now();
    for (int i = 0; i < kLinks; ++i) {
      asm volatile(".rept 64\n imul %1,%0\n .endr\n" : "+r"(product) : "r"(factor) : "cc");
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    best = std::max(best, 3.0 * 64 * kLinks / took.count());
  }
  return best;
#else
  return 0;
#endif
}

std::vector<Check> bar5(Lab& lab) {
  std::vector<double> ratios;
  std::vector<double> clocks;
  Points last{Json{{"points", Json::array()}}};
  for (int round = 0; round < 20; ++round) {
    const double by_product = multiply_chain_hz();
    last = lab.run(R"([{"kind":"peak","dtype":"fp64"}])", kOne, {0.1, 5});
    const auto clock = last.clock_hz(peak("fp64"));
    if (!clock || by_product == 0) continue;
    clocks.push_back(*clock);
    ratios.push_back(*clock / by_product);
  }
  if (clocks.size() < 10) return {check("derived clock", {}, {}, {}, last, {peak("fp64")})};
  return {of_rounds("clock by additions / by multiplications", ratios, 0.98, 1.02, ""),
          Check{"variation of the clock over 20 runs", variation(clocks), {}, 0.02, "", false}};
}

struct StreamPeer {
  std::string point;  ///< entry of a suite
  std::string id;
  std::string kernel;  ///< of likwid-bench
};

/// Ours over the best of the peers, by rounds.
std::vector<double> beside_peers(Lab& lab, const StreamPeer& peer, unsigned threads,
                                 bool with_stream) {
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const Strings options = {"--threads", std::to_string(threads)};
    const Points points = lab.run("[" + peer.point + "]", options, {0.5, 9});
    std::vector<std::optional<double>> theirs = {lab.likwid_bytes(peer.kernel, threads)};
    if (with_stream) {
      theirs.push_back(lab.stream_triad("STREAM", threads));
      theirs.push_back(lab.stream_triad("BABELSTREAM", threads));
    }
    // With several threads a peer may have run in another placement than ours did.
    const Points after = threads > 1 ? lab.run("[" + peer.point + "]", options, {0.3, 5}) : points;
    if (points.placement(peer.id) != after.placement(peer.id)) continue;
    const auto best = *std::max_element(theirs.begin(), theirs.end());
    const auto r = ratio(points.byte_per_s(peer.id), best);
    if (r) ratios.push_back(*r);
  }
  return ratios;
}

const StreamPeer kTriadRegular = {R"({"kind":"stream","stream":"triad","stores":"regular"})",
                                  "stream/fp64/triad-regular", "stream_avx512_fma"};

std::vector<Check> bar6(Lab& lab) {
  return {of_rounds("triad, regular stores, one thread / best peer",
                    beside_peers(lab, kTriadRegular, 1, true), 0.97, {}, "no peer is here")};
}

std::vector<Check> bar7(Lab& lab) {
  const std::vector<std::pair<std::string, StreamPeer>> pairs = {
      {"triad, non-temporal",
       {R"({"kind":"stream","stream":"triad"})", "stream/fp64/triad", "stream_mem_avx_fma"}},
      {"read", {R"({"kind":"stream","stream":"read"})", "stream/fp64/read", "load_avx512"}},
      {"update",
       {R"({"kind":"stream","stream":"update"})", "stream/fp64/update", "update_avx512"}}};
  std::vector<Check> out;
  out.reserve(pairs.size());
  for (const auto& [what, peer] : pairs)
    out.push_back(of_rounds(what + " / likwid-bench " + peer.kernel,
                            beside_peers(lab, peer, 1, false), 0.97, {},
                            "likwid-bench is not here"));
  return out;
}

std::vector<Check> bar8(Lab& lab) {
  return {of_rounds("triad, regular stores, two threads in one placement / best peer",
                    beside_peers(lab, kTriadRegular, 2, true), 0.95, {},
                    "no peer is here, or the placement changed in every round")};
}

std::vector<Check> bar9(Lab& lab) {
  const Points points =
      lab.run(R"([{"kind":"stream","stream":"triad"},)" + kTriadRegular.point + "]", kOne);
  const std::string best = "stream/fp64/triad";
  std::vector<Check> out = {
      check("triad, non-temporal / regular",
            ratio(points.byte_per_s(best), points.byte_per_s(kTriadRegular.id)), 1.2, 1.5, points,
            {best, kTriadRegular.id})};
  if (const Json* const regular = points.find(kTriadRegular.id)) {
    const Json& traffic = regular->at("traffic_byte");
    out.push_back({"moved / counted bytes of the regular one",
                   traffic.at("moved").get<double>() / traffic.at("total").get<double>(), 1.33,
                   1.34, "", false});
  }
  return out;
}

std::vector<Check> bar10(Lab& lab) {
  const Points points =
      lab.run(R"([{"kind":"stream","stream":"read","level":["l1","l2","l3","dram"]}])", kOne);
  const std::string l1 = "stream/fp64/read-l1";
  const std::string l2 = "stream/fp64/read-l2";
  const std::string l3 = "stream/fp64/read-l3";
  const std::string dram = "stream/fp64/read";
  const auto plateau = [&](const std::string& a, const std::string& b, double least) {
    return check(a + " / " + b, ratio(points.byte_per_s(a), points.byte_per_s(b)), least, {},
                 points, {a, b});
  };
  std::vector<Check> out = {check("L1 read, share of 128 byte a cycle",
                                  ratio(ratio(points.byte_per_s(l1), points.clock_hz(l1)), 128.0),
                                  0.93, 1.03, points, {l1}),
                            plateau(l1, l2, 1.8), plateau(l2, l3, 1.3), plateau(l3, dram, 2)};
  const auto l3_size = points.report().at("environment").find("l3_byte");
  const auto set = points.implementation(dram, "array_byte");
  if (set && l3_size != points.report().at("environment").end() && l3_size->is_number())
    out.push_back({"DRAM array / L3", *set / l3_size->get<double>(), 8.0, {}, "", false});
  return out;
}

std::vector<Check> bar11(Lab& lab) {
  constexpr const char* kPoints = R"([{"kind":"stream","stream":"read"},
    {"kind":"matvec","weights":["fp32","bf16"],"rows":1,"shape":"4096x14336"},
    {"kind":"matvec","weights":"int8","activations":"fp32","rows":1,"shape":"4096x14336"}])";
  std::vector<Check> out;
  for (const Strings& threads : {kOne, kTwo}) {
    const Points points = lab.run(kPoints, threads);
    const std::string read = "stream/fp64/read";
    const std::vector<std::tuple<std::string, std::string, double>> cases = {
        {"fp32", "matvec/fp32/T=1_4096x14336", 0.93},
        {"bf16", "matvec/bf16/T=1_4096x14336", 0.93},
        {"int8", "matvec/int8-by-fp32/T=1_4096x14336", 0.90}};
    for (const auto& [what, id, least] : cases) {
      const bool together = points.placement(id) == points.placement(read);
      const auto value = together ? ratio(points.byte_per_s(id), points.byte_per_s(read))
                                  : std::optional<double>{};
      Check made = check(what + " matvec / read, " + threads[1] + " thread(s)", value, least, {},
                         points, {id, read});
      if (!together) {
        made.contended = true;
        made.reason = "the placement changed between the two";
      }
      out.push_back(made);
    }
  }
  return out;
}

/// GEMM over FMA peak, both at the clock of their samples.
std::optional<double> of_peak(const Points& points, const std::string& dtype,
                              const std::string& id) {
  return ratio(points.flop_per_s(id), points.flop_per_s(peak(dtype)));
}

std::vector<Check> bar12(Lab& lab) {
  const Points points = lab.run(
      R"([{"kind":"peak","dtype":["fp32","bf16","int8"]},{"kind":"gemm","dtype":["fp32","bf16","int8"],
          "shape":["512x512x512","1024x1024x1024","2048x2048x2048"]}])",
      kOne);
  std::vector<Check> out;
  for (const auto& [dtype, least] :
       {std::pair{"fp32", 0.92}, std::pair{"bf16", 0.92}, std::pair{"int8", 0.94}}) {
    std::optional<double> best;
    Strings ids = {peak(dtype)};
    for (const char* n : {"512", "1024", "2048"}) {
      ids.push_back(gemm(dtype, std::string(n) + "x" + n + "x" + n));
      best = std::max(best, of_peak(points, dtype, ids.back()));
    }
    out.push_back(check(std::string(dtype) + " GEMM, best of three sizes / FMA peak", best, least,
                        {}, points, ids));
  }
  return out;
}

std::vector<Check> bar13(Lab& lab) {
  constexpr const char* kPoints = R"([{"kind":"peak","dtype":["fp32","bf16","int8"]},
    {"kind":"gemm","dtype":["fp32","bf16","int8"],"shape":"4096x4096x4096"}])";
  struct Case {
    const char* dtype;
    double one;
    double two;
  };
  std::vector<Check> out;
  for (const Strings& threads : {kOne, kTwo}) {
    const Points points = lab.run(kPoints, threads, {2, 5});
    for (const Case& c :
         {Case{"fp32", 0.88, 0.85}, Case{"bf16", 0.80, 0.76}, Case{"int8", 0.86, 0.83}}) {
      const std::string id = gemm(c.dtype, "4096x4096x4096");
      out.push_back(check(std::string(c.dtype) + " GEMM 4096, " + threads[1] + " thread(s) / peak",
                          of_peak(points, c.dtype, id), threads == kOne ? c.one : c.two, {}, points,
                          {id, peak(c.dtype)}));
    }
  }
  return out;
}

std::vector<Check> bar14(Lab& lab) {
  constexpr const char* kPoints = R"([{"kind":"peak","dtype":"fp64"},
    {"kind":"gemm","dtype":"fp64","shape":["1024x1024x1024","2048x2048x2048"]}])";
  const auto best = [](const Points& points) {
    return std::max(of_peak(points, "fp64", gemm("fp64", "1024x1024x1024")),
                    of_peak(points, "fp64", gemm("fp64", "2048x2048x2048")));
  };
  const Strings ids = {peak("fp64"), gemm("fp64", "2048x2048x2048")};
  const Points wide = lab.run(kPoints, kOne, {}, {"OPENBLAS_CORETYPE=SkylakeX"});
  const Points narrow =
      lab.run(kPoints, {"--threads", "1", "--isa", "avx2"}, {}, {"OPENBLAS_CORETYPE=Haswell"});
  std::vector<Check> out = {
      check("fp64 GEMM, AVX-512 core / AVX-512 peak", best(wide), 0.73, {}, wide, ids),
      check("fp64 GEMM, Haswell core / AVX2 peak", best(narrow), 0.86, {}, narrow, ids)};
  for (const Points* points : {&wide, &narrow}) {
    const Json* const point = points->find(ids[1]);
    const bool named = point != nullptr && point->at("implementation").contains("library_core") &&
                       point->at("implementation").at("library_core").is_string();
    out.push_back({"the core is named in the record", named ? 1.0 : 0.0, 1.0, {}, "", false});
  }
  return out;
}

std::vector<Check> bar15(Lab& lab) {
  const Points points = lab.run(
      R"([{"kind":"peak","dtype":["fp32","bf16","int8"]},{"kind":"stream","stream":"read"},
          {"kind":"gemm","dtype":["fp32","bf16","int8"],"shape":"128x4096x4096"},
          {"kind":"gemm","dtype":["bf16","int8"],"shape":"1x4096x4096"}])",
      kOne);
  std::vector<Check> out;
  for (const auto& [dtype, least] :
       {std::pair{"fp32", 0.83}, std::pair{"bf16", 0.80}, std::pair{"int8", 0.80}}) {
    const std::string id = gemm(dtype, "128x4096x4096");
    out.push_back(check(std::string(dtype) + " GEMM, 128 rows / peak", of_peak(points, dtype, id),
                        least, {}, points, {id, peak(dtype)}));
  }
  for (const std::string dtype : {"bf16", "int8"}) {
    const std::string id = gemm(dtype, "1x4096x4096");
    out.push_back(check(dtype + " GEMM, one row / read bandwidth",
                        ratio(points.byte_per_s(id), points.byte_per_s("stream/fp64/read")), 0.85,
                        {}, points, {id, "stream/fp64/read"}));
  }
  return out;
}

std::vector<Check> bar16(Lab& lab) {
  std::vector<double> fma;
  std::vector<double> product;
  std::vector<double> read;
  for (int run = 0; run < 20; ++run) {
    const Points points = lab.run(
        R"([{"kind":"peak","dtype":"fp32"},{"kind":"gemm","dtype":"fp32","shape":"1024x1024x1024"},
            {"kind":"stream","stream":"read"}])",
        kOne, {0.3, 9});
    const std::string probe = peak("fp32");
    if (const auto v = ratio(points.flop_per_s(probe), points.clock_hz(probe))) fma.push_back(*v);
    if (const auto v = points.flop_per_s(gemm("fp32", "1024x1024x1024"))) product.push_back(*v);
    if (const auto v = points.byte_per_s("stream/fp64/read")) read.push_back(*v);
  }
  const auto made = [](const std::string& what, const std::vector<double>& values, double most) {
    Check out{what + ", variation over 20 runs", {}, {}, most, "too few quiet runs", false};
    if (values.size() >= 15) {
      out.value = variation(values);
    } else {
      out.contended = true;
    }
    return out;
  };
  return {made("FMA per cycle, one thread", fma, 0.01),
          made("fp32 GEMM, one thread", product, 0.03), made("DRAM read, one thread", read, 0.05)};
}

/// Every figure more than 3 % above its roof is flagged, in a run of everything.
std::vector<Check> bar17(Lab& lab) {
  const Points points = lab.run(
      R"([{"kind":"peak","dtype":["fp64","fp32","bf16","int8"]},
          {"kind":"stream","stream":["read","write","copy","triad"]},
          {"kind":"gemm","dtype":["fp32","bf16","int8"],"shape":["512x512x512","64x64x64"]},
          {"kind":"matvec","weights":["fp32","bf16"],"rows":[1,8],"shape":["256x256","4096x4096"]}])",
      kTwo, {0.5, 9});
  double unflagged = 0;
  bool judged = false;
  for (const Json& point : points.report().at("points")) {
    judged = judged || point.at("of_ceiling").is_number();
    const bool above = point.at("of_ceiling").is_number() && point.at("of_ceiling") > 1.03;
    if (above && point.at("above_roof") != true) ++unflagged;
  }
  // Without a roof nothing can be above one.
  return {
      {"figures above a roof by more than 3 % without a flag", unflagged, {}, 0.0, "", !judged}};
}

/// Largest relative distance from the median.
double spread(const std::vector<double>& values) {
  const double middle = median(values);
  double out = 0;
  for (const double value : values) out = std::max(out, std::abs(value / middle - 1));
  return out;
}

std::vector<Check> bar18(Lab& lab) {
  struct Series {
    std::string what;
    std::vector<double> values;
  };
  Series fma{"FMA per cycle, one thread", {}};
  // Operands of 0.8 MB lie in the core's own cache, those of 12 MB in one that others may share.
  Series small{"fp32 GEMM of 256 per cycle, one thread", {}};
  Series product{"fp32 GEMM of 1024 per cycle, one thread", {}};
  Series read{"DRAM read, one thread", {}};
  Series triad{"DRAM triad, one thread", {}};
  for (int run = 0; run < 10; ++run) {
    const Points points = lab.run(
        R"([{"kind":"peak","dtype":"fp32"},
            {"kind":"gemm","dtype":"fp32","shape":["256x256x256","1024x1024x1024"]},
            {"kind":"stream","stream":["read","triad"]}])",
        kOne, {4, 200});
    const std::string probe = peak("fp32");
    const std::string n256 = gemm("fp32", "256x256x256");
    const std::string n1024 = gemm("fp32", "1024x1024x1024");
    for (const auto& [series, id] : {std::pair{&fma, &probe}, {&small, &n256}, {&product, &n1024}})
      if (const auto v = ratio(points.flop_per_s(*id), points.clock_hz(*id)))
        series->values.push_back(*v);
    if (const auto v = points.byte_per_s("stream/fp64/read")) read.values.push_back(*v);
    if (const auto v = points.byte_per_s("stream/fp64/triad")) triad.values.push_back(*v);
  }
  const auto made = [](const Series& series, const char* how,
                       double (*figure)(const std::vector<double>&), double most) {
    Check out{series.what + how, {}, {}, most, "a run was disturbed, and says so", false};
    out.contended = series.values.size() < 10;
    if (series.values.size() > 1) out.value = figure(series.values);
    return out;
  };
  return {made(fma, ", farthest of 10 runs from their median", spread, 0.01),
          made(small, ", farthest of 10 runs from their median", spread, 0.01),
          made(product, ", farthest of 10 runs from their median", spread, 0.02),
          made(read, ", variation over 10 runs", variation, 0.03),
          made(triad, ", variation over 10 runs", variation, 0.03)};
}

/// Sets well inside one level each, several per level: what lies between levels is not modelled.
std::vector<Check> bar19(Lab& lab) {
  const Json sizes = lab.run(R"([{"kind":"stream","stream":"read","level":"l1"}])", kOne, {0.1, 3})
                         .report()
                         .at("environment");
  std::vector<double> sets;
  std::optional<double> inner;  // the level before: sets of less than 8 times it are not modelled
  for (const char* level : {"l1d_byte", "l2_byte", "l3_byte"}) {
    const auto found = sizes.find(level);
    if (found == sizes.end() || !found->is_number()) continue;
    const double most = found->get<double>() / 2;
    const double least = inner ? 8 * *inner : most / 8;
    for (int i = 0; least < most && i < 4; ++i)
      sets.push_back(least + (0.98 * most - least) * i / 3);
    inner = 2 * most;
  }
  if (inner) {
    for (const double times : {8.0, 10.0, 12.0, 16.0}) sets.push_back(times * *inner);
  }
  std::string list;
  for (const char* stream : {"read", "triad"}) {
    const double arrays = std::string(stream) == "read" ? 1 : 3;
    for (const double set : sets) {
      // Whole cache lines of doubles; rounded up, so that the least size is not just below it.
      const auto lines = static_cast<std::uint64_t>(set / arrays / 64) + (set < 1e5 ? 0 : 1);
      list += (list.empty() ? "[" : ",") + std::string(R"({"kind":"stream","stores":"regular",)") +
              R"("stream":")" + stream + R"(","elements":)" + std::to_string(lines * 8) + "}";
    }
  }
  const Points points = lab.run(list + "]", kOne, {0.5, 15});
  std::map<std::string, std::vector<double>> errors;  // by stream and level
  for (const Json& point : points.report().at("points")) {
    const std::string id = point.at("id").get<std::string>();
    if (points.find(id) == nullptr || !point.at("modelled_time_s").is_number()) continue;
    const std::string level = point.at("implementation").at("level").get<std::string>();
    const char* stream = id.find("read") == std::string::npos ? "triad in " : "read in ";
    errors[stream + level].push_back(std::abs(
        point.at("modelled_time_s").get<double>() / point.at("time_median_s").get<double>() - 1));
  }
  std::vector<Check> out;
  for (const auto& [what, found] : errors)
    out.push_back({what + ", " + std::to_string(found.size()) +
                       " sizes, each predicted by the others, worst error",
                   *std::max_element(found.begin(), found.end()),
                   {},
                   0.05,
                   "",
                   false});
  if (out.empty())
    out.push_back({"sizes predicted by the others", {}, {}, 0.05, "no level has enough", false});
  return out;
}

constexpr Bar kBars[] = {
    {1, "FMA peak of fp64 and fp32 against lanes x 2 x 2 units x derived clock", bar1},
    {2, "bf16 and int8 dot products against their ideal", bar2},
    {3, "ratios of peaks that need no clock", bar3},
    {4, "FMA peaks beside likwid-bench", bar4},
    {5, "the derived clock: two chains agree, and it is steady", bar5},
    {6, "triad with regular stores beside the best peer, one thread", bar6},
    {7, "non-temporal triad, read and update beside likwid-bench", bar7},
    {8, "triad beside the best peer, two threads in one placement", bar8},
    {9, "write-allocate shows, and moved and counted bytes are both recorded", bar9},
    {10, "the cache staircase", bar10},
    {11, "matvec against the read bandwidth of the same threads", bar11},
    {12, "GEMM, best size, against the FMA peak", bar12},
    {13, "GEMM of 4096 against the FMA peak", bar13},
    {14, "fp64 GEMM against the peak of its core's instruction set", bar14},
    {15, "GEMM of few rows", bar15},
    {16, "variation from run to run", bar16},
    {17, "nothing above a roof goes unflagged", bar17},
    {18, "ten runs of 20 s agree", bar18},
    {19, "the time of a call of any size, predicted by calls of other sizes", bar19},
};

}  // namespace

std::span<const Bar> all_bars() { return kBars; }

}  // namespace bars
