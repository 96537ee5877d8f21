// The calls that need no GPU, on NVIDIA's library and on the simulated one: both must answer alike.
#include <dlfcn.h>

#include <array>
#include <sstream>

#include "cublaslt_fixture.hpp"

namespace fakegpu {
namespace {

/// The toolkit's; null where there is none.
void* real_library() {
  for (const char* const folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
    const std::string path = std::string(FAKEGPU_TOOLKIT) + "/" + folder + "/libcublasLt.so.13";
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

constexpr std::array<std::size_t, 5> kSizes{1, 2, 4, 8, 16};

/// Everything that a library answers, one call a line.
class Transcript {
 public:
  explicit Transcript(const CublasLtApi& api) : api_(api) {}

  std::string text() {
    descriptors();
    layouts();
    preferences();
    return out_.str();
  }

 private:
  template <class... Words>
  void line(const Words&... words) {
    ((out_ << words << ' '), ...) << '\n';
  }

  /// Reads and writes of every size. Values are those that an attribute may have.
  template <class Attribute, class Get, class Set>
  void attribute(const char* what, Attribute which, std::uint64_t value, const Get& get,
                 const Set& set) {
    const int number = static_cast<int>(which);
    std::uint64_t initial[2] = {};
    for (const std::size_t bytes : kSizes) {
      std::size_t written = 77;
      const lt::Status status = get(which, initial, bytes, &written);
      line(what, number, "get", bytes, "gives", status);
      if (status == lt::kSuccess) line("  default", initial[0], "written", written);
    }
    std::size_t needed = 0;
    line(what, number, "size", get(which, nullptr, 0, &needed), needed);
    line(what, number, "get nothing", get(which, nullptr, 0, nullptr));
    line(what, number, "get nowhere", get(which, nullptr, 4, &needed));
    std::uint64_t written[2] = {value, 0};
    for (const std::size_t bytes : kSizes) {
      const lt::Status status = set(which, written, bytes);
      std::uint64_t now[2] = {};
      line(what, number, "set", bytes, "gives", status);
      if (status == lt::kSuccess) line("  now", get(which, now, bytes, &needed), now[0]);
    }
    line(what, number, "set nothing", set(which, nullptr, 4));
  }

  void descriptors() {
    lt::MatmulDesc made = nullptr;
    line("descriptor", api_.desc_create(&made, lt::ComputeType::c_32f, lt::DataType::r_32f));
    line("descriptor nowhere",
         api_.desc_create(nullptr, lt::ComputeType::c_32f, lt::DataType::r_32f));
    const auto get = [&](lt::DescAttribute which, void* to, std::size_t n, std::size_t* written) {
      return api_.desc_get(made, which, to, n, written);
    };
    const auto set = [&](lt::DescAttribute which, const void* from, std::size_t n) {
      return api_.desc_set(made, which, from, n);
    };
    using lt::DescAttribute;
    attribute("descriptor", DescAttribute::compute_type, 70, get, set);
    attribute("descriptor", DescAttribute::scale_type, 1, get, set);
    attribute("descriptor", DescAttribute::transpose_a, 1, get, set);
    attribute("descriptor", DescAttribute::transpose_b, 1, get, set);
    attribute("descriptor", DescAttribute::a_scale_pointer, 4096, get, set);
    attribute("descriptor", DescAttribute::b_scale_pointer, 4096, get, set);
    attribute("descriptor", DescAttribute::d_scale_pointer, 4096, get, set);
    attribute("descriptor", DescAttribute::fast_accumulate, 1, get, set);
    attribute("descriptor", static_cast<DescAttribute>(999), 1, get, set);
    line("descriptor of none", api_.desc_set(nullptr, DescAttribute::transpose_a, &made, 4));
    line("descriptor gone", api_.desc_destroy(made));
    line("descriptor none gone", api_.desc_destroy(nullptr));
  }

  void layouts() {
    lt::MatrixLayout made = nullptr;
    line("layout", api_.layout_create(&made, lt::DataType::r_16bf, 30, 20, 40));
    line("layout nowhere", api_.layout_create(nullptr, lt::DataType::r_16bf, 30, 20, 40));
    const auto get = [&](lt::LayoutAttribute which, void* to, std::size_t n, std::size_t* written) {
      return api_.layout_get(made, which, to, n, written);
    };
    const auto set = [&](lt::LayoutAttribute which, const void* from, std::size_t n) {
      return api_.layout_set(made, which, from, n);
    };
    using lt::LayoutAttribute;
    attribute("layout", LayoutAttribute::type, 2, get, set);
    attribute("layout", LayoutAttribute::order, 0, get, set);
    attribute("layout", LayoutAttribute::rows, 50, get, set);
    attribute("layout", LayoutAttribute::columns, 60, get, set);
    attribute("layout", LayoutAttribute::leading_dimension, 64, get, set);
    attribute("layout", LayoutAttribute::batch_count, 3, get, set);
    attribute("layout", LayoutAttribute::strided_batch_offset, 5000, get, set);
    attribute("layout", static_cast<LayoutAttribute>(999), 1, get, set);
    line("layout of none", api_.layout_set(nullptr, LayoutAttribute::rows, &made, 8));
    line("layout gone", api_.layout_destroy(made));
    line("layout none gone", api_.layout_destroy(nullptr));
    // A leading dimension that can't be is not refused here, but where it is used.
    line("layout too narrow", api_.layout_create(&made, lt::DataType::r_32f, 30, 20, 10));
    line("layout gone", api_.layout_destroy(made));
  }

  void preferences() {
    lt::Preference made = nullptr;
    line("preference", api_.preference_create(&made));
    line("preference nowhere", api_.preference_create(nullptr));
    using lt::PreferenceAttribute;
    for (const PreferenceAttribute which :
         {PreferenceAttribute::most_workspace_bytes, PreferenceAttribute::least_alignment_a,
          PreferenceAttribute::least_alignment_b, PreferenceAttribute::least_alignment_c,
          PreferenceAttribute::least_alignment_d, static_cast<PreferenceAttribute>(999)}) {
      const std::uint64_t value[2] = {16, 0};
      for (const std::size_t bytes : kSizes) {
        line("preference", static_cast<int>(which), "set", bytes,
             api_.preference_set(made, which, value, bytes));
      }
      line("preference", static_cast<int>(which), "set nothing",
           api_.preference_set(made, which, nullptr, 4));
    }
    line("preference of none",
         api_.preference_set(nullptr, PreferenceAttribute::most_workspace_bytes, &made, 8));
    line("preference gone", api_.preference_destroy(made));
    line("preference none gone", api_.preference_destroy(nullptr));
  }

  const CublasLtApi& api_;
  std::ostringstream out_;
};

class Real : public CublasLt {};

TEST_F(Real, AnswersAsTheSimulatedOne) {
  void* const real = real_library();
  if (real == nullptr) GTEST_SKIP() << "no libcublasLt.so.13 in " FAKEGPU_TOOLKIT;
  const CublasLtApi real_api(real);
  EXPECT_EQ(real_api.version() / 10000, lt_api.version() / 10000);
  EXPECT_EQ(real_api.cudart_version() / 1000, lt_api.cudart_version() / 1000);
  EXPECT_EQ(Transcript(lt_api).text(), Transcript(real_api).text());
}

}  // namespace
}  // namespace fakegpu
