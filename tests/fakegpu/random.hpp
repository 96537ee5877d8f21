// Random numbers that are the same on every machine, as the scripted backend draws them.
#pragma once

#include "src/backend/scripted/random.hpp"

namespace fakegpu {

using roofline::scripted::Random;
using roofline::scripted::seed_from;

}  // namespace fakegpu
