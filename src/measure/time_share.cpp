#include "measure/time_share.hpp"

#include <algorithm>

namespace roofline::measure {

Seconds room_for(Seconds block, Seconds turns, Seconds lone, Seconds left) {
  const Seconds shortened = block + turns;
  const Seconds all = shortened + lone;
  left = std::max(left, second(0));
  if (in_second(shortened) <= 0) return left;
  constexpr double kLeastShare = 0.5;  // of an equal part
  const Seconds room = std::max(left - lone, kLeastShare * (shortened / all) * left);
  return std::max(room * (block / shortened), room - turns);
}

}  // namespace roofline::measure
