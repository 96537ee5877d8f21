#include "backend/cuda/gemm_plan.hpp"

#include <cmath>
#include <cstring>
#include <optional>

#include "backend/cuda/cublaslt_ids.hpp"
#include "kernels/cuda/half_bits.hpp"

namespace roofline::cuda {
namespace {

template <class T>
std::array<std::byte, 8> bytes_of(T value) {
  std::array<std::byte, 8> out{};
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

std::array<std::byte, 8> stored_factor(lt::DataType type, double value) {
  switch (type) {
    case lt::DataType::r_64f:
      return bytes_of(value);
    case lt::DataType::r_32i:
      return bytes_of(static_cast<std::int32_t>(value));
    case lt::DataType::r_16f:
      return bytes_of(nearest_half(static_cast<float>(value)));
    default:
      return bytes_of(static_cast<float>(value));
  }
}

template <class T>
const void* as_operand(T address) {
  return reinterpret_cast<const void*>(address);
}

template <class T>
std::optional<T> config(const LtApi& api, const lt::Algo& algo, lt::ConfigAttribute attribute) {
  T value{};
  std::size_t written = 0;
  if (api.config_get.result(&algo, attribute, &value, sizeof value, &written) != lt::kSuccess)
    return std::nullopt;
  return value;
}

}  // namespace

double held_factor(lt::DataType type, double value) {
  switch (type) {
    case lt::DataType::r_64f:
    case lt::DataType::r_32i:
      return value;
    case lt::DataType::r_16f:
      return static_cast<double>(to_float(nearest_half(static_cast<float>(value))));
    default:
      return static_cast<double>(static_cast<float>(value));
  }
}

GemmPlan::GemmPlan(const Gemm& gemm, Context& context, const LtSession& session)
    : problem_(lt_problem(gemm)),
      context_(context),
      session_(session),
      description_(make_description(session.api(), problem_, session.one())),
      a_(make_layout(session.api(), problem_.a, problem_.batch)),
      b_(make_layout(session.api(), problem_.b, problem_.batch)),
      c_(make_layout(session.api(), problem_.c, problem_.batch)),
      alpha_(stored_factor(problem_.scale, gemm.alpha)),
      beta_(stored_factor(problem_.scale, gemm.beta)),
      unaligned_(unaligned_rows(gemm)) {}

std::vector<lt::HeuristicResult> GemmPlan::suggestions(int most) const {
  const LtApi& api = session_.api();
  const std::uint64_t workspace = session_.workspace().bytes();
  const LtPreference preference = make_preference(api, workspace);
  std::vector<lt::HeuristicResult> out(static_cast<std::size_t>(most));
  int found = 0;
  const lt::Status status =
      api.heuristic.result(session_.handle(), description_.get(), a_.get(), b_.get(), c_.get(),
                           c_.get(), preference.get(), most, out.data(), &found);
  if (status != lt::kSuccess && !is_refusal(status)) throw LtError(status, api.heuristic.name());
  out.resize(status == lt::kSuccess ? static_cast<std::size_t>(found) : 0);
  std::erase_if(out, [&](const lt::HeuristicResult& one) {
    return one.state != lt::kSuccess || one.workspace_bytes > workspace;
  });
  if (!out.empty()) return out;
  // Success without an algorithm is the same answer.
  const LtError answer(status == lt::kSuccess ? lt::kNotSupported : status, api.heuristic.name());
  throw refused(answer.what());
}

backend::Refused GemmPlan::refused(const std::string& why) const {
  backend::Refused out(why + (unaligned_.empty() ? "" : "; " + unaligned_));
  return out;
}

void GemmPlan::enqueue(const lt::Algo& algo, const GemmAddresses& at) const {
  const Buffer& workspace = session_.workspace();
  session_.api().matmul(session_.handle(), description_.get(), alpha_.data(), as_operand(at.b),
                        a_.get(), as_operand(at.a), b_.get(), beta_.data(), as_operand(at.c),
                        c_.get(), reinterpret_cast<void*>(at.d), c_.get(), &algo,
                        workspace.as<void>(), workspace.bytes(), context_.stream());
}

Facts algorithm_facts(const LtApi& api, const lt::HeuristicResult& algorithm) {
  using Attribute = lt::ConfigAttribute;
  const lt::Algo& algo = algorithm.algo;
  Facts out;
  if (const auto id = config<std::int32_t>(api, algo, Attribute::id); id && *id >= 0)
    out.push_back({"algo_id", static_cast<std::uint64_t>(*id)});
  if (const auto tile = config<std::uint32_t>(api, algo, Attribute::tile))
    out.push_back({"algo_tile", lt_tile_text(*tile)});
  if (const auto stages = config<std::uint32_t>(api, algo, Attribute::stages))
    out.push_back({"algo_stages", lt_stages_text(*stages)});
  if (const auto split = config<std::int32_t>(api, algo, Attribute::split_k); split && *split >= 0)
    out.push_back({"split_k", static_cast<std::uint64_t>(*split)});
  if (const auto scheme = config<std::uint32_t>(api, algo, Attribute::reduction_scheme))
    out.push_back({"reduction_scheme", lt_reduction_text(*scheme)});
  if (const auto swizzle = config<std::uint32_t>(api, algo, Attribute::swizzle))
    out.push_back({"swizzle", std::uint64_t{*swizzle}});
  if (const auto shape = config<std::uint16_t>(api, algo, Attribute::cluster_shape)) {
    // What chooses by itself says nothing.
    if (*shape != 0) out.push_back({"cluster_shape", lt_cluster_text(*shape)});
  }
  out.push_back({"workspace_byte", static_cast<std::uint64_t>(algorithm.workspace_bytes)});
  if (std::isfinite(algorithm.waves) && algorithm.waves > 0)
    out.push_back({"algo_waves", static_cast<double>(algorithm.waves)});
  return out;
}

}  // namespace roofline::cuda
