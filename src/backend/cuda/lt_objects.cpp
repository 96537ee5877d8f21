#include "backend/cuda/lt_objects.hpp"

#include <span>

namespace roofline::cuda {
namespace {

template <class Function, class Object, class Attribute, class Value>
void set(const Function& function, const Object& object, Attribute attribute, Value value) {
  function(object.get(), attribute, &value, sizeof value);
}

}  // namespace

LtDescription make_description(const LtApi& api, const LtProblem& problem, CUdeviceptr one) {
  lt::MatmulDesc made = nullptr;
  api.desc_create(&made, problem.compute, problem.scale);
  LtDescription out(made, api.desc_destroy);
  set(api.desc_set, out, lt::DescAttribute::transpose_a, problem.op_a);
  set(api.desc_set, out, lt::DescAttribute::transpose_b, problem.op_b);
  if (problem.scaled) {
    set(api.desc_set, out, lt::DescAttribute::a_scale_pointer, one);
    set(api.desc_set, out, lt::DescAttribute::b_scale_pointer, one);
  }
  return out;
}

LtLayout make_layout(const LtApi& api, const LtMatrix& matrix, std::int32_t batch) {
  lt::MatrixLayout made = nullptr;
  api.layout_create(&made, matrix.type, matrix.rows, matrix.columns, matrix.leading_dimension);
  LtLayout out(made, api.layout_destroy);
  if (batch > 1) {
    set(api.layout_set, out, lt::LayoutAttribute::batch_count, batch);
    set(api.layout_set, out, lt::LayoutAttribute::strided_batch_offset, matrix.stride);
  }
  return out;
}

LtPreference make_preference(const LtApi& api, std::uint64_t workspace_bytes) {
  lt::Preference made = nullptr;
  api.preference_create(&made);
  LtPreference out(made, api.preference_destroy);
  set(api.preference_set, out, lt::PreferenceAttribute::most_workspace_bytes, workspace_bytes);
  return out;
}

LtSession::LtSession(Context& context, const CublasLtLibrary& library,
                     std::uint64_t workspace_bytes)
    : library_(library), context_(context), generation_(context.generation()) {
  lt::Handle made = nullptr;
  library.api.create(&made);
  handle_ = LtOwned<lt::Handle>(made, library.api.destroy);
  workspace_ = Buffer(context, workspace_bytes);
  constexpr float kOne = 1;
  one_ = Buffer(context, sizeof kOne);
  one_.copy_from(0, std::as_bytes(std::span(&kOne, 1)));
}

LtSession::~LtSession() {
  // With the context went what the handle holds in it.
  if (context_.generation() != generation_ || !context_.active()) {
    handle_.release();
    return;
  }
  try {
    context_.use();
  } catch (const backend::BackendError&) {
    handle_.release();
  }
}

}  // namespace roofline::cuda
