#include "report/columns.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "report/grid.hpp"

namespace roofline::cli {
namespace {

/// What numbers of exports are in: always the base unit.
std::string base_unit(report::Unit unit) {
  return unit == report::Unit::share ? "ratio" : std::string(report::symbol(unit));
}

}  // namespace

Action add_columns(CLI::App&, const Invocation&) {
  return [](Io& io) {
    report::Grid grid({{"key", "", false}, {"unit", "", false}, {"what", "", false}});
    for (const report::Column& column : report::columns()) {
      report::Grid::Row row;
      row.cells = {std::string(column.key), base_unit(column.unit),
                   std::string(column.description)};
      grid.add(std::move(row));
    }
    io.out << grid.text(100, false);
    return ExitStatus::ok;
  };
}

}  // namespace roofline::cli
