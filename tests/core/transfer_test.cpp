// Transfers over the link, and projections whose weights stay in a cache: what they cost, what they
// are called, which roof they are held against.
#include <gtest/gtest.h>

#include "diagnosis_support.hpp"
#include "roofline/point_id.hpp"
#include "roofline/roof_book.hpp"
#include "roofline/time_model.hpp"

namespace roofline {
namespace {

using test::refusal;

constexpr Transfer kToDevice{.bytes = 1'000'000'000};
constexpr Transfer kToHost{.direction = TransferDirection::to_host, .bytes = 1'000'000'000};
constexpr Transfer kPageable{.host_memory = HostMemory::pageable, .bytes = 1'000'000'000};

Record measured(const Workload& workload, double seconds) {
  Record out = test::timed(point_id(workload), workload, account(workload), {}, seconds);
  return out;
}

TEST(Transfer, MovesItsBytesOnceOverTheLink) {
  for (const Transfer& transfer : {kToDevice, kToHost, kPageable}) {
    const Account cost = account(transfer);
    EXPECT_EQ(cost.boundary, Boundary::link);
    EXPECT_EQ(cost.work, Count{0});
    EXPECT_EQ(cost.traffic.size(), 1U);
    EXPECT_EQ(total_traffic(cost), Count{1'000'000'000});
    EXPECT_EQ(moved_traffic(cost), total_traffic(cost));
  }
  // The device reads what comes to it, and writes what goes to the host.
  EXPECT_EQ(read_traffic(account(kToDevice)), Count{1'000'000'000});
  EXPECT_EQ(read_traffic(account(kToHost)), Count{0});
}

TEST(Transfer, OfNoBytesIsNone) {
  EXPECT_TRUE(test::contains(refusal([] { validate(Transfer{}); }), "bytes"));
}

TEST(Transfer, IsCalledByWhatWasAsked) {
  EXPECT_EQ(kind_name(Transfer{}), "transfer");
  EXPECT_EQ(point_id(Transfer{}), "transfer/to_device-pinned");
  EXPECT_EQ(point_id(kToHost), "transfer/to_host-pinned-1000000000");
  EXPECT_EQ(shape_label(kPageable), "to_device pageable");
  EXPECT_FALSE(computes(kToHost));
  EXPECT_TRUE(computes(Stream{}));
}

TEST(Transfer, WordsAreFoundAsTheyAreWritten) {
  for (const TransferDirection direction : transfer_directions())
    EXPECT_EQ(find_transfer_direction(name(direction)), direction);
  EXPECT_EQ(find_transfer_direction("h2d"), TransferDirection::to_device);
  EXPECT_EQ(find_transfer_direction("d2h"), TransferDirection::to_host);
  EXPECT_FALSE(find_transfer_direction("up"));
  for (const HostMemory memory : host_memories()) EXPECT_EQ(find_host_memory(name(memory)), memory);
  EXPECT_FALSE(find_host_memory("paged"));
  EXPECT_EQ(find_launch_path("event"), LaunchPath::event);
  for (const LaunchPath path : launch_paths()) EXPECT_EQ(find_launch_path(name(path)), path);
  EXPECT_EQ(launch_paths().size(), 5U);
}

TEST(Transfer, EachWayHasARoofOfItsOwn) {
  RoofBook book(PeakOrder::rated_first);
  book.add(
      {"pcie", MemoryRoof{gb_per_s(32), Boundary::link, Origin::datasheet, "PCIe 4.0 x16"}, ""});
  book.add(
      {"dram", MemoryRoof{gb_per_s(2039), Boundary::dram, Origin::datasheet, "datasheet"}, ""});
  EXPECT_EQ(book.roofs_for(kToHost, account(kToHost)).memory->bandwidth, gb_per_s(32))
      << "what nobody measured is held against the rated link";
  book.learn(measured(kToDevice, 1.0 / 25));
  book.learn(measured(kToHost, 1.0 / 20));
  book.learn(measured(kPageable, 1.0 / 10));
  EXPECT_TRUE(test::near(
      in_gb_per_s(book.roofs_for(kToDevice, account(kToDevice)).memory->bandwidth), 25, 1e-9));
  const Roofs down = book.roofs_for(kToHost, account(kToHost));
  EXPECT_TRUE(test::near(in_gb_per_s(down.memory->bandwidth), 20, 1e-9));
  EXPECT_EQ(down.memory->boundary, Boundary::link);
  ASSERT_TRUE(book.context_for(down).rated_memory.has_value());
  EXPECT_EQ(book.context_for(down).rated_memory->bandwidth, gb_per_s(32));
  // Pageable memory is a way to use the link, not another link.
  EXPECT_TRUE(test::near(
      in_gb_per_s(book.roofs_for(kPageable, account(kPageable)).memory->bandwidth), 25, 1e-9));
  EXPECT_TRUE(defines_roofs(kToHost));
}

TEST(Transfer, PageableMemoryExplainsASlowOne) {
  RoofBook book;
  book.learn(measured(kToDevice, 1.0 / 25));
  Record slow = measured(kPageable, 1.0 / 10);
  place_record(slow, book);
  EXPECT_EQ(test::first(slow), "host_side_of_link");
  Record fast = measured(kPageable, 1.0 / 20);
  place_record(fast, book);
  EXPECT_EQ(test::first(fast), "nothing") << "within 30 % of its roof";
  Record pinned = measured(kToDevice, 1.0 / 10);
  place_record(pinned, book);
  EXPECT_FALSE(test::names(pinned, "uncoalesced_access")) << "a copy engine has no lanes";
  EXPECT_TRUE(test::names(pinned, "host_side_of_link"));
}

TEST(Transfer, SizesShowTheLatencyOfTheLink) {
  std::vector<Record> points;
  for (const std::uint64_t bytes : {1'000'000U, 10'000'000U, 100'000'000U}) {
    const Transfer transfer{.bytes = bytes};
    points.push_back(measured(transfer, 8e-6 + static_cast<double>(bytes) / 25e9));
  }
  const auto fits = fit_streams(points);
  ASSERT_EQ(fits.size(), 1U);
  EXPECT_EQ(fits[0].name, "transfer/to_device-pinned");
  EXPECT_EQ(fits[0].level, Boundary::link);
  EXPECT_TRUE(test::near(in_second(fits[0].overhead), 8e-6, 1e-6));
  EXPECT_TRUE(test::near(in_gb_per_s(fits[0].bandwidth), 25, 1e-6));
}

TEST(HotProjection, IsHeldAgainstTheLevelItsWeightsLieIn) {
  Projection cold{.rows = 1, .d_in = 4096, .d_out = 4096};
  Projection hot = cold;
  hot.level = Boundary::l2;
  const Account cost = account(hot);
  EXPECT_EQ(cost.boundary, Boundary::l2);
  EXPECT_EQ(total_traffic(cost), total_traffic(account(cold))) << "every tensor once";
  RoofBook book;
  book.add({"read", MemoryRoof{gb_per_s(1500), Boundary::dram, Origin::measured, ""}, "d"});
  book.add({"read", MemoryRoof{gb_per_s(5000), Boundary::l2, Origin::measured, ""}, "l"});
  EXPECT_EQ(book.roofs_for(hot, cost).memory->bandwidth, gb_per_s(5000));
  EXPECT_EQ(book.roofs_for(cold, account(cold)).memory->bandwidth, gb_per_s(1500));
  EXPECT_EQ(point_id(hot), "matvec/bf16/T=1_4096x4096_l2");
  EXPECT_EQ(shape_label(hot), "T=1 4096x4096 l2");
  EXPECT_EQ(point_id(cold), "matvec/bf16/T=1_4096x4096");
}

TEST(HotProjection, CrossesInnerLevelsAsOftenAsItsTilesSay) {
  const Projection hot{.rows = 256, .d_in = 64, .d_out = 512, .level = Boundary::l2};
  Projection cold = hot;
  cold.level = Boundary::dram;
  EXPECT_EQ(total_traffic(account(hot, Boundary::l1)), total_traffic(account(cold, Boundary::l1)));
  EXPECT_GT(total_traffic(account(cold, Boundary::l2)), total_traffic(account(hot)));
}

TEST(HotProjection, WeightsBeyondTheLinkAreRefused) {
  const Projection far{.rows = 1, .d_in = 8, .d_out = 8, .level = Boundary::link};
  EXPECT_TRUE(test::contains(refusal([&] { validate(far); }), "link"));
}

}  // namespace
}  // namespace roofline
