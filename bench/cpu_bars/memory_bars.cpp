// Streams beside their peers, the cache staircase, and the time of calls of any size.
#include <algorithm>
#include <cmath>
#include <map>

#include "bar_parts.hpp"

namespace bars {
namespace {

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

}  // namespace

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
  out.reserve(errors.size());
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

}  // namespace bars
