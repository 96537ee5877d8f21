// Lambdas as one visitor of a variant: std::visit(Overloaded{[](const Gemm&) ..., ...}, workload).
// A missing alternative does not compile. Knows no variant of ours.
#pragma once

namespace roofline {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace roofline
