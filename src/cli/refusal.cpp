#include "cli/refusal.hpp"

#include <string>

#include "report/json_writer.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

ExitStatus with_refusal_as_json(bool json, Io& io, const std::function<ExitStatus()>& action) {
  const auto print = [&](const std::exception& error) {
    if (json) io.out << report::to_text({{"refused", error.what()}});
  };
  try {
    return action();
  } catch (const InputError& error) {
    print(error);
    throw;
  } catch (const NotAvailable& error) {
    print(error);
    throw;
  } catch (const FileError& error) {
    print(error);
    throw;
  }
}

}  // namespace roofline::cli
