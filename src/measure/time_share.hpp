// How the time that a budget leaves is shared out among points that are measured one block after
// another. Knows no clock.
#pragma once

#include "roofline/units.hpp"

namespace roofline::measure {

/// Of the time `left`, the most that a block of points may take that is expected to take `block`,
/// where points that can be shortened (`turns`) and points that cannot (`lone`) come after it.
/// Where there is enough for all, what is over is the block's. Where there is not, the lone ones
/// keep their time as long as that leaves the others half of an equal part of it, and the others
/// get equal parts of what they need.
[[nodiscard]] Seconds room_for(Seconds block, Seconds turns, Seconds lone, Seconds left);

}  // namespace roofline::measure
