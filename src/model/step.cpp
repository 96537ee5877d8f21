#include "model/step.hpp"

#include <algorithm>
#include <string>

#include "model/config_node.hpp"
#include "roofline/error.hpp"

namespace roofline::model {
namespace {

/// 1 + 2 + ... + n.
double triangle(double n) { return n * (n + 1) / 2; }

/// Keys seen by the tokens up to position `end` of a sequence whose chunks are of `size`.
double seen_in_chunks(std::uint64_t end, std::uint64_t size) {
  return as_double(end / size) * triangle(as_double(size)) + triangle(as_double(end % size));
}

double causal_pairs(const Span& span, std::uint64_t cached, std::uint64_t fresh) {
  const double c = as_double(cached);
  const double n = as_double(fresh);
  if (span.reach == Reach::full) return n * c + triangle(n);
  if (span.reach == Reach::chunked && fresh > 1)
    return seen_in_chunks(cached + fresh, span.tokens) - seen_in_chunks(cached, span.tokens);
  // Tokens before the window is full see one more each.
  const double growing = std::min(n, cached < span.tokens ? as_double(span.tokens - cached) : 0.0);
  return growing * c + triangle(growing) + (n - growing) * as_double(span.tokens);
}

void require_size(std::uint64_t value, std::string_view what) {
  if (value > kLargestSize)
    throw InputError(std::string(what) + " of a step cannot exceed " +
                     std::to_string(kLargestSize));
}

}  // namespace

Requests decode(std::uint64_t batch, std::uint64_t context) { return {batch, context, 1, 1, 0}; }

Requests prefill(std::uint64_t batch, std::uint64_t tokens) { return {batch, 0, tokens, 1, 0}; }

Requests chunk(std::uint64_t batch, std::uint64_t cached, std::uint64_t tokens, bool ends_prompt) {
  return {batch, cached, tokens, ends_prompt ? 1U : 0U, 0};
}

RowCounts rows_of(std::span<const Requests> step) {
  RowCounts out;
  for (const Requests& one : step) {
    out.fresh += as_double(one.count) * as_double(one.fresh);
    out.logits += as_double(one.count) * as_double(one.logits);
  }
  return out;
}

double pairs(const Span& span, const Requests& request, Pairs which) {
  if (which == Pairs::causal) return causal_pairs(span, request.cached, request.fresh);
  const std::uint64_t all = request.cached + request.fresh;
  return as_double(request.fresh) * as_double(tokens_in_reach(span, all));
}

double tokens_read(const Span& span, const Requests& request) {
  const bool begins_anew = span.reach == Reach::chunked && request.fresh > 1;
  const std::uint64_t held =
      begins_anew ? request.cached % span.tokens : tokens_in_reach(span, request.cached);
  // What a request holds beyond the prefix is its own.
  const std::uint64_t own = std::min(held, request.cached - request.shared);
  return as_double(request.count) * as_double(own + request.fresh - 1) + as_double(held - own);
}

void validate(std::span<const Requests> step) {
  for (const Requests& one : step) {
    require_size(one.count, "requests");
    require_size(one.cached, "cached tokens");
    require_size(one.fresh, "tokens");
    if (one.count == 0 || one.fresh == 0)
      throw InputError("a step needs at least one request and one token of it");
    if (one.logits > one.fresh)
      throw InputError("logits are asked for of more tokens than pass through the model");
    if (one.shared > one.cached)
      throw InputError("a shared prefix cannot be longer than what is cached");
  }
  if (step.empty()) throw InputError("a step needs at least one request");
}

}  // namespace roofline::model
