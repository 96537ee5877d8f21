// For tests: a launch that must fail, and how.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "simt/launch.hpp"

namespace simt {

/// What is said of `cause`; and a failure of the test when the launch ends otherwise.
inline std::string fault_of(Cause cause, const Launch& how, const std::function<void()>& kernel) {
  try {
    launch(how, kernel);
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.cause()), static_cast<int>(cause)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no fault";
  return {};
}

}  // namespace simt
