#include "scenario_devices.hpp"

#include <array>
#include <string_view>

#include "random.hpp"

namespace fakegpu {
namespace {

struct Key {
  std::string_view name;
  void (*apply)(const Line&, std::string_view, DeviceModel&);
};

void compute_capability(const Line& line, std::string_view value, DeviceModel& model) {
  const std::size_t dot = value.find('.');
  if (dot == std::string_view::npos) line.fail("cc= wants MAJOR.MINOR, like 9.0");
  model.major = static_cast<int>(line.whole(value.substr(0, dot)));
  model.minor = static_cast<int>(line.whole(value.substr(dot + 1)));
}

void ecc(const Line& line, std::string_view value, DeviceModel& model) {
  model.ecc_known = value != "unknown";
  if (model.ecc_known) model.ecc = line.flag(value);
}

void uuid(const Line& line, std::string_view value, DeviceModel& model) {
  if (value.size() != 32 || value.find_first_not_of("0123456789abcdef") != value.npos) {
    line.fail("uuid= wants 32 hexadecimal digits in lower case");
  }
  model.uuid = value;
}

constexpr std::array kKeys{
    Key{"name", [](const Line&, std::string_view v, DeviceModel& m) { m.name = v; }},
    Key{"cc", compute_capability},
    Key{"sms", [](const Line& l, std::string_view v,
                  DeviceModel& m) { m.sm_count = static_cast<int>(l.whole(v)); }},
    Key{"memory",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.memory_bytes = l.bytes(v); }},
    Key{"memory_limit", [](const Line& l, std::string_view v,
                           DeviceModel& m) { m.memory_limit_bytes = l.bytes(v); }},
    Key{"l2", [](const Line& l, std::string_view v, DeviceModel& m) { m.l2_bytes = l.bytes(v); }},
    Key{"bus", [](const Line& l, std::string_view v,
                  DeviceModel& m) { m.bus_bits = static_cast<unsigned>(l.whole(v)); }},
    Key{"clock",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.clock_khz = l.kilohertz(v); }},
    Key{"memory_clock", [](const Line& l, std::string_view v,
                           DeviceModel& m) { m.memory_clock_khz = l.kilohertz(v); }},
    Key{"bandwidth",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.bandwidth = l.rate(v); }},
    Key{"l2_bandwidth",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.l2_bandwidth = l.rate(v); }},
    Key{"pinned",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.pinned_bandwidth = l.rate(v); }},
    Key{"pageable", [](const Line& l, std::string_view v,
                       DeviceModel& m) { m.pageable_bandwidth = l.rate(v); }},
    Key{"efficiency",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.efficiency = l.ratio(v); }},
    Key{"matrix_efficiency", [](const Line& l, std::string_view v,
                                DeviceModel& m) { m.matrix_efficiency = l.ratio(v); }},
    Key{"slow",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.bandwidth_factor = l.ratio(v); }},
    Key{"slow_clock",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.clock_factor = l.ratio(v); }},
    Key{"power_limit", [](const Line& l, std::string_view v,
                          DeviceModel& m) { m.power_limit_w = static_cast<double>(l.whole(v)); }},
    Key{"ecc", ecc},
    Key{"ecc_errors", [](const Line& l, std::string_view v,
                         DeviceModel& m) { m.ecc_errors = static_cast<unsigned>(l.whole(v)); }},
    Key{"ecc_errors_after", [](const Line& l, std::string_view v,
                               DeviceModel& m) { m.ecc_errors_after = l.seconds(v); }},
    Key{"persistence",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.persistence = l.flag(v); }},
    Key{"virtual",
        [](const Line& l, std::string_view v, DeviceModel& m) { m.virtual_gpu = l.flag(v); }},
    Key{"uuid", uuid},
};

constexpr std::string_view kAttribute = "attribute.";

}  // namespace

void apply_device_options(const Line& line, DeviceModel& model) {
  for (const auto& [name, value] : line.options()) {
    if (name.rfind(kAttribute, 0) == 0) {
      const auto number = line.whole(std::string_view(name).substr(kAttribute.size()));
      model.attributes[static_cast<int>(number)] = static_cast<int>(line.whole(value));
      continue;
    }
    bool known = false;
    for (const Key& key : kKeys) {
      if (key.name != name) continue;
      key.apply(line, value, model);
      known = true;
    }
    if (known) continue;
    std::string names;
    for (const Key& key : kKeys) names += std::string(key.name) + "=, ";
    line.fail("`" + name + "=` is no key of a device; keys are " + names + "attribute.NUMBER=");
  }
}

void give_identity(DeviceModel& model, std::size_t index) {
  if (model.uuid.empty()) {
    Random random(seed_from(index, model.name));
    constexpr std::string_view digits = "0123456789abcdef";
    for (int i = 0; i < 32; ++i) model.uuid += digits[random.bits() % digits.size()];
  }
  // As in servers: not in the order of the numbers, and not beginning at 0.
  model.pci_bus = 0x17 + 0x22 * static_cast<unsigned>(index % 7);
  model.pci_domain = static_cast<unsigned>(index / 7);
}

}  // namespace fakegpu
