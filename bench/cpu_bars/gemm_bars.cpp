// GEMM against the peak of the units it runs on.
#include <algorithm>

#include "bar_parts.hpp"

namespace bars {
namespace {

/// GEMM over FMA peak, both at the clock of their samples.
std::optional<double> of_peak(const Points& points, const std::string& dtype,
                              const std::string& id) {
  return ratio(points.flop_per_s(id), points.flop_per_s(peak(dtype)));
}

}  // namespace

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

}  // namespace bars
