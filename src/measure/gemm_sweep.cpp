#include "measure/gemm_sweep.hpp"

namespace roofline::measure {

std::vector<Workload> points_of(const GemmSweep& sweep) {
  std::vector<Workload> out;
  Gemm point = sweep.common;
  for (const DType input : sweep.inputs) {
    point.input = input;
    for (const auto& shape : sweep.shapes) {
      point.m = shape.at(0);
      point.n = shape.at(1);
      point.k = shape.at(2);
      for (const DataPattern data : sweep.data) {
        point.data = data;
        for (const LoadDuration duration : sweep.durations) {
          point.duration = duration;
          out.emplace_back(point);
        }
      }
    }
  }
  return out;
}

}  // namespace roofline::measure
