// The options by which a person names one operation (explain), and what they mean as a Workload.
#pragma once

#include <string>
#include <vector>

#include "roofline/account.hpp"
#include "roofline/workload.hpp"

namespace CLI {
class App;
}

namespace roofline::cli {

struct OperationOptions {
  std::string gemm;    ///< MxNxK
  std::string matvec;  ///< D_INxD_OUT
  std::string stream;
  std::string elementwise;  ///< elements
  std::string flops;
  std::string read;
  std::string write;
  std::string intensity;

  std::string dtype;
  std::string accumulate;
  std::string output;
  std::string weights;
  std::string engine;
  std::string rows = "1";
  std::string batch = "1";
  std::string elements = "268435456";
  std::string ops = "1";
  std::string fused = "1";
  std::string inputs = "1";
  std::string scale_group;
  std::string scale_bits = "16";
  std::string alpha = "1";
  std::string beta = "0";
  std::string convert_a;
  std::string convert_b;
  bool transpose_a = false;
  bool transpose_b = false;
  bool write_allocate = false;
  std::string boundary = "dram";
  std::string tile = "128x128";
};

void add_operation_options(CLI::App& app, OperationOptions& options);

struct Operation {
  Workload workload;
  Boundary boundary = Boundary::dram;
  Tile tile;
};

/// Throws InputError naming the option. `rate_given` allows no operation at all: a bare rate is
/// held against a peak.
[[nodiscard]] Operation make_operation(const OperationOptions& options, bool rate_given);

/// Throws InputError when an option of `app` was given that the operation has no use for.
void refuse_unfit_options(const CLI::App& app, const Operation& operation);

/// Splits at commas, dropping nothing: an empty part is an InputError naming `what`.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text, std::string_view what);

/// As parse_dtype, naming the option in the error.
[[nodiscard]] DType dtype_option(const std::string& text, std::string_view what);
/// A finite number that may be negative, naming the option in the error.
[[nodiscard]] double signed_number(const std::string& text, std::string_view what);
/// One positive whole number, naming the option in the error.
[[nodiscard]] std::uint64_t whole_option(const std::string& text, std::string_view what);
/// `6%`, `6 %` or `0.06`; above 0. A number above 1 without a sign may be either, and is refused.
[[nodiscard]] double ratio_option(const std::string& text, std::string_view what);
/// The same, and at most 1.
[[nodiscard]] double part_option(const std::string& text, std::string_view what);

}  // namespace roofline::cli
