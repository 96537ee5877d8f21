// elementwise: chains of operations, fused and not.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/families.hpp"
#include "cli/operation_options.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {

std::vector<Workload> elementwise_points(const ElementwiseOptions& o) {
  const std::uint64_t elements = o.elements.empty() ? 0 : whole_option(o.elements, "--elements");
  const std::uint64_t inputs = whole_option(o.inputs, "--inputs");
  std::vector<Workload> points;
  for (const DType dtype : dtype_list(o.dtype, "--dtype")) {
    for (const std::uint64_t ops : parse_axis(o.ops, "--ops")) {
      if (inputs > ops && inputs - ops > 1) {
        throw InputError("--inputs: " + o.inputs + " tensors can't enter a chain of " +
                         std::to_string(ops) + " operations; use at most one more than --ops");
      }
      for (const std::uint64_t fused : parse_axis(o.fused, "--fused")) {
        points.emplace_back(Elementwise{.elements = elements,
                                        .ops = ops,
                                        .ops_per_kernel = fused,
                                        .inputs = inputs,
                                        .dtype = dtype});
      }
    }
  }
  return points;
}

Action add_elementwise(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<ElementwiseOptions>();
  app.add_option("--fused", options->fused, "operations fused into each kernel: 1,2,4 or 1:8:x2")
      ->capture_default_str();
  app.add_option("--ops", options->ops, "operations in the chain, likewise")->capture_default_str();
  app.add_option("--inputs", options->inputs, "tensors the chain reads")->capture_default_str();
  app.add_option("--dtype", options->dtype, "element types")->capture_default_str();
  app.add_option("--elements", options->elements,
                 "elements of each tensor (default: as many as reach DRAM)");
  add_session_options(app, options->session);
  return [options, invocation](Io& io) {
    return run_family("elementwise", options->session, on_any_device(elementwise_points(*options)),
                      true, invocation, io);
  };
}

}  // namespace roofline::cli
