#include "driver.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <thread>

#include "codes.hpp"

namespace fakegpu {
namespace {

std::unique_ptr<Driver>& instance() {
  static std::unique_ptr<Driver> the_one;
  return the_one;
}

std::uint64_t this_thread() { return std::hash<std::thread::id>{}(std::this_thread::get_id()); }

/// The next item of a list with commas.
std::string_view take(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view item = list.substr(0, comma);
  list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  return item;
}

}  // namespace

void Context::hang(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto time =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  hangs_until = seconds > 0 ? Clock::now() + time : Clock::time_point::max();
}

Driver::Driver(Scenario text) : scenario(std::move(text)), faults(&scenario.faults) {
  for (const DeviceModel& model : scenario.devices) {
    const int index = static_cast<int>(devices.size());
    devices.push_back(std::make_unique<Device>(scenario, model, index));
    contexts.push_back(std::make_unique<Context>(*devices.back()));
    contexts.back()->handle =
        reinterpret_cast<CUcontext>(  // NOLINTNEXTLINE(performance-no-int-to-ptr)
            static_cast<std::uintptr_t>(0x1000 + 16 * index));
  }
  choose_visible();
}

/// CUDA_VISIBLE_DEVICES: numbers or beginnings of UUIDs; the first that names no device ends it.
void Driver::choose_visible() {
  const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES");
  if (variable == nullptr) {
    for (std::size_t i = 0; i < devices.size(); ++i) visible.push_back(static_cast<int>(i));
    return;
  }
  for (std::string_view list = variable; !list.empty();) {
    const std::string_view item = take(list);
    int found = -1;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const bool by_uuid = item.size() > 4 && uuid_text(devices[i]->model()).rfind(item, 0) == 0;
      if (by_uuid || item == std::to_string(i)) found = static_cast<int>(i);
    }
    if (found < 0 || std::count(visible.begin(), visible.end(), found) > 0) return;
    visible.push_back(found);
  }
}

Context* Driver::find_context(CUcontext handle) {
  for (const auto& context : contexts) {
    if (context->handle == handle) return context.get();
  }
  return nullptr;
}

Stream* Driver::find_stream(Context& context, CUstream handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  // 0 and 1: the legacy stream. 2, the thread's own, has its semantics here.
  if (number <= 2) return &context.legacy;
  Stream* const stream = streams.find(handle);
  return stream != nullptr && stream->context == &context ? stream : nullptr;
}

double Driver::begin(const Stream& stream) const {
  double time = std::max(stream.ready, host_now + scenario.costs.submit);
  const Context& context = *stream.context;
  if (&stream == &context.legacy) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): only looked at
    const_cast<Driver*>(this)->streams.for_each([&](const Stream& other) {
      if (other.context == &context && other.blocking) time = std::max(time, other.ready);
    });
  } else if (stream.blocking) {
    time = std::max(time, context.legacy.ready);
  }
  return time;
}

void Driver::wait_until(double time) {
  host_now = std::max(host_now, time);
  polls = 0;
  deliver();
}

void Driver::deliver() {
  const auto arrive = [&](Stream& stream) {
    auto& waiting = stream.deliveries;
    const auto due = [&](const Delivery& delivery) {
      if (delivery.time > host_now) return false;
      std::memcpy(delivery.destination, delivery.bytes.data(), delivery.bytes.size());
      return true;
    };
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(), due), waiting.end());
  };
  streams.for_each(arrive);
  for (const auto& context : contexts) arrive(context->legacy);
}

double Driver::idle_time(const Context& context) {
  double time = context.legacy.ready;
  streams.for_each([&](const Stream& stream) {
    if (stream.context == &context) time = std::max(time, stream.ready);
  });
  return time;
}

void Driver::destroy(Context& context) {
  const auto belongs = [&](const auto& object) { return object.context == &context; };
  streams.erase_if(belongs);
  events.erase_if(belongs);
  modules.erase_if(belongs);
  functions.erase_if(belongs);
  graphs.erase_if(belongs);
  graph_execs.erase_if(belongs);
  std::vector<Range> gone;
  memory.for_each(context.device->index(), [&](const Allocation& allocation) {
    gone.push_back({allocation.address, allocation.address + allocation.bytes});
  });
  queue.before_overwrite(gone);
  memory.release_all(context.device->index());
  known_launches.clear();
  context.legacy.deliveries.clear();
  context.legacy.ready = 0;
  context.retained = 0;
  context.active = false;
  context.limits.clear();
  context.hangs_until = {};
  if (context.error == CUDA_SUCCESS || heals_on_reset(context.error)) {
    context.error = CUDA_SUCCESS;
  } else {
    context.device->hardware_error = context.error;
  }
}

void Driver::fail(Context& context, int code, double time) {
  if (!is_sticky(code) || context.error != CUDA_SUCCESS) return;
  context.error = static_cast<CUresult>(code);
  context.error_time = time;
}

Capture* Driver::forbidding_capture() {
  Capture* found = nullptr;
  streams.for_each([&](Stream& stream) {
    if (!stream.capture) return;
    const bool own = stream.capture->thread == this_thread();
    const CUstreamCaptureMode mode = stream.capture->mode;
    if (mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
        (mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && own)) {
      found = &*stream.capture;
    }
  });
  return found;
}

Driver& driver() {
  std::unique_ptr<Driver>& the_one = instance();
  if (the_one == nullptr) {
    try {
      the_one = std::make_unique<Driver>(scenario_of_environment());
    } catch (const ScenarioError& error) {
      // A test whose scenario says nonsense must not look like a machine without a GPU.
      std::fprintf(stderr, "fakegpu: %s\n", error.what());
      std::abort();
    }
  }
  return *the_one;
}

std::mutex& driver_mutex() {
  static std::mutex mutex;
  return mutex;
}

void forget_driver() { instance().reset(); }

CUcontext& current_context() {
  thread_local CUcontext current = nullptr;
  return current;
}

std::string uuid_text(const DeviceModel& model) {
  const std::string& digits = model.uuid;
  return (model.mig.present() ? "MIG-" : "GPU-") + digits.substr(0, 8) + "-" + digits.substr(8, 4) +
         "-" + digits.substr(12, 4) + "-" + digits.substr(16, 4) + "-" + digits.substr(20);
}

}  // namespace fakegpu
