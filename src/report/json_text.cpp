#include "report/json_out.hpp"
#include "report/json_writer.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

void put(JsonOut& out, const Json& value);

void put_parts(JsonOut& out, const Json& value) {
  for (const auto& entry : value.items()) {
    if (value.is_object()) out.key(entry.key());
    put(out, entry.value());
  }
  out.close();
}

void put(JsonOut& out, const Json& value) {
  if (value.is_object()) {
    out.open_object();
    put_parts(out, value);
  } else if (value.is_array()) {
    out.open_list();
    put_parts(out, value);
  } else if (value.is_boolean()) {
    out.item(value.get<bool>());
  } else if (value.is_number_unsigned()) {
    out.item(value.get<std::uint64_t>());
  } else if (value.is_number_integer()) {
    out.item(value.get<std::int64_t>());
  } else if (value.is_number()) {
    out.item(value.get<double>());
  } else if (value.is_string()) {
    out.item(value.get_ref<const std::string&>());
  } else {
    out.item(nullptr);
  }
}

}  // namespace

std::string to_text(const Json& value) {
  JsonOut out;
  put(out, value);
  std::string text;
  out.append_text(text);
  return text += '\n';
}

std::string to_line(const Json& value) {
  JsonOut out;
  put(out, value);
  std::string text;
  out.append_line(text);
  return text;
}

}  // namespace roofline::report
