#include "cublaslt_fixture.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace fakegpu {
namespace {

template <class T>
void put(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof(value));
}

template <class T>
T get(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// 1 and 2 in 8 bits, with the sign on top.
std::uint8_t small_fp8(double value, std::uint8_t one) {
  if (value == 0) return 0;
  const std::uint8_t magnitude = std::fabs(value) == 1 ? one : std::uint8_t{0x40};
  return static_cast<std::uint8_t>(magnitude | (value < 0 ? 0x80 : 0));
}

double half_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = (bits & 1023) / 1024.0;
  const double magnitude = exponent == 31  ? std::numeric_limits<double>::quiet_NaN()
                           : exponent == 0 ? std::ldexp(fraction, -14)
                                           : std::ldexp(1 + fraction, exponent - 15);
  return bits >> 15 == 0 ? magnitude : -magnitude;
}

/// A pattern without symmetry: no transposition or shift of it looks the same.
double small_number(unsigned seed, std::uint64_t row, std::uint64_t column, std::uint64_t batch) {
  std::uint64_t hash = seed + row * 1000003 + column * 7919 + batch * 104729;
  hash = (hash ^ hash >> 15) * 0x2c1b3c6d;
  hash = (hash ^ hash >> 12) * 0x297a2d39;
  return static_cast<double>((hash ^ hash >> 15) % 5) - 2;
}

}  // namespace

void PrintTo(const Product& product, std::ostream* out) { *out << product.name; }

abi::CublasLtApi::CublasLtApi(void* library) {
#define FAKEGPU_BIND(member, name, result, ...)                 \
  this->member = symbol<decltype(this->member)>(library, name); \
  EXPECT_NE(reinterpret_cast<void*>(this->member), nullptr) << (name);
  ROOFLINE_CUBLASLT_FUNCTIONS(FAKEGPU_BIND)
#undef FAKEGPU_BIND
}

std::size_t bytes_of(lt::DataType type) {
  switch (type) {
    case lt::DataType::r_64f:
      return 8;
    case lt::DataType::r_32f:
    case lt::DataType::r_32i:
      return 4;
    case lt::DataType::r_16f:
    case lt::DataType::r_16bf:
      return 2;
    default:
      return 1;
  }
}

void encode(lt::DataType type, double value, std::byte* to) {
  switch (type) {
    case lt::DataType::r_64f:
      return put(value, to);
    case lt::DataType::r_32f:
      return put(static_cast<float>(value), to);
    case lt::DataType::r_32i:
      return put(static_cast<std::int32_t>(value), to);
    case lt::DataType::r_8i:
      return put(static_cast<std::int8_t>(value), to);
    case lt::DataType::r_16bf: {
      const auto narrow = static_cast<float>(value);
      return std::memcpy(to, reinterpret_cast<const std::byte*>(&narrow) + 2, 2), void();
    }
    case lt::DataType::r_16f: {
      const std::uint16_t magnitude = value == 0              ? 0
                                      : std::fabs(value) == 1 ? std::uint16_t{0x3c00}
                                                              : std::uint16_t{0x4000};
      return put(static_cast<std::uint16_t>(magnitude | (value < 0 ? 0x8000 : 0)), to);
    }
    case lt::DataType::r_8f_e4m3:
      return put(small_fp8(value, 0x38), to);
    case lt::DataType::r_8f_e5m2:
      return put(small_fp8(value, 0x3c), to);
  }
}

double decode(lt::DataType type, const std::byte* from) {
  switch (type) {
    case lt::DataType::r_64f:
      return get<double>(from);
    case lt::DataType::r_32f:
      return static_cast<double>(get<float>(from));
    case lt::DataType::r_32i:
      return get<std::int32_t>(from);
    case lt::DataType::r_16f:
      return half_of(get<std::uint16_t>(from));
    default: {
      float wide = 0;
      std::memcpy(reinterpret_cast<std::byte*>(&wide) + 2, from, 2);
      return static_cast<double>(wide);
    }
  }
}

Product product_of(lt::ComputeType compute, lt::DataType scale, lt::DataType operands,
                   lt::DataType result) {
  Product out;
  out.compute = compute;
  out.scale = scale;
  out.a = out.b = operands;
  out.d = result;
  return out;
}

Product fp32_product() { return {}; }

Product bf16_product() {
  return product_of(lt::ComputeType::c_32f, lt::DataType::r_32f, lt::DataType::r_16bf,
                    lt::DataType::r_16bf);
}

Product int8_product() {
  Product out = product_of(lt::ComputeType::c_32i, lt::DataType::r_32i, lt::DataType::r_8i,
                           lt::DataType::r_32i);
  out.transpose_a = true;
  return out;
}

Product fp8_product(lt::DataType a, lt::DataType b, lt::DataType result) {
  Product out = product_of(lt::ComputeType::c_32f, lt::DataType::r_32f, a, result);
  out.b = b;
  out.transpose_a = true;
  return sized(out, 16, 16, 16);
}

Product sized(Product product, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  product.m = m;
  product.n = n;
  product.k = k;
  return product;
}

CublasLt::CublasLt() : library_lt(open_library("libcublasLt.so.13")), lt_api(library_lt) {}

void CublasLt::begin(const std::string& scenario) {
  start(scenario);
  workspace_ = 0;
  ASSERT_EQ(lt_api.create(&handle), lt::kSuccess);
}

PreparedMatrix CublasLt::matrix(const Product& product, lt::DataType type, std::uint64_t rows,
                                std::uint64_t columns, unsigned seed) {
  PreparedMatrix out{.type = type, .rows = rows, .columns = columns};
  out.ld = rows + static_cast<std::uint64_t>(product.pad);
  out.stride = out.ld * columns;
  const auto batch = static_cast<std::uint64_t>(product.batch);
  out.values.assign(product.filled ? out.stride * batch : 0, 0);
  std::vector<std::byte> bytes(out.values.size() * bytes_of(type));
  for (std::uint64_t i = 0; product.filled && i < batch; ++i) {
    for (std::uint64_t column = 0; column < columns; ++column) {
      for (std::uint64_t row = 0; row < out.ld; ++row) {
        const std::uint64_t place = i * out.stride + column * out.ld + row;
        out.values[place] = small_number(seed, row, column, i);
        encode(type, out.values[place], bytes.data() + place * bytes_of(type));
      }
    }
  }
  out.device = allocate(out.stride * batch * bytes_of(type));
  if (product.filled) {
    EXPECT_EQ(cu.cuMemcpyHtoD(out.device, bytes.data(), bytes.size()), CUDA_SUCCESS);
  }
  EXPECT_EQ(
      lt_api.layout_create(&out.layout, type, rows, columns, static_cast<std::int64_t>(out.ld)),
      lt::kSuccess);
  const auto stride = static_cast<std::int64_t>(out.stride);
  EXPECT_EQ(lt_api.layout_set(out.layout, lt::LayoutAttribute::batch_count, &product.batch, 4),
            lt::kSuccess);
  EXPECT_EQ(lt_api.layout_set(out.layout, lt::LayoutAttribute::strided_batch_offset, &stride, 8),
            lt::kSuccess);
  return out;
}

Prepared CublasLt::prepare(const Product& product) {
  Prepared out{.product = product};
  const Product& p = product;
  out.a = p.transpose_a ? matrix(p, p.a, p.k, p.m, 1) : matrix(p, p.a, p.m, p.k, 1);
  out.b = p.transpose_b ? matrix(p, p.b, p.n, p.k, 2) : matrix(p, p.b, p.k, p.n, 2);
  out.c = matrix(p, p.d, p.m, p.n, 3);
  out.d = matrix(p, p.d, p.m, p.n, 4);
  EXPECT_EQ(lt_api.desc_create(&out.descriptor, p.compute, p.scale), lt::kSuccess);
  const std::int32_t transpose_a = p.transpose_a ? 1 : 0;
  const std::int32_t transpose_b = p.transpose_b ? 1 : 0;
  set(out.descriptor, lt::DescAttribute::transpose_a, &transpose_a, 4);
  set(out.descriptor, lt::DescAttribute::transpose_b, &transpose_b, 4);
  const std::pair<float, lt::DescAttribute> scales[] = {
      {p.scale_a, lt::DescAttribute::a_scale_pointer},
      {p.scale_b, lt::DescAttribute::b_scale_pointer}};
  for (const auto& [scale, which] : scales) {
    if (scale == 0) continue;
    const CUdeviceptr at = allocate(4);
    EXPECT_EQ(cu.cuMemcpyHtoD(at, &scale, 4), CUDA_SUCCESS);
    set(out.descriptor, which, &at, 8);
  }
  return out;
}

void CublasLt::set(lt::MatmulDesc descriptor, lt::DescAttribute which, const void* value,
                   std::size_t bytes) {
  EXPECT_EQ(lt_api.desc_set(descriptor, which, value, bytes), lt::kSuccess);
}

std::vector<lt::HeuristicResult> CublasLt::suggest(const Prepared& p, int wanted) {
  lt::Preference preference = nullptr;
  EXPECT_EQ(lt_api.preference_create(&preference), lt::kSuccess);
  const std::uint64_t most = workspace_bytes;
  EXPECT_EQ(
      lt_api.preference_set(preference, lt::PreferenceAttribute::most_workspace_bytes, &most, 8),
      lt::kSuccess);
  std::vector<lt::HeuristicResult> out(static_cast<std::size_t>(wanted));
  int count = -1;
  const lt::Status status =
      lt_api.heuristic(handle, p.descriptor, p.a.layout, p.b.layout, p.c.layout, p.d.layout,
                       preference, wanted, out.data(), &count);
  EXPECT_EQ(status == lt::kSuccess, count > 0) << "status " << status;
  out.resize(static_cast<std::size_t>(std::max(count, 0)));
  EXPECT_EQ(lt_api.preference_destroy(preference), lt::kSuccess);
  return out;
}

lt::Status CublasLt::suggest_status(const Prepared& p) {
  lt::Preference preference = nullptr;
  EXPECT_EQ(lt_api.preference_create(&preference), lt::kSuccess);
  lt::HeuristicResult result{};
  int count = -1;
  const lt::Status status =
      lt_api.heuristic(handle, p.descriptor, p.a.layout, p.b.layout, p.c.layout, p.d.layout,
                       preference, 1, &result, &count);
  EXPECT_EQ(count, status == lt::kSuccess ? 1 : 0);
  EXPECT_EQ(lt_api.preference_destroy(preference), lt::kSuccess);
  return status;
}

lt::Status CublasLt::multiply(const Prepared& p, const lt::Algo* algo, CUstream on) {
  if (workspace_ == 0) workspace_ = allocate(workspace_bytes);
  std::byte alpha[8];
  std::byte beta[8];
  encode(p.product.scale, p.product.alpha, alpha);
  encode(p.product.scale, p.product.beta, beta);
  const auto pointer = [](CUdeviceptr at) {
    return reinterpret_cast<void*>(at);  // NOLINT(performance-no-int-to-ptr)
  };
  return lt_api.matmul(handle, p.descriptor, alpha, pointer(p.a.device), p.a.layout,
                       pointer(p.b.device), p.b.layout, beta, pointer(p.c.device), p.c.layout,
                       pointer(p.d.device), p.d.layout, algo, pointer(workspace_), workspace_bytes,
                       on);
}

std::vector<double> CublasLt::read(const Prepared& p) {
  const std::size_t element = bytes_of(p.d.type);
  std::vector<std::byte> bytes(p.d.values.size() * element);
  EXPECT_EQ(cu.cuMemcpyDtoH(bytes.data(), p.d.device, bytes.size()), CUDA_SUCCESS);
  std::vector<double> out;
  for (std::size_t i = 0; i < p.d.values.size(); ++i) {
    out.push_back(decode(p.d.type, bytes.data() + i * element));
  }
  return out;
}

std::vector<double> CublasLt::expected(const Prepared& p) {
  std::vector<double> out = p.d.values;  // gaps keep what they hold
  const double scale = (p.product.scale_a == 0 ? 1 : static_cast<double>(p.product.scale_a)) *
                       (p.product.scale_b == 0 ? 1 : static_cast<double>(p.product.scale_b));
  for (std::uint64_t batch = 0; batch < static_cast<std::uint64_t>(p.product.batch); ++batch) {
    for (std::uint64_t i = 0; i < p.product.m; ++i) {
      for (std::uint64_t j = 0; j < p.product.n; ++j) {
        double sum = 0;
        for (std::uint64_t q = 0; q < p.product.k; ++q) {
          sum += (p.product.transpose_a ? p.a.at(q, i, batch) : p.a.at(i, q, batch)) *
                 (p.product.transpose_b ? p.b.at(j, q, batch) : p.b.at(q, j, batch));
        }
        out[batch * p.d.stride + j * p.d.ld + i] =
            p.product.alpha * scale * sum + p.product.beta * p.c.at(i, j, batch);
      }
    }
  }
  return out;
}

std::uint64_t CublasLt::config(const lt::Algo& algo, lt::ConfigAttribute which) {
  std::size_t bytes = 0;
  EXPECT_EQ(lt_api.config_get(&algo, which, nullptr, 0, &bytes), lt::kSuccess);
  std::uint64_t value = 0;
  EXPECT_EQ(lt_api.config_get(&algo, which, &value, bytes, nullptr), lt::kSuccess);
  return value;
}

double CublasLt::time_of(const Prepared& prepared, const lt::Algo* algo, int launches) {
  const CUevent before = event();
  const CUevent after = event();
  EXPECT_EQ(spin(nullptr, 2e-3), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventRecord(before, nullptr), CUDA_SUCCESS);
  for (int i = 0; i < launches; ++i) EXPECT_EQ(multiply(prepared, algo), lt::kSuccess);
  EXPECT_EQ(cu.cuEventRecord(after, nullptr), CUDA_SUCCESS);
  return elapsed(before, after) / launches;
}

}  // namespace fakegpu
