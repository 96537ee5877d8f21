// The functions of the simulated cuBLASLt that make, change and read its objects.
#include <bit>

#include "cublaslt_api.hpp"

namespace fakegpu::lt {
namespace {

// Numbers, sizes and defaults: cublasLt.h. Attributes that this program has no word for are there
// so far as they decide whether a problem is an ordinary one.
constexpr int kPointerMode = 2;
constexpr int kEpilogue = 7;
constexpr std::uint64_t kDefaultEpilogue = 1;

constexpr AttributeRow kDescriptorRows[] = {
    {0, 4, 0}, {1, 4, 0},  {2, 4, 0},  {3, 4, 0},  {4, 4, 0},  {5, 4, 0},  {7, 4, kDefaultEpilogue},
    {8, 8, 0}, {17, 8, 0}, {18, 8, 0}, {19, 8, 0}, {20, 8, 0}, {21, 8, 0}, {25, 1, 0}};
constexpr AttributeRow kLayoutRows[] = {{0, 4, 0}, {1, 4, 0}, {2, 8, 0}, {3, 8, 0},
                                        {4, 8, 0}, {5, 4, 1}, {6, 8, 0}};
constexpr AttributeRow kPreferenceRows[] = {{0, 4, 0},   {1, 8, 0},   {3, 4, 7},   {5, 4, 256},
                                            {6, 4, 256}, {7, 4, 256}, {8, 4, 256}, {9, 4, 0}};

template <class Kept, class Handle, class... Arguments>
Status make(Kept& kept, Handle* out, const Attributes& fresh) {
  if (out == nullptr) return kInvalidValue;
  *out = kept.add(fresh);
  return kSuccess;
}

template <class Kept, class Handle>
Status destroy(Kept& kept, Handle handle) {
  // As the library: null is nothing to be destroyed.
  return handle == nullptr || kept.erase(handle) ? kSuccess : kInvalidValue;
}

template <class Kept, class Handle, class Use>
Status use(Kept& kept, Handle handle, const Use& body) {
  Attributes* const found = kept.find(handle);
  return found == nullptr ? kInvalidValue : body(*found);
}

Matrix matrix_of(const Attributes& from) {
  Matrix out;
  out.type = static_cast<DataType>(from.bits(LayoutAttribute::type));
  out.order = static_cast<std::int32_t>(from.bits(LayoutAttribute::order));
  out.rows = from.bits(LayoutAttribute::rows);
  out.columns = from.bits(LayoutAttribute::columns);
  out.ld = static_cast<std::int64_t>(from.bits(LayoutAttribute::leading_dimension));
  out.batch = static_cast<std::int32_t>(from.bits(LayoutAttribute::batch_count));
  out.stride = static_cast<std::int64_t>(from.bits(LayoutAttribute::strided_batch_offset));
  return out;
}

}  // namespace

Attributes new_descriptor(ComputeType compute, DataType scale) {
  Attributes out(kDescriptorRows);
  out.put(DescAttribute::compute_type, static_cast<std::uint32_t>(compute));
  out.put(DescAttribute::scale_type, static_cast<std::uint32_t>(scale));
  return out;
}

Attributes new_layout(DataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  Attributes out(kLayoutRows);
  out.put(LayoutAttribute::type, static_cast<std::uint32_t>(type));
  out.put(LayoutAttribute::rows, rows);
  out.put(LayoutAttribute::columns, columns);
  out.put(LayoutAttribute::leading_dimension, static_cast<std::uint64_t>(ld));
  return out;
}

Attributes new_preference() { return Attributes(kPreferenceRows); }

std::optional<Problem> problem_of(const ProblemObjects& from) {
  Objects& all = objects();
  const Attributes* const descriptor = all.descriptors.find(from.descriptor);
  if (descriptor == nullptr) return std::nullopt;
  Problem out{};
  out.compute = static_cast<ComputeType>(descriptor->bits(DescAttribute::compute_type));
  out.scale = static_cast<DataType>(descriptor->bits(DescAttribute::scale_type));
  out.transpose_a = descriptor->bits(DescAttribute::transpose_a) != 0;
  out.transpose_b = descriptor->bits(DescAttribute::transpose_b) != 0;
  out.plain =
      descriptor->bits(kPointerMode) == 0 && descriptor->bits(kEpilogue) == kDefaultEpilogue;
  out.scaled_a = descriptor->bits(DescAttribute::a_scale_pointer) != 0;
  out.scaled_b = descriptor->bits(DescAttribute::b_scale_pointer) != 0;
  out.scaled_d = descriptor->bits(DescAttribute::d_scale_pointer) != 0;
  const std::pair<MatrixLayout, Matrix*> layouts[] = {
      {from.a, &out.a}, {from.b, &out.b}, {from.c, &out.c}, {from.d, &out.d}};
  for (const auto& [layout, matrix] : layouts) {
    const Attributes* const found = all.layouts.find(layout);
    if (found == nullptr) return std::nullopt;
    *matrix = matrix_of(*found);
  }
  return out;
}

}  // namespace fakegpu::lt

using namespace fakegpu::lt;  // NOLINT(google-build-using-namespace): what follows is its API

FAKEGPU_CUBLASLT Status cublasLtMatmulDescCreate(MatmulDesc* out, ComputeType compute,
                                                 DataType scale) {
  return plain("cublasLtMatmulDescCreate",
               [&] { return make(objects().descriptors, out, new_descriptor(compute, scale)); });
}

FAKEGPU_CUBLASLT Status cublasLtMatmulDescDestroy(MatmulDesc descriptor) {
  return plain("cublasLtMatmulDescDestroy",
               [&] { return destroy(objects().descriptors, descriptor); });
}

FAKEGPU_CUBLASLT Status cublasLtMatmulDescSetAttribute(MatmulDesc descriptor, DescAttribute which,
                                                       const void* value, std::size_t bytes) {
  return plain("cublasLtMatmulDescSetAttribute", [&] {
    return use(objects().descriptors, descriptor,
               [&](Attributes& of) { return of.set(static_cast<int>(which), value, bytes); });
  });
}

FAKEGPU_CUBLASLT Status cublasLtMatmulDescGetAttribute(MatmulDesc descriptor, DescAttribute which,
                                                       void* out, std::size_t bytes,
                                                       std::size_t* written) {
  return plain("cublasLtMatmulDescGetAttribute", [&] {
    return use(objects().descriptors, descriptor, [&](const Attributes& of) {
      return of.get(static_cast<int>(which), out, bytes, written);
    });
  });
}

FAKEGPU_CUBLASLT Status cublasLtMatrixLayoutCreate(MatrixLayout* out, DataType type,
                                                   std::uint64_t rows, std::uint64_t columns,
                                                   std::int64_t ld) {
  return plain("cublasLtMatrixLayoutCreate",
               [&] { return make(objects().layouts, out, new_layout(type, rows, columns, ld)); });
}

FAKEGPU_CUBLASLT Status cublasLtMatrixLayoutDestroy(MatrixLayout layout) {
  return plain("cublasLtMatrixLayoutDestroy", [&] { return destroy(objects().layouts, layout); });
}

FAKEGPU_CUBLASLT Status cublasLtMatrixLayoutSetAttribute(MatrixLayout layout, LayoutAttribute which,
                                                         const void* value, std::size_t bytes) {
  return plain("cublasLtMatrixLayoutSetAttribute", [&] {
    return use(objects().layouts, layout,
               [&](Attributes& of) { return of.set(static_cast<int>(which), value, bytes); });
  });
}

FAKEGPU_CUBLASLT Status cublasLtMatrixLayoutGetAttribute(MatrixLayout layout, LayoutAttribute which,
                                                         void* out, std::size_t bytes,
                                                         std::size_t* written) {
  return plain("cublasLtMatrixLayoutGetAttribute", [&] {
    return use(objects().layouts, layout, [&](const Attributes& of) {
      return of.get(static_cast<int>(which), out, bytes, written);
    });
  });
}

FAKEGPU_CUBLASLT Status cublasLtMatmulPreferenceCreate(Preference* out) {
  return plain("cublasLtMatmulPreferenceCreate",
               [&] { return make(objects().preferences, out, new_preference()); });
}

FAKEGPU_CUBLASLT Status cublasLtMatmulPreferenceDestroy(Preference preference) {
  return plain("cublasLtMatmulPreferenceDestroy",
               [&] { return destroy(objects().preferences, preference); });
}

FAKEGPU_CUBLASLT Status cublasLtMatmulPreferenceSetAttribute(Preference preference,
                                                             PreferenceAttribute which,
                                                             const void* value, std::size_t bytes) {
  return plain("cublasLtMatmulPreferenceSetAttribute", [&] {
    return use(objects().preferences, preference,
               [&](Attributes& of) { return of.set(static_cast<int>(which), value, bytes); });
  });
}
