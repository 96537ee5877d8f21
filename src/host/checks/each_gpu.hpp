// A check that looks at one GPU after the other, and how its verdicts become one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/checks/check.hpp"

namespace roofline::host {

using LookAtGpu = Verdict (*)(const Gpu&);

/// The worst of all GPUs' verdicts, with its effect and remedy, and what was found on each that is
/// not in order (on all, where all are): `cuda:0, cuda:1: on; cuda:2: off`.
[[nodiscard]] Verdict of_each_gpu(const Evidence& evidence, LookAtGpu look);
template <LookAtGpu look>
[[nodiscard]] Verdict on_each_gpu(const Evidence& evidence) {
  return of_each_gpu(evidence, look);
}

/// A fact's value, or why there is none.
template <class Value>
struct Told {
  std::optional<Value> value;
  std::string why;
};
/// Counts and quantities; 0 is one of them.
[[nodiscard]] Told<double> number_of(const Gpu& gpu, std::string_view key);
[[nodiscard]] Told<bool> flag_of(const Gpu& gpu, std::string_view key);
[[nodiscard]] Told<std::string> text_of(const Gpu& gpu, std::string_view key);

/// What `nvidia-smi -i` takes: its own numbers are not CUDA's.
[[nodiscard]] std::string smi_name(const Gpu& gpu);

/// Checks of what goes on on GPUs, and of how they are set.
[[nodiscard]] std::span<const Check> checks_of_gpu_state();
[[nodiscard]] std::span<const Check> checks_of_gpu_settings();

}  // namespace roofline::host
