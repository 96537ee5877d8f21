#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"

int main(int argc, char** argv) {
  using namespace roofline::cli;
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  Io io{std::cout, std::cerr};
  const ExitStatus status = run_program(arguments, io);
  std::cout.flush();
  if (!std::cout && status == ExitStatus::ok) {
    std::cerr << "roofline: standard output could not be written (is the disk full, or the reader "
                 "gone?)\n";
    return static_cast<int>(ExitStatus::file);
  }
  return static_cast<int>(status);
}
