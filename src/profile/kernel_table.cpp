#include "profile/kernel_table.hpp"

#include <charconv>
#include <map>
#include <tuple>

#include "profile/csv_text.hpp"
#include "profile/kernel_cells.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::profile {
namespace {

/// What tells kernels apart, but for their counts.
using Key = std::tuple<std::string, std::string, DType, std::uint64_t>;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

class TableReader {
 public:
  TableReader(std::string_view text, std::string_view file, std::optional<DType> dtype)
      : csv_(text, file), file_(printable(file)), dtype_(dtype) {}

  KernelTable read() {
    std::vector<std::string> fields;
    if (!csv_.next(fields)) {
      throw InputError(
          "0 results: " + file_ +
          " is empty; its first line names the columns: name,flop,bytes,time_us,dtype");
    }
    columns_ = columns_of(fields, csv_.place());
    require_columns();
    while (csv_.next(fields)) add(fields);
    if (out_.rows == 0) {
      throw InputError("0 results: " + file_ +
                       " has a header and no row below it; add a row for each call that was timed");
    }
    tell_what_was_left_out();
    return std::move(out_);
  }

 private:
  [[noreturn]] void lacks(const std::string& what) const {
    throw InputError(csv_.place() + ": there is no column for " + what +
                     "; the columns are name, flop, bytes (or read and write), time and dtype");
  }

  void require_columns() const {
    for (const Meaning meaning : {Meaning::name, Meaning::flop, Meaning::time}) {
      if (!columns_[meaning]) lacks(std::string(name(meaning)));
    }
    const bool apart = columns_[Meaning::read] && columns_[Meaning::write];
    if (apart && columns_[Meaning::bytes]) {
      throw InputError(csv_.place() + ": " + printable(columns_[Meaning::bytes]->heading) +
                       " counts again what read and write count; keep one of them");
    }
    if (!apart && !columns_[Meaning::bytes])
      lacks(columns_[Meaning::read]    ? "write (what the kernel writes; 0 where it is nothing)"
            : columns_[Meaning::write] ? "read (what the kernel reads; 0 where it is nothing)"
                                       : "bytes");
    if (!columns_[Meaning::dtype] && !dtype_) {
      throw InputError(csv_.place() +
                       ": there is no column for dtype, which chooses the peak; add one, or give "
                       "--dtype for all rows");
    }
  }

  /// Nothing where there is no such column or the cell is empty.
  [[nodiscard]] std::optional<std::string> cell(const std::vector<std::string>& fields,
                                                Meaning meaning) const {
    const auto& column = columns_[meaning];
    if (!column) return std::nullopt;
    const std::string_view text = trim(fields[column->index]);
    if (text.empty()) return std::nullopt;
    return std::string(text);
  }

  [[nodiscard]] std::string at(Meaning meaning) const {
    return csv_.place() + ", column " + printable(columns_[meaning]->heading);
  }

  [[nodiscard]] std::string required(const std::vector<std::string>& fields,
                                     Meaning meaning) const {
    if (auto text = cell(fields, meaning)) return *text;
    const bool count = meaning == Meaning::flop || meaning == Meaning::bytes ||
                       meaning == Meaning::read || meaning == Meaning::write;
    throw InputError(at(meaning) + " is empty; " +
                     (count ? "write 0 where it is nothing, or leave the row out"
                            : "fill it in, or leave the row out"));
  }

  [[nodiscard]] Count count(const std::vector<std::string>& fields, Meaning meaning) const {
    return count_cell(*columns_[meaning], required(fields, meaning), meaning, csv_.place());
  }

  [[nodiscard]] DType dtype(const std::vector<std::string>& fields) const {
    const auto text = cell(fields, Meaning::dtype);
    if (!text && dtype_) return *dtype_;
    if (!text) (void)required(fields, Meaning::dtype);
    try {
      return parse_dtype(*text);
    } catch (const InputError& error) {
      throw InputError(at(Meaning::dtype) + ": " + error.what());
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> threads(const std::vector<std::string>& fields) const {
    const auto text = cell(fields, Meaning::threads);
    if (!text) return std::nullopt;
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), out);
    if (error == std::errc{} && end == text->data() + text->size() && out != 0) return out;
    throw InputError(at(Meaning::threads) + ": '" + printable(text->substr(0, 40), '?') +
                     "' is no number of threads; write a whole number from 1");
  }

  void add(const std::vector<std::string>& fields) {
    if (fields.size() != columns_.count) {
      throw InputError(csv_.place() + " has " + std::to_string(fields.size()) +
                       " fields where the header has " + std::to_string(columns_.count) +
                       "; put a field that holds a separator into quotes");
    }
    TimedKernel row;
    row.line = csv_.line();
    row.name = required(fields, Meaning::name);
    row.device = cell(fields, Meaning::device).value_or("");
    row.workload.flops = count(fields, Meaning::flop);
    row.directions_known = !columns_[Meaning::bytes];
    row.workload.read_bytes = count(fields, row.directions_known ? Meaning::read : Meaning::bytes);
    if (row.directions_known) row.workload.write_bytes = count(fields, Meaning::write);
    row.workload.dtype = dtype(fields);
    row.threads = threads(fields);
    const Seconds time =
        time_cell(*columns_[Meaning::time], required(fields, Meaning::time), csv_.place());
    require_work(row);
    Sample sample;
    sample.duration = time;
    kernel_of(std::move(row)).samples.push_back(std::move(sample));
    ++out_.rows;
  }

  void require_work(const TimedKernel& row) const {
    try {
      // Refuses a kernel that does nothing, and counts that do not fit.
      (void)account(row.workload);
    } catch (const InputError& error) {
      throw InputError(csv_.place() + ": " + error.what());
    }
  }

  /// The kernel that the row is a sample of.
  TimedKernel& kernel_of(TimedKernel&& row) {
    std::vector<std::size_t>& same =
        known_[Key{row.device, row.name, row.workload.dtype, row.threads.value_or(0)}];
    for (const std::size_t i : same) {
      if (out_.kernels[i].workload == row.workload) return out_.kernels[i];
    }
    same.push_back(out_.kernels.size());
    out_.kernels.push_back(std::move(row));
    return out_.kernels.back();
  }

  void tell_what_was_left_out() {
    std::string unknown;
    for (const std::string& heading : columns_.unknown)
      unknown += (unknown.empty() ? "" : ", ") + (heading.empty() ? "(no name)" : heading);
    if (!unknown.empty()) {
      out_.notes.push_back(file_ + ": not used: " + printable(unknown) +
                           "; known columns are name, flop, bytes, read, write, time, dtype, "
                           "device and threads");
    }
    std::size_t shared = 0;
    std::string first;
    for (const auto& [key, variants] : known_) {
      if (variants.size() < 2) continue;
      ++shared;
      if (first.empty()) first = std::get<1>(key);
    }
    if (shared != 0) {
      out_.notes.push_back(file_ + ": rows of " + printable(first) +
                           (shared == 1 ? "" : " and " + std::to_string(shared - 1) + " others") +
                           " differ in their counts, and are points of their own (#2, #3 ...)");
    }
  }

  CsvReader csv_;
  std::string file_;
  std::optional<DType> dtype_;
  Columns columns_;
  KernelTable out_;
  std::map<Key, std::vector<std::size_t>> known_;
};

}  // namespace

KernelTable read_kernel_table(std::string_view text, std::string_view file,
                              std::optional<DType> dtype) {
  return TableReader(text, file, dtype).read();
}

}  // namespace roofline::profile
