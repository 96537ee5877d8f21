#include "machine/device_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace roofline::machine {
namespace {

using Tokens = std::vector<std::string>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Say nothing about which product it is. `grid` marks a virtual GPU, which its profile says
/// already.
constexpr std::array<std::string_view, 13> kNoise{
    "nvidia",  "corporation", "tesla",  "grid", "gpu",         "graphics", "card",
    "edition", "generation",  "tensor", "core", "accelerator", "with"};
constexpr std::array<std::string_view, 4> kBrands{"geforce", "quadro", "rtx", "gtx"};

/// Lower case, split at everything but letters, digits and the dot inside `1g.5gb`.
Tokens split(std::string_view name) {
  Tokens tokens;
  bool fresh = true;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool part = (c >= 'a' && c <= 'z') || is_digit(c) || c == '.' || c == '+';
    if (part && fresh) tokens.emplace_back();
    if (part) tokens.back() += c;
    fresh = !part;
  }
  return tokens;
}

/// `rtx4090` -> `rtx 4090`; `max q` -> `maxq`; `80 gb` -> `80gb`; `max q design` -> `maxq`.
Tokens respell(const Tokens& tokens) {
  Tokens out;
  for (const std::string& token : tokens) {
    const std::string previous = out.empty() ? std::string() : out.back();
    const bool glued = token.size() > 3 && (token.starts_with("rtx") || token.starts_with("gtx"));
    if (glued) {
      out.push_back(token.substr(0, 3));
      out.push_back(token.substr(3));
    } else if (token == "q" && previous == "max") {
      out.back() = "maxq";
    } else if ((token == "gb" || token == "gib") && all_digits(previous)) {
      out.back() += "gb";
    } else if (token != "design" || previous != "maxq") {
      out.push_back(token);
    }
  }
  return out;
}

std::optional<double> memory_size(std::string_view token) {
  const std::size_t end = token.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  const std::string_view unit = token.substr(end);
  if (unit != "gb" && unit != "gib" && unit != "g") return std::nullopt;
  double size = 0;
  std::from_chars(token.data(), token.data() + end, size);
  return size;
}

bool is_memory_type(std::string_view token) {
  return token.starts_with("hbm") || token.starts_with("gddr") || token.starts_with("lpddr");
}

std::string form_of(std::string_view token) {
  if (token == "hgx") return "sxm";
  if (token.starts_with("sxm") && (token.size() == 3 || all_digits(token.substr(3)))) return "sxm";
  if (token == "pcie" || token == "nvl") return std::string(token);
  return {};
}

/// `1g.5gb`, `2g.20gb+me`: a MIG instance.
bool is_mig_profile(std::string_view token) {
  const std::size_t dot = token.find("g.");
  return dot != std::string_view::npos && all_digits(token.substr(0, dot));
}

/// `8q`, `80c`, `16a`, `4b`: the share of a card that a virtual GPU gets, in GB, and its licence
/// class.
bool is_vgpu_profile(std::string_view token) {
  return token.size() >= 2 && all_digits(token.substr(0, token.size() - 1)) &&
         std::string_view("qcab").find(token.back()) != std::string_view::npos;
}

/// Removes the profile at the end of a virtual GPU's name, and the instance count before it
/// (`A100-1-5C`).
std::string take_share(Tokens& tokens, bool& mig) {
  const auto profile = std::find_if(tokens.begin(), tokens.end(), is_mig_profile);
  const auto mig_word = std::find(tokens.begin(), tokens.end(), "mig");
  if (profile != tokens.end() || mig_word != tokens.end()) {
    mig = true;
    std::string share = profile == tokens.end() ? "mig" : *profile;
    tokens.erase(std::min(profile, mig_word), tokens.end());
    return share;
  }
  if (tokens.size() < 2 || !is_vgpu_profile(tokens.back())) return {};
  std::string share = tokens.back();
  tokens.pop_back();
  if (tokens.size() > 1 && tokens.back().size() == 1 && all_digits(tokens.back()))
    tokens.pop_back();
  return share;
}

}  // namespace

DeviceName take_apart(std::string_view name) {
  DeviceName out;
  Tokens tokens = respell(split(name));
  out.share = take_share(tokens, out.mig);
  for (const std::string& token : tokens) {
    if (contains(kNoise, token)) continue;
    out.normal.append(out.normal.empty() ? "" : " ").append(token);
    if (contains(kBrands, token)) {
      out.brand.push_back(token);
    } else if (const auto size = memory_size(token)) {
      out.memory_gb = size;
    } else if (is_memory_type(token)) {
      out.memory_type = token;
    } else if (std::string form = form_of(token); !form.empty()) {
      out.form = std::move(form);
    } else {
      out.model.push_back(token);
    }
  }
  std::sort(out.model.begin(), out.model.end());
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace roofline::machine
