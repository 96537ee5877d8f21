#include "backend/scripted/script.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "backend/scripted/point_keys.hpp"
#include "backend/scripted/script_text.hpp"
#include "roofline/printable.hpp"

namespace roofline::scripted {
namespace {

/// Reads statements into a script, one after the other.
class Reader {
 public:
  explicit Reader(std::string_view origin) : place_{printable(origin, '?'), 0} {
    script_.label = place_.origin;
  }

  void read(std::string_view line);
  /// What only the whole text can tell.
  std::vector<Script> finish();

 private:
  struct Statement {
    std::string_view name;
    std::size_t fewest;  ///< words after the name
    std::size_t most;
    std::string_view form;
    void (Reader::*read)();
    bool once = true;  ///< no second line with the same words but the last
  };
  static const std::vector<Statement>& statements();

  Value value(std::size_t index) const {
    return {place_, words_[0].text, words_[index].text, words_[index].quoted};
  }
  void refuse_again(const Statement& statement);

  void device();
  void end_section();
  void name() { script_.name = words_[1].text; }
  void seed() { script_.seed = value(1).whole(0, UINT64_MAX); }
  void threads() { script_.threads = value(1).whole(1, 65536); }
  void memory() { script_.memory = value(1).bytes(); }
  void pace() { script_.pace = value(1).ratio(0, 10); }
  void clock() { script_.clock = value(1).frequency(); }
  void throttle() {
    script_.throttle = parse_throttle(value(1), value(2));
    clock_wanted_.push_back(place_);
  }
  void heat();
  void fact();
  void peak();
  void bandwidth();
  void level();
  void overhead();
  void point();

  Boundary boundary(std::size_t index, std::string_view known) const;
  void require_some_kind(std::string_view pattern) const;

  Script script_;                 ///< of the section being read
  std::optional<Script> common_;  ///< what stands before the first `device` line
  std::vector<Script> devices_;   ///< whose sections are over
  Place place_;
  std::vector<Word> words_;  ///< of the line being read
  std::set<std::string> seen_;
  std::vector<Place> clock_wanted_;  ///< lines that mean nothing without a clock
};

const std::vector<Reader::Statement>& Reader::statements() {
  static const std::vector<Statement> table{
      {"device", 1, 2, "device cuda:0 \"Toy accelerator\"", &Reader::device, false},
      {"name", 1, 1, "name \"Toy accelerator\"", &Reader::name},
      {"fact", 2, 2, "fact driver_version \"1.2\"", &Reader::fact},
      {"seed", 1, 1, "seed 7", &Reader::seed},
      {"threads", 1, 1, "threads 4", &Reader::threads},
      {"memory", 1, 1, "memory 16GiB", &Reader::memory},
      {"clock", 1, 1, "clock 2GHz", &Reader::clock},
      {"throttle", 2, 2, "throttle 5s 60%", &Reader::throttle},
      {"heat", 2, 3, "heat 1s 85%, or heat 1s 85% sw_power_cap", &Reader::heat},
      {"pace", 1, 1, "pace 0.1", &Reader::pace},
      {"peak", 2, 2, "peak bf16 4TFLOP/s", &Reader::peak},
      {"bandwidth", 2, 3, "bandwidth dram 100GB/s, or bandwidth dram copy 90GB/s",
       &Reader::bandwidth},
      {"level", 2, 2, "level l2 2MiB", &Reader::level},
      {"overhead", 2, 2, "overhead kernel 4us", &Reader::overhead},
      {"point", 2, 100, "point gemm/bf16/* efficiency=80% noise=1%", &Reader::point, false},
  };
  return table;
}

void Reader::read(std::string_view line) {
  ++place_.line;
  if (line.ends_with('\r')) line.remove_suffix(1);
  words_ = split_words(line, place_);
  if (words_.empty()) return;
  for (const Statement& statement : statements()) {
    if (statement.name != words_[0].text) continue;
    const std::size_t count = words_.size() - 1;
    if (count < statement.fewest || count > statement.most) {
      place_.fail("'" + words_[0].text + "' has " + std::to_string(count) +
                  (count == 1 ? " value" : " values") + " after it; write for example " +
                  std::string(statement.form));
    }
    if (statement.once) refuse_again(statement);
    return (this->*statement.read)();
  }
  place_.fail("'" + words_[0].text + "' is no statement; known are " +
              list_of(statements(), [](const Statement& s) { return std::string(s.name); }));
}

/// Two lines for one thing are a slip: which of them would count is easily missed. A last word that
/// is the value does not tell lines apart.
void Reader::refuse_again(const Statement& statement) {
  const bool value_pair = statement.name == "throttle" || statement.name == "heat";
  const std::size_t end = value_pair ? 1 : words_.size() - 1;
  std::string key;
  for (std::size_t i = 0; i < end; ++i) key += (i == 0 ? "" : " ") + words_[i].text;
  if (!seen_.insert(key).second)
    place_.fail("'" + key + "' has a line of its own before; keep one of them");
}

void Reader::heat() {
  script_.heat = parse_throttle(value(1), value(2));
  script_.heat_event.reset();
  if (words_.size() == 4) script_.heat_event = parse_clock_event(value(3));
  clock_wanted_.push_back(place_);
}

void Reader::fact() {
  const std::string& key = words_[1].text;
  require_fact_key(key, place_);
  constexpr std::array<std::string_view, 8> own{"backend", "script",  "threads", "clock_hz",
                                                "l1_byte", "l2_byte", "l3_byte", "dram_array_byte"};
  if (std::find(own.begin(), own.end(), key) != own.end()) {
    place_.fail("the fact '" + key +
                "' follows from the script and its other statements; leave the line out");
  }
  std::erase_if(script_.facts, [&](const Fact& fact) { return fact.key == key; });
  script_.facts.push_back({key, value(2).fact()});
}

/// Begins a section: what it states replaces what stands before the first one.
void Reader::device() {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_:-";
  const std::string& id = words_[1].text;
  if (id.empty() || id.find_first_not_of(allowed) != std::string::npos || id == "all") {
    place_.fail("'" + id +
                "' is no id of a device; use lower-case letters, digits, :, _ and -, as in cuda:0");
  }
  end_section();
  for (const Script& known : devices_) {
    if (known.id == id) place_.fail("the device '" + id + "' has a section before; keep one");
  }
  script_ = *common_;
  script_.id = id;
  if (words_.size() == 3) script_.name = words_[2].text;
  seen_.clear();
}

void Reader::end_section() {
  if (!script_.clock && !clock_wanted_.empty()) {
    clock_wanted_.front().fail(
        "changes the core clock, of which the script states none; add a line such as clock 2GHz");
  }
  if (common_) {
    devices_.push_back(script_);
  } else {
    common_ = script_;
  }
}

void Reader::peak() {
  const auto dtype = find_dtype(words_[1].text);
  if (!dtype || *dtype == DType::int32) {
    std::vector<DTypeInfo> known(dtypes().begin(), dtypes().end());
    std::erase_if(known, [](const DTypeInfo& entry) { return entry.dtype == DType::int32; });
    place_.fail("'" + words_[1].text + "' is no type to compute in; known are " +
                list_of(known, [](const DTypeInfo& entry) { return std::string(entry.name); }));
  }
  script_.peaks[*dtype] = value(2).performance();
}

Boundary Reader::boundary(std::size_t index, std::string_view known) const {
  const auto found = find_boundary(words_[index].text);
  const bool cache = found == Boundary::l3 || found == Boundary::l2 || found == Boundary::l1;
  if (!found || (words_[0].text == "level" && !cache)) {
    place_.fail("'" + words_[index].text + "' is no level of a " + words_[0].text +
                " line; known are " + std::string(known));
  }
  return *found;
}

void Reader::bandwidth() {
  StatedBandwidth out;
  out.level = boundary(1, "dram, l3, l2, l1, link");
  if (words_.size() == 4 && out.level == Boundary::link) {
    out.direction = find_transfer_direction(words_[2].text);
    if (!out.direction)
      place_.fail("'" + words_[2].text + "' is no way over the link; known are to_device, to_host");
  } else if (words_.size() == 4) {
    out.mix = find_stream_kind(words_[2].text);
    if (!out.mix)
      place_.fail("'" + words_[2].text + "' is no stream; known are " + stream_kind_list());
  }
  const std::size_t last = words_.size() - 1;
  out.rate = value(last).bandwidth();
  std::erase_if(script_.bandwidths, [&](const StatedBandwidth& stated) {
    return stated.level == out.level && stated.mix == out.mix && stated.direction == out.direction;
  });
  script_.bandwidths.push_back(out);
}

void Reader::level() { script_.levels[boundary(1, "l3, l2, l1")] = value(2).bytes(); }

void Reader::overhead() {
  const auto path = find_launch_path(words_[1].text);
  if (!path) {
    place_.fail("'" + words_[1].text + "' is no launch; known are " + launch_path_list());
  }
  script_.overheads[*path] = value(2).seconds();
}

/// A pattern that no point can have is a typing error, and would be passed over in silence.
void Reader::require_some_kind(std::string_view pattern) const {
  const auto kinds = kind_names();
  const std::size_t wild = pattern.find_first_of("*?");
  const std::string literal(pattern.substr(0, wild));
  for (const std::string_view kind : kinds) {
    const std::string start = std::string(kind) + "/";
    if (literal.starts_with(start)) return;
    if (wild != std::string_view::npos && start.starts_with(literal)) return;
  }
  place_.fail("no point can have a name like '" + std::string(pattern) +
              "'; names begin with a kind (" +
              list_of(kinds, [](std::string_view kind) { return std::string(kind); }) +
              ") and a /; write for example gemm/*");
}

void Reader::point() {
  Rule rule;
  rule.pattern = words_[1].text;
  require_some_kind(rule.pattern);
  std::set<std::string_view> keys;
  for (std::size_t i = 2; i < words_.size(); ++i) {
    const std::string_view key = key_of(words_[i]);
    if (!keys.insert(key).second)
      place_.fail("'" + std::string(key) + "' is set twice in this line; keep one of them");
    if (key == "clock" || key == "throttle") clock_wanted_.push_back(place_);
    rule.settings.push_back(parse_setting(words_[i], place_));
  }
  script_.rules.push_back(std::move(rule));
}

std::vector<Script> Reader::finish() {
  end_section();
  if (devices_.empty()) devices_.push_back(std::move(*common_));
  return std::move(devices_);
}

}  // namespace

std::vector<Script> parse_devices(std::string_view text, std::string_view origin) {
  Reader reader(origin);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

Script parse_script(std::string_view text, std::string_view origin) {
  return parse_devices(text, origin).front();
}

Behaviour behaviour_of(const Script& script, const std::vector<std::string>& names) {
  Behaviour out;
  for (const Rule& rule : script.rules) {
    const bool matches = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return glob_match(rule.pattern, name);
    });
    if (!matches) continue;
    for (const auto& set : rule.settings) set(out);
  }
  return out;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  // Only the last star need ever be tried again, which keeps this quadratic at worst.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace roofline::scripted
