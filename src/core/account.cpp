#include "roofline/account.hpp"

#include "roofline/error.hpp"

namespace roofline {
namespace {

class Ledger {
 public:
  explicit Ledger(Account& account) : account_(account) {}

  void read(std::string tensor, Count bytes) { add(std::move(tensor), Direction::read, bytes); }
  void write(std::string tensor, Count bytes) { add(std::move(tensor), Direction::write, bytes); }

 private:
  void add(std::string tensor, Direction direction, Count bytes) {
    account_.traffic.push_back({std::move(tensor), direction, bytes});
  }
  Account& account_;
};

/// A converted operand costs a read of its source and a write of the buffer, beside the read by the
/// GEMM itself.
void convert(Ledger& ledger, const std::string& tensor, std::optional<DType> from, DType to,
             Count elements) {
  if (!from) return;
  ledger.read(tensor + " before conversion", packed_bytes(elements, storage_bits(*from)));
  ledger.write(tensor + " conversion buffer", packed_bytes(elements, storage_bits(to)));
}

/// How often the operands of a blocked matrix product cross the boundary: the left one once per
/// column of output tiles, the right one once per row of them. Across DRAM and the link each
/// crosses once, at the least.
struct Passes {
  Count left{1};
  Count right{1};
};

Passes passes_of(std::uint64_t rows, std::uint64_t columns, Tile tile, Boundary boundary) {
  if (boundary == Boundary::dram || boundary == Boundary::link) return {};
  return {ceil_div(Count{columns}, Count{tile.n}), ceil_div(Count{rows}, Count{tile.m})};
}

void count(const Gemm& w, Tile tile, Account& out) {
  const Count batch{w.batch};
  const Count a = Count{w.m} * Count{w.k} * batch;
  const Count b = Count{w.k} * Count{w.n} * batch;
  const Count c = Count{w.m} * Count{w.n} * batch;
  out.work = Count{2} * Count{w.m} * Count{w.n} * Count{w.k} * batch;
  out.convention = "2mnk per product, FMA = 2, alpha and beta not counted";
  const Passes passes = passes_of(w.m, w.n, tile, out.boundary);
  const unsigned in_bits = storage_bits(w.input);
  const Count c_bytes = packed_bytes(c, storage_bits(output_dtype(w)));

  Ledger ledger(out);
  convert(ledger, "A", w.convert_a_from, w.input, a);
  convert(ledger, "B", w.convert_b_from, w.input, b);
  ledger.read("A", packed_bytes(a, in_bits) * passes.left);
  ledger.read("B", packed_bytes(b, in_bits) * passes.right);
  if (w.beta != 0) ledger.read("C read", c_bytes);
  ledger.write("C", c_bytes);
}

void count(const Projection& w, Tile tile, Account& out) {
  const Count weights = Count{w.d_in} * Count{w.d_out};
  out.work = Count{2} * Count{w.rows} * weights;
  out.convention = "2 T d_in d_out, FMA = 2, dequantisation not counted";
  // Where its weights lie they cross once; how often they do further in is the tiles' affair.
  const Boundary crossed = out.boundary == w.level ? Boundary::dram : out.boundary;
  const Passes passes = passes_of(w.rows, w.d_out, tile, crossed);
  Ledger ledger(out);
  const unsigned weight_bits = storage_bits(w.weight.value_or(w.activation));
  ledger.read("weights", packed_bytes(weights, weight_bits) * passes.right);
  if (w.scale_group != 0) {
    const Count groups = ceil_div(Count{w.d_in}, Count{w.scale_group}) * Count{w.d_out};
    ledger.read("scales", packed_bytes(groups, w.scale_bits) * passes.right);
  }
  const Count input = packed_bytes(Count{w.rows} * Count{w.d_in}, storage_bits(w.activation));
  ledger.read("input", input * passes.left);
  ledger.write("output",
               packed_bytes(Count{w.rows} * Count{w.d_out}, storage_bits(output_dtype(w))));
}

struct StreamShape {
  unsigned reads;
  unsigned writes;
  unsigned flops;
};

StreamShape shape_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::read:
      return {1, 0, 0};
    case StreamKind::write:
      return {0, 1, 0};
    case StreamKind::copy:
      return {1, 1, 0};
    case StreamKind::scale:
    case StreamKind::update:
      return {1, 1, 1};
    case StreamKind::add:
      return {2, 1, 1};
    case StreamKind::triad:
      break;
  }
  return {2, 1, 2};
}

void count(const Stream& w, Tile, Account& out) {
  const StreamShape shape = shape_of(w.kind);
  const Count array = packed_bytes(Count{w.elements}, storage_bits(w.dtype));
  out.work = Count{shape.flops} * Count{w.elements};
  out.convention = "STREAM: FLOP and bytes that the code names; the checksum of a read is not work";
  Ledger ledger(out);
  const char* const read_names[] = {w.kind == StreamKind::update ? "a read" : "b", "c"};
  for (unsigned i = 0; i < shape.reads; ++i) ledger.read(read_names[i], array);
  if (shape.writes == 1) {
    ledger.write("a", array);
    // An update has read the line already.
    if (w.write_allocate && w.kind != StreamKind::update) out.write_allocate = array;
  }
}

void count(const Elementwise& w, Tile, Account& out) {
  const Count array = packed_bytes(Count{w.elements}, storage_bits(w.dtype));
  out.work = Count{w.ops} * Count{w.elements};
  out.convention = "one FLOP per element and operation";
  const Count kernels = ceil_div(Count{w.ops}, Count{w.ops_per_kernel});
  const Count intermediates{kernels.value() - 1};
  Ledger ledger(out);
  ledger.read("inputs", Count{w.inputs} * array);
  if (intermediates.value() != 0) {
    ledger.read("intermediates read", intermediates * array);
    ledger.write("intermediates", intermediates * array);
  }
  ledger.write("output", array);
}

void count(const Kernel& w, Tile, Account& out) {
  out.convention = "as given";
  out.work = w.flops;
  out.stated_intensity = w.intensity;
  Ledger ledger(out);
  if (w.read_bytes) ledger.read("read", *w.read_bytes);
  if (w.write_bytes) ledger.write("written", *w.write_bytes);
}

void count(const PeakProbe& w, Tile, Account& out) {
  out.work = Count{w.flops};
  out.convention = "FMA = 2, registers only";
}

void count(const Launch&, Tile, Account& out) {
  out.work = Count{0};
  out.convention = "an empty call: no work, no bytes";
}

void count(const Transfer& w, Tile, Account& out) {
  out.work = Count{0};
  out.convention = "a copy over the link: no work, its bytes once";
  Ledger ledger(out);
  if (w.direction == TransferDirection::to_device) {
    ledger.read("host to device", Count{w.bytes});
  } else {
    ledger.write("device to host", Count{w.bytes});
  }
}

Boundary level_of(const Workload& workload) {
  if (const auto* stream = std::get_if<Stream>(&workload)) return stream->level;
  if (const auto* projection = std::get_if<Projection>(&workload)) return projection->level;
  return std::holds_alternative<Transfer>(workload) ? Boundary::link : Boundary::dram;
}

template <class Select>
Count sum_traffic(const Account& account, Select&& select) {
  Count total;
  for (const TensorTraffic& entry : account.traffic) {
    if (select(entry)) total += entry.bytes;
  }
  return total;
}

}  // namespace

Account account(const Workload& workload, std::optional<Boundary> boundary, Tile tile) {
  validate(workload);
  if (tile.m == 0 || tile.n == 0) {
    throw InputError("a tile of " + std::to_string(tile.m) + "x" + std::to_string(tile.n) +
                     " holds nothing; give both sizes at least 1");
  }
  Account out;
  out.boundary = boundary.value_or(level_of(workload));
  try {
    std::visit([&](const auto& w) { count(w, tile, out); }, workload);
    static_cast<void>(
        moved_traffic(out));  // the sum must fit too, so that no later use of it can fail
  } catch (const InputError& error) {
    throw InputError(std::string(kind_name(workload)) + " " + shape_label(workload) + ": " +
                     error.what());
  }
  return out;
}

Count total_traffic(const Account& account) {
  return sum_traffic(account, [](const TensorTraffic&) { return true; });
}

Count read_traffic(const Account& account) {
  return sum_traffic(account,
                     [](const TensorTraffic& t) { return t.direction == Direction::read; });
}

Count moved_traffic(const Account& account) {
  return total_traffic(account) + account.write_allocate;
}

std::optional<Intensity> intensity(const Account& account) {
  if (account.stated_intensity) return account.stated_intensity;
  const Count bytes = total_traffic(account);
  if (!account.work || bytes.value() == 0) return std::nullopt;
  return flop(account.work->as_double()) / byte(bytes.as_double());
}

}  // namespace roofline
