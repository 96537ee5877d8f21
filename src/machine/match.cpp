#include "machine/match.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <roofline/printable.hpp>

#include "machine/device_name.hpp"

namespace roofline::machine {
namespace {

using Candidates = std::vector<const Accelerator*>;

constexpr std::size_t kNearNames = 5;
constexpr std::size_t kLongestName = 100;  ///< nothing longer is a misspelt device

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> ids_of(const Candidates& candidates) {
  std::vector<std::string> out;
  for (const Accelerator* candidate : candidates) out.push_back(candidate->id);
  return out;
}

/// As a sentence quotes it: names are other people's text, and a sentence stays one short line.
std::string quoted(std::string_view name) {
  return "'" + printable(name.substr(0, kLongestName), '?') +
         (name.size() > kLongestName ? "...'" : "'");
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

/// Sizes under which the product is sold: the nameplate, and others that its file lists.
bool sold_with(const Accelerator& accelerator, double gb) {
  if (!accelerator.memory.nameplate_gb) return true;  // not known, so nothing contradicts it
  if (accelerator.memory.nameplate_gb->value == gb) return true;
  return std::any_of(accelerator.alternates.begin(), accelerator.alternates.end(),
                     [&](const Alternate& alternate) {
                       double size = 0;
                       const std::string& text = alternate.value;
                       std::from_chars(text.data(), text.data() + text.size(), size);
                       return alternate.field == "memory.capacity_gb" && size == gb;
                     });
}

/// Brand words may be left out, but not wrong: `GTX 4090` is no RTX 4090.
bool brand_agrees(const Accelerator& accelerator, const DeviceName& name) {
  std::vector<std::string> own = take_apart(accelerator.model).brand;
  for (const std::string& text : accelerator.names) {
    const auto more = take_apart(text).brand;
    own.insert(own.end(), more.begin(), more.end());
  }
  return std::all_of(name.brand.begin(), name.brand.end(),
                     [&](const std::string& word) { return contains(own, word); });
}

bool same_model(const Accelerator& accelerator, const std::vector<std::string>& model) {
  return !model.empty() && take_apart(accelerator.model).model == model;
}

bool variant_agrees(const Accelerator& accelerator, const DeviceName& name) {
  if (!name.form.empty() && take_apart(accelerator.form_factor).form != name.form) return false;
  if (name.memory_gb && !sold_with(accelerator, *name.memory_gb)) return false;
  return name.memory_type.empty() ||
         take_apart(accelerator.memory.type).memory_type == name.memory_type;
}

template <class Predicate>
Candidates only(const Candidates& all, Predicate predicate) {
  Candidates out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const Accelerator* accelerator) { return predicate(*accelerator); });
  return out;
}

bool is_called(const Accelerator& accelerator, const std::string& normal) {
  const auto same = [&](const std::string& text) { return take_apart(text).normal == normal; };
  return same(accelerator.id) ||
         std::any_of(accelerator.names.begin(), accelerator.names.end(), same) ||
         std::any_of(accelerator.aliases.begin(), accelerator.aliases.end(), same);
}

/// Ids that look like the name, nearest first: compared as whole name, id and bare model.
std::vector<std::string> near_ids(const Candidates& all, const DeviceName& name) {
  std::string model;
  for (const std::string& word : name.model) model.append(model.empty() ? "" : " ").append(word);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  if (name.normal.size() > kLongestName) return {};
  for (const Accelerator* accelerator : all) {
    const DeviceName own = take_apart(accelerator->model);
    std::string own_model;
    for (const std::string& word : own.model)
      own_model.append(own_model.empty() ? "" : " ").append(word);
    std::size_t distance = std::min(edit_distance(model, own_model),
                                    edit_distance(name.normal, take_apart(accelerator->id).normal));
    for (const std::string& text : accelerator->names) {
      distance = std::min(distance, edit_distance(name.normal, take_apart(text).normal));
    }
    // Every word of a short name inside a longer one (`RTX PRO 6000`) is nearer than a misspelling.
    if (!name.model.empty() &&
        std::includes(own.model.begin(), own.model.end(), name.model.begin(), name.model.end())) {
      distance = std::min<std::size_t>(distance, 1);
    }
    const std::size_t limit = std::clamp<std::size_t>(name.normal.size() / 4, 1, 3);
    if (distance <= limit) ranked.emplace_back(distance, accelerator->id);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> out;
  for (const auto& [distance, id] : ranked) {
    if (out.size() < kNearNames) out.push_back(id);
  }
  return out;
}

Match found(const Accelerator& accelerator, std::string by, const DeviceQuery& query) {
  Match out;
  out.accelerator = &accelerator;
  if (facts_agree(accelerator, query)) {
    out.status = MatchStatus::found;
    out.by = std::move(by);
    if (!accelerator.shared_name.empty() && !(query.sm_count && query.memory)) {
      out.cautions.push_back(accelerator.shared_name);
    }
    return out;
  }
  out.status = MatchStatus::partial;
  out.base = accelerator.model;
  const bool sms_differ =
      query.sm_count && accelerator.sm_count && *query.sm_count != accelerator.sm_count->value;
  out.reason = quoted(query.name) + " is " + accelerator.id + " by name, but reports ";
  if (sms_differ) {
    out.reason += std::to_string(*query.sm_count) + " SMs instead of " +
                  std::to_string(accelerator.sm_count->value);
  } else {
    out.reason += std::to_string(std::llround(in_byte(*query.memory) / kGibi)) +
                  " GiB of memory, which that product does not have";
  }
  out.reason += ": a slice of the card, or another product of the same name; its peaks do not hold";
  return out;
}

Match ambiguous(const DeviceQuery& query, const Candidates& candidates) {
  Match out;
  out.status = MatchStatus::ambiguous;
  out.near = ids_of(candidates);
  out.reason = quoted(query.name) + " may be " + listed(out.near) + "; name one of them";
  return out;
}

/// The model is known, this memory size, form or type of it is not.
Match other_variant(const DeviceQuery& query, const Candidates& family) {
  Match out = ambiguous(query, family);
  out.reason = quoted(query.name) + " is no " + family.front()->model +
               " that is known; those are " + listed(out.near) +
               ", name one of them if it is meant";
  return out;
}

Match unknown(const DeviceQuery& query, const DeviceName& name, const Candidates& all) {
  Match out;
  out.near = near_ids(all, name);
  out.reason = "no accelerator " + quoted(query.name) + " is known";
  for (const char* word : {"laptop", "mobile", "maxq"}) {
    if (contains(name.model, word)) {
      out.reason += " (laptop, mobile and Max-Q parts are products of their own)";
      break;
    }
  }
  if (!out.near.empty()) out.reason += "; near names are " + listed(out.near);
  return out;
}

/// `A10-8Q`, `GRID A100D-80C`, `A100-SXM4-80GB MIG 1g.10gb`: names the card behind the share.
Match share_of_card(const DeviceQuery& query, const DeviceName& name, const Candidates& all) {
  Match out;
  out.status = MatchStatus::partial;
  const std::string what = name.mig ? "a MIG slice" : "a virtual GPU";
  const auto family_of = [&](const std::vector<std::string>& model) {
    return only(
        all, [&](const Accelerator& a) { return same_model(a, model) && variant_agrees(a, name); });
  };
  Candidates family = family_of(name.model);
  double least_gb = 0;
  if (family.empty() && name.model.size() == 1 && !name.mig) {
    // vGPU managers call the larger or socketed board of a model A100D, A100X, A100DX, V100D.
    std::string board = name.model.front();
    while (!board.empty() && (board.back() == 'd' || board.back() == 'x')) board.pop_back();
    family = family_of({board});
  }
  if (!name.mig) {
    std::from_chars(name.share.data(), name.share.data() + name.share.size(), least_gb);
    family = only(family, [&](const Accelerator& a) {
      return !a.memory.nameplate_gb || a.memory.nameplate_gb->value >= least_gb;
    });
  }
  if (family.empty()) {
    out.reason =
        quoted(query.name) + " is " + what +
        " on a card that the catalogue does not know; the card's peaks would not hold for it";
    return out;
  }
  out.near = ids_of(family);
  out.base = family.front()->model;
  if (family.size() == 1) {
    out.accelerator = family.front();
  } else if (const auto& gb = family.front()->memory.nameplate_gb;
             gb && std::all_of(family.begin(), family.end(), [&](const Accelerator* a) {
               return a->memory.nameplate_gb && a->memory.nameplate_gb->value == gb->value;
             })) {
    out.base += " " + std::to_string(std::llround(gb->value)) + "GB";
  }
  out.reason = quoted(query.name) + " is " + what + " on " + out.base + " (" + listed(out.near) +
               "): it shares the card, whose peaks do not hold for it";
  return out;
}

}  // namespace

std::string_view name(MatchStatus status) {
  constexpr std::string_view names[] = {"found", "partial", "ambiguous", "unknown"};
  return names[static_cast<std::size_t>(status)];
}

bool facts_agree(const Accelerator& accelerator, const DeviceQuery& query) {
  if (query.sm_count && accelerator.sm_count && *query.sm_count != accelerator.sm_count->value) {
    return false;
  }
  if (!query.memory) return true;
  if (accelerator.memory.reported && !has_inline_ecc(accelerator.memory)) {
    return std::abs(*query.memory / accelerator.memory.reported->value - 1) <= 0.03;
  }
  if (!accelerator.memory.nameplate_gb) return true;
  const double of_nameplate =
      in_byte(*query.memory) / (accelerator.memory.nameplate_gb->value * kGibi);
  return of_nameplate >= 0.90 && of_nameplate <= 1.02;
}

Match match(const Catalogue& catalogue, const DeviceQuery& query) {
  if (const Accelerator* accelerator = catalogue.find(query.name)) {
    return found(*accelerator, "id", query);
  }
  const Candidates named = catalogue.with_exact_name(query.name);
  if (named.size() == 1) return found(*named.front(), "exact name", query);

  const Candidates all = catalogue.all();
  const DeviceName name = take_apart(query.name);
  if (!name.share.empty()) return share_of_card(query, name, all);

  const auto resolve = [&](const Candidates& candidates, const std::string& by) {
    if (candidates.size() == 1) return found(*candidates.front(), by, query);
    const Candidates agreeing =
        only(candidates, [&](const Accelerator& a) { return facts_agree(a, query); });
    if (agreeing.size() == 1) return found(*agreeing.front(), by + ", SM count and memory", query);
    return ambiguous(query, agreeing.empty() ? candidates : agreeing);
  };
  if (!named.empty()) return resolve(named, "exact name");

  const Candidates called = only(all, [&](const Accelerator& a) {
    return is_called(a, name.normal) && brand_agrees(a, name);
  });
  if (!called.empty()) return resolve(called, "name");

  const Candidates family = only(all, [&](const Accelerator& a) {
    return same_model(a, name.model) && brand_agrees(a, name);
  });
  // A name that a file knows to be another product's is not settled by circumstantial evidence.
  const bool other_product = std::any_of(all.begin(), all.end(), [&](const Accelerator* a) {
    return std::any_of(a->not_to_confuse.begin(), a->not_to_confuse.end(),
                       [&](const auto& text) { return take_apart(text).normal == name.normal; });
  });
  const Candidates fitting =
      only(family, [&](const Accelerator& a) { return variant_agrees(a, name); });
  if (!fitting.empty() && !other_product) return resolve(fitting, "name");
  if (!fitting.empty()) return ambiguous(query, fitting);
  if (family.size() > 1) return other_variant(query, family);
  return unknown(query, name, all);
}

}  // namespace roofline::machine
