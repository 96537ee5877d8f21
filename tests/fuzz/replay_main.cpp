// Runs a fuzz target without a fuzzer: every file of the folders given as arguments, and forms of
// each that are cut short, doubled, or altered in one byte. Fails when there was nothing to run.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(std::string_view input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::cerr << "cannot read " << path << '\n';
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

/// As many places of the input are altered as `budget`, in bytes to be read, allows.
void run_altered(const std::string& input, std::size_t budget) {
  constexpr std::string_view intruders{"\0\n\",-0xe}\xff", 10};
  const std::size_t one_place = input.size() * (intruders.size() + 2) + 1;
  const std::size_t places = std::max<std::size_t>(1, budget / one_place);
  const std::size_t step = input.size() / places + 1;
  run(input + input);
  for (std::size_t at = 0; at < input.size(); at += step) {
    run(std::string_view(input).substr(0, at));
    run(std::string_view(input).substr(at));
    std::string altered = input;
    for (const char intruder : intruders) {
      altered[at] = intruder;
      run(altered);
    }
    altered.erase(at, 1);
    run(altered);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      inputs.push_back(read_file(entry.path()));
    }
  }
  run({});
  constexpr std::size_t whole_budget = 20'000'000;  // seconds, even with sanitizers
  const std::size_t budget = whole_budget / std::max<std::size_t>(1, inputs.size());
  for (const std::string& input : inputs) {
    run(input);
    run_altered(input, budget);
  }
  std::cout << inputs.size() << " files\n";
  return inputs.empty() ? 1 : 0;
}
