// GEMM through cuBLASLt: operands in turn, the algorithm chosen by timing, results checked.
#include "backend/cuda/gemm_call.hpp"
#include "backend/cuda/gpu_run.hpp"

namespace roofline::cuda {
namespace {

class GemmRun : public GpuRun {
 public:
  GemmRun(const Gemm& gemm, Gpu& gpu) : GpuRun(gpu), gemm_(gemm) {}

 protected:
  void make() override {
    timer_.reset();
    call_.reset();
    with_context_asked(context(), [&] {
      // Made before the operands: it takes memory too.
      static_cast<void>(gpu().lt_session());
      call_.emplace(gemm_, gpu(), GemmCallSettings{.sets = gemm_sets(gemm_, gpu())});
    });
    timer_.emplace(gpu(), TimedWork{.enqueue = [this](std::uint64_t at) { call_->enqueue(at); },
                                    .sets = call_->sets()});
  }

  Sample measure(std::uint64_t iterations) override {
    return with_context_asked(context(), [&] { return timer_->time(iterations); });
  }

  Verification check() override {
    return with_context_asked(context(), [&] { return call_->check(); });
  }

  std::string provider() const override { return "cuBLASLt"; }

  Facts describe() const override {
    Facts out;
    if (!call_) return out;
    out = call_->facts();
    const std::uint64_t bytes = call_->sets() * gemm_bytes(gemm_).set();
    out.push_back({"cache", std::string("cold")});
    out.push_back({"weight_copies", call_->sets()});
    out.push_back({"weight_rotation_byte", bytes});
    if (bytes < rotation_bytes(gpu().l2_bytes())) out.push_back({"rotation_below_5x_l2", true});
    out.push_back({"data_pattern", std::string(name(gemm_.data))});
    if (timer_) {
      for (Fact& fact : timer_->facts()) out.push_back(std::move(fact));
    }
    return out;
  }

 private:
  Gemm gemm_;
  std::optional<GemmCall> call_;
  std::optional<Timer> timer_;
};

}  // namespace

Run prepare_gemm(const Gemm& gemm, Gpu& gpu) {
  auto run = std::make_unique<GemmRun>(gemm, gpu);
  run->prepare();
  return run;
}

}  // namespace roofline::cuda
