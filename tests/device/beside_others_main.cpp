// roofline-gpu-table: the table of scripts/gpu-check, from the reports that it made.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "beside_others.hpp"
#include "report/json_reader.hpp"
#include "roofline/error.hpp"

namespace {

using namespace roofline;

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw FileError(path + " cannot be read");
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::string anchors;
  std::string peers;
  std::vector<std::string> reports;
  CLI::App app("Sets the points of reports beside published figures and a peer's.",
               "roofline-gpu-table");
  app.add_option("--anchors", anchors, "CSV: device,point,value,unit,stretch,source")->required();
  app.add_option("--peer", peers, "CSV: point,value,unit,how");
  app.add_option("reports", reports, "reports of roofline, JSON")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    std::vector<Report> read;
    for (const std::string& path : reports)
      read.push_back(report::read_report(read_file(path), path));
    std::vector<selftest::Anchor> peer;
    if (!peers.empty()) peer = selftest::read_peers(read_file(peers), peers);
    std::cout << selftest::beside_others(read, selftest::read_anchors(read_file(anchors), anchors),
                                         peer);
    std::cout.flush();
    return std::cout ? 0 : 4;
  } catch (const InputError& error) {
    std::cerr << "roofline-gpu-table: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "roofline-gpu-table: " << error.what() << "\n";
    return 4;
  }
}
