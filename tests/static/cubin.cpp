#include "cubin.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace gates {
namespace {

constexpr std::size_t kInstruction = 16;

/// Bits 0..8: what is done. (9..11 say where the operands are.) Found on the probes of probes.cu.
std::optional<Op> op_of(std::uint64_t low) {
  switch (low & 0x1ffU) {
    case 0x181:
      return Op::load_global;
    case 0x186:
      return Op::store_global;
    case 0x184:
      return Op::load_shared;
    case 0x188:
      return Op::store_shared;
    case 0x183:
      return Op::load_local;
    case 0x187:
      return Op::store_local;
    case 0x189:
      return Op::shuffle;
    case 0x11d:
      return Op::barrier;
    case 0x03c:
      return Op::matrix_product;
    case 0x023:
      return Op::fma;
    default:
      return std::nullopt;
  }
}

bool moves_data(Op op) {
  switch (op) {
    case Op::load_global:
    case Op::store_global:
    case Op::load_shared:
    case Op::store_shared:
    case Op::load_local:
    case Op::store_local:
      return true;
    default:
      return false;
  }
}

/// Bits 73..75 of a load or store; 6 = 128 bits.
bool is_128(std::uint64_t high) { return (high >> 9 & 7U) == 6; }

void count(std::string_view code, KernelCode& kernel) {
  for (std::size_t at = 0; at + kInstruction <= code.size(); at += kInstruction) {
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), code.data() + at, kInstruction);
    const auto op = op_of(words[0]);
    if (!op) continue;
    ++kernel.count[*op];
    if (moves_data(*op) && is_128(words[1])) ++kernel.count128[*op];
  }
}

/// ELF64, little-endian, as far as needed.
class Elf {
 public:
  explicit Elf(std::string bytes) : bytes_(std::move(bytes)) {
    if (bytes_.size() < 64 || bytes_.compare(0, 4, "\177ELF") != 0 || bytes_[4] != 2)
      throw std::runtime_error("no 64-bit ELF file");
    const auto table = at<std::uint64_t>(0x28);
    const auto size = at<std::uint16_t>(0x3a);
    const auto number = at<std::uint16_t>(0x3c);
    const auto names = at<std::uint16_t>(0x3e);
    for (std::uint64_t i = 0; i < number; ++i) sections_.push_back({table + i * size, "", {}});
    for (Section& section : sections_) section.bytes = bytes_at(section.header);
    const std::string_view texts = sections_.at(names).bytes;
    for (Section& section : sections_)
      section.name = text_at(texts, at<std::uint32_t>(section.header));
  }

  struct Section {
    std::uint64_t header;
    std::string name;
    std::string_view bytes;
  };
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  [[nodiscard]] std::string_view section(std::string_view name) const {
    const auto found = std::ranges::find(sections_, name, &Section::name);
    return found == sections_.end() ? std::string_view{} : found->bytes;
  }
  [[nodiscard]] std::string symbol(std::uint32_t index) const {
    constexpr std::size_t kSymbol = 24;
    const std::string_view table = section(".symtab");
    std::uint32_t name = 0;
    if ((index + 1) * kSymbol > table.size()) throw std::runtime_error("no such symbol");
    std::memcpy(&name, table.data() + index * kSymbol, sizeof name);
    return text_at(section(".strtab"), name);
  }
  /// CUDA 13 moved the number by a byte, with a new ABI.
  [[nodiscard]] unsigned sm() const {
    const auto flags = at<std::uint32_t>(0x30);
    return static_cast<unsigned char>(bytes_[7]) == 0x41 ? flags >> 8 & 0xffU : flags & 0xffU;
  }

 private:
  template <class T>
  [[nodiscard]] T at(std::uint64_t place) const {
    T value{};
    if (place + sizeof(T) > bytes_.size()) throw std::runtime_error("torn ELF file");
    std::memcpy(&value, bytes_.data() + place, sizeof(T));
    return value;
  }
  [[nodiscard]] std::string_view bytes_at(std::uint64_t header) const {
    constexpr std::uint32_t kNoBits = 8;
    if (at<std::uint32_t>(header + 4) == kNoBits) return {};
    const auto begin = at<std::uint64_t>(header + 0x18);
    const auto size = at<std::uint64_t>(header + 0x20);
    if (begin > bytes_.size() || size > bytes_.size() - begin)
      throw std::runtime_error("torn ELF file");
    return std::string_view(bytes_).substr(begin, size);
  }
  static std::string text_at(std::string_view texts, std::uint32_t place) {
    if (place >= texts.size()) throw std::runtime_error("no such name");
    const std::string_view rest = texts.substr(place);
    return std::string(rest.substr(0, rest.find('\0')));
  }

  std::string bytes_;
  std::vector<Section> sections_;
};

/// `.nv.info`: attributes as format, attribute, size or value, and sized ones' bytes.
template <class Use>
void each_attribute(std::string_view info, Use&& use) {
  constexpr unsigned kSized = 4;
  for (std::size_t at = 0; at + 4 <= info.size();) {
    const auto format = static_cast<unsigned char>(info[at]);
    const auto attribute = static_cast<unsigned char>(info[at + 1]);
    std::uint16_t size = 0;
    std::memcpy(&size, info.data() + at + 2, sizeof size);
    at += 4;
    if (format != kSized) continue;
    if (size == 8 && at + 8 <= info.size()) {
      std::array<std::uint32_t, 2> pair{};
      std::memcpy(pair.data(), info.data() + at, 8);
      use(attribute, pair[0], pair[1]);
    }
    at += size;
  }
}

}  // namespace

unsigned KernelCode::of(Op op) const {
  const auto found = count.find(op);
  return found == count.end() ? 0 : found->second;
}

unsigned KernelCode::of128(Op op) const {
  const auto found = count128.find(op);
  return found == count128.end() ? 0 : found->second;
}

const KernelCode* Cubin::find(const std::string& entry) const {
  const auto found = std::ranges::find(kernels, entry, &KernelCode::entry);
  return found == kernels.end() ? nullptr : &*found;
}

Cubin read_cubin(const std::filesystem::path& path) {
  const Elf elf(bytes_of(path));
  Cubin out{path, elf.sm(), {}};
  constexpr std::string_view kText = ".text.";
  for (const Elf::Section& section : elf.sections()) {
    if (!section.name.starts_with(kText)) continue;
    KernelCode kernel;
    kernel.entry = section.name.substr(kText.size());
    count(section.bytes, kernel);
    out.kernels.push_back(std::move(kernel));
  }
  constexpr unsigned kFrameSize = 0x11;
  constexpr unsigned kRegisters = 0x2f;
  each_attribute(
      elf.section(".nv.info"), [&](unsigned attribute, std::uint32_t symbol, std::uint32_t value) {
        if (attribute != kFrameSize && attribute != kRegisters) return;
        const auto kernel = std::ranges::find(out.kernels, elf.symbol(symbol), &KernelCode::entry);
        if (kernel == out.kernels.end()) return;
        (attribute == kRegisters ? kernel->registers : kernel->frame_bytes) = value;
      });
  return out;
}

std::vector<Cubin> read_cubins(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cubin") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Cubin> out;
  out.reserve(paths.size());
  for (const auto& path : paths) out.push_back(read_cubin(path));
  return out;
}

std::vector<FatbinImage> read_fatbin(const std::string& bytes) {
  constexpr std::uint32_t kMagic = 0xba55ed50U;
  constexpr std::size_t kHeader = 16;
  const auto read = [&]<class T>(std::size_t at, T& value) {
    if (at + sizeof(T) > bytes.size()) throw std::runtime_error("torn fatbin");
    std::memcpy(&value, bytes.data() + at, sizeof(T));
  };
  std::uint32_t magic = 0;
  read(0, magic);
  if (magic != kMagic) throw std::runtime_error("no fatbin");
  std::vector<FatbinImage> out;
  for (std::size_t at = kHeader; at < bytes.size();) {
    std::uint16_t kind = 0;
    std::uint32_t header = 0;
    std::uint64_t payload = 0;
    std::uint32_t sm = 0;
    read(at, kind);
    read(at + 4, header);
    read(at + 8, payload);
    read(at + 28, sm);
    if (header < 32) throw std::runtime_error("an image of a fatbin without a header");
    out.push_back({kind == 1, sm});
    at += header + payload;
  }
  return out;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace gates
