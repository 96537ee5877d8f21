#include "roofline/roof_book.hpp"

#include "support.hpp"

namespace roofline {
namespace {

using test::near;

RoofEntry compute(PeakKey key, double tflops, Origin origin = Origin::datasheet,
                  Sparsity sparsity = Sparsity::dense) {
  return {std::string(name(key)),
          ComputeRoof{tflop_per_s(tflops), key, sparsity, origin, "stated by the test"}, ""};
}

RoofEntry memory(const std::string& name, double gbs, Origin origin = Origin::measured,
                 Boundary boundary = Boundary::dram) {
  return {name, MemoryRoof{gb_per_s(gbs), boundary, origin, "stated by the test"}, ""};
}

Roofs roofs_for(const RoofBook& book, const Workload& workload,
                Boundary boundary = Boundary::dram) {
  return book.roofs_for(workload, account(workload, boundary));
}

Record measured(const std::string& id, const Workload& workload, double seconds) {
  Record out;
  out.id = id;
  out.workload = workload;
  out.account = account(workload);
  Measured result;
  result.time_median = second(seconds);
  result.verification.state = VerificationState::verified;
  out.outcome = result;
  return out;
}

TEST(RoofBook, ThePeakFollowsTheType) {
  RoofBook book;
  book.add(compute(PeakKey::bf16, 312));
  book.add(compute(PeakKey::fp32, 19.5));
  const Gemm bf16{.m = 8, .n = 8, .k = 8};
  EXPECT_EQ(roofs_for(book, bf16).compute->peak, tflop_per_s(312));
  EXPECT_EQ(roofs_for(book, Gemm{.m = 8, .n = 8, .k = 8, .input = DType::fp32}).compute->peak,
            tflop_per_s(19.5));
  const Roofs missing = roofs_for(book, Gemm{.m = 8, .n = 8, .k = 8, .input = DType::fp16});
  EXPECT_FALSE(missing.compute);
  EXPECT_TRUE(test::contains(missing.compute_reason, "fp16"));
  EXPECT_FALSE(missing.memory);
  EXPECT_TRUE(test::contains(missing.memory_reason, "dram"));
  // Elementwise work does not run on the matrix units.
  EXPECT_FALSE(roofs_for(book, Elementwise{.elements = 8}).compute);
}

TEST(RoofBook, ASparsePeakIsNeverTaken) {
  RoofBook book;
  book.add(compute(PeakKey::bf16, 624, Origin::datasheet, Sparsity::sparse_2_4));
  EXPECT_FALSE(roofs_for(book, Gemm{.m = 8, .n = 8, .k = 8}).compute);
  book.add(compute(PeakKey::bf16, 312));
  EXPECT_EQ(roofs_for(book, Gemm{.m = 8, .n = 8, .k = 8}).compute->peak, tflop_per_s(312));
}

TEST(RoofBook, TheBandwidthIsThatOfTheNearestMixOfReadsAndWrites) {
  RoofBook book;
  book.add(memory("rated", 40, Origin::datasheet));
  const Stream copy{.kind = StreamKind::copy, .elements = 8};
  EXPECT_EQ(roofs_for(book, copy).memory->bandwidth, gb_per_s(40));
  book.add(memory("read", 36));
  book.add(memory("copy", 30));
  book.add(memory("triad", 33));
  EXPECT_EQ(roofs_for(book, copy).memory->bandwidth, gb_per_s(30));
  EXPECT_EQ(roofs_for(book, Stream{.kind = StreamKind::add, .elements = 8}).memory->bandwidth,
            gb_per_s(33));
  // A matvec reads nearly nothing but weights.
  EXPECT_EQ(roofs_for(book, Projection{.rows = 1, .d_in = 512, .d_out = 512}).memory->bandwidth,
            gb_per_s(36));
  EXPECT_EQ(roofs_for(book, Kernel{.intensity = flop_per_byte(1)}).memory->bandwidth, gb_per_s(36));
}

TEST(RoofBook, ABoundaryHasRoofsOfItsOwn) {
  RoofBook book;
  book.add(memory("read", 300, Origin::measured, Boundary::l2));
  const Gemm gemm{.m = 8, .n = 8, .k = 8};
  EXPECT_FALSE(roofs_for(book, gemm).memory);
  EXPECT_EQ(roofs_for(book, gemm, Boundary::l2).memory->bandwidth, gb_per_s(300));
}

TEST(RoofBook, AFasterEntryReplacesASlowerOneOfItsKind) {
  RoofBook book;
  book.add(memory("read", 30));
  book.add(memory("read", 36));
  book.add(memory("read", 33));
  EXPECT_EQ(book.entries().size(), 1U);
  EXPECT_EQ(roofs_for(book, Stream{.kind = StreamKind::read, .elements = 8}).memory->bandwidth,
            gb_per_s(36));
  book.add(compute(PeakKey::fp32, 1.0, Origin::measured));
  book.add(compute(PeakKey::fp32, 1.2, Origin::measured));
  book.add(compute(PeakKey::fp32, 1.1, Origin::measured));
  ASSERT_EQ(book.entries().size(), 2U);
  EXPECT_EQ(std::get<ComputeRoof>(book.entries()[1].roof).peak, tflop_per_s(1.2));
  // A roof of another origin stands beside it.
  book.add(compute(PeakKey::fp32, 2.0, Origin::datasheet));
  ASSERT_EQ(book.entries().size(), 3U);
  EXPECT_EQ(std::get<ComputeRoof>(book.entries()[1].roof).origin, Origin::measured);
  EXPECT_EQ(std::get<ComputeRoof>(book.entries()[2].roof).peak, tflop_per_s(2.0));
}

TEST(RoofBook, LearnsFromVerifiedStreamsAndProbes) {
  RoofBook book;
  book.learn(measured(
      "s", Stream{.kind = StreamKind::read, .elements = 1'000'000, .dtype = DType::fp64}, 1e-3));
  book.learn(measured("p", PeakProbe{.dtype = DType::fp32, .flops = 2'000'000'000}, 1e-3));
  ASSERT_EQ(book.entries().size(), 2U);
  EXPECT_TRUE(near(in_gb_per_s(std::get<MemoryRoof>(book.entries()[0].roof).bandwidth), 8, 1e-12));
  EXPECT_TRUE(near(in_tflop_per_s(std::get<ComputeRoof>(book.entries()[1].roof).peak), 2, 1e-12));
  EXPECT_EQ(book.entries()[1].point, "p");
  EXPECT_EQ(std::get<MemoryRoof>(book.entries()[0].roof).origin, Origin::measured);
  EXPECT_EQ(std::get<ComputeRoof>(book.entries()[1].roof).origin, Origin::measured);
}

TEST(RoofBook, LearnsNothingFromWhatIsNoRoofOrNotTrusted) {
  RoofBook book;
  book.learn(measured("g", Gemm{.m = 64, .n = 64, .k = 64}, 1e-3));
  Record unverified = measured("u", Stream{.kind = StreamKind::read, .elements = 1000}, 1e-3);
  std::get<Measured>(unverified.outcome).verification.state = VerificationState::unverified;
  book.learn(unverified);
  book.learn(measured("z", Stream{.kind = StreamKind::read, .elements = 1000}, 0));
  Record skipped = measured("k", Stream{.kind = StreamKind::read, .elements = 1000}, 1e-3);
  skipped.outcome = Skipped{"no"};
  book.learn(skipped);
  EXPECT_TRUE(book.entries().empty());
}

TEST(RoofBook, AStreamThatDefinesItsRoofLiesOnIt) {
  RoofBook book;
  Record stream = measured(
      "s", Stream{.kind = StreamKind::copy, .elements = 12'345'678, .dtype = DType::fp64}, 7.7e-3);
  book.learn(stream);
  place_record(stream, book);
  EXPECT_TRUE(stream.defines_roof);
  ASSERT_TRUE(stream.assessment);
  EXPECT_DOUBLE_EQ(*stream.assessment->of_ceiling, 1.0);
  EXPECT_FALSE(stream.assessment->above_roof);
  EXPECT_EQ(stream.assessment->verdict, Verdict::at_memory_roof);
}

TEST(RoofBook, PlacesARecordAndLeavesItsPredictionAlone) {
  RoofBook book;
  book.add(compute(PeakKey::bf16, 1, Origin::measured));
  book.add(memory("read", 30));
  Record record = measured("m", Projection{.rows = 1, .d_in = 4096, .d_out = 4096}, 2e-3);
  record.prediction = predict(record.workload, record.account, book);
  EXPECT_EQ(record.prediction.side, Bound::memory);
  EXPECT_EQ(record.prediction.ridge_origin, Origin::measured);
  place_record(record, book);
  EXPECT_FALSE(record.defines_roof);
  EXPECT_EQ(record.placement.bound, Bound::memory);
  EXPECT_EQ(record.rows.integer, rows_to_ridge(record.workload, *record.placement.ridge).integer);
  EXPECT_EQ(record.observed.agreement, Agreement::confirmed);
  record.prediction.side = Bound::compute;
  place_record(record, book);
  EXPECT_EQ(record.prediction.side, Bound::compute);
  EXPECT_EQ(record.observed.agreement, Agreement::refuted);
}

TEST(RoofBook, RowsAreCountedAcrossDramAlone) {
  RoofBook book;
  book.add(compute(PeakKey::bf16, 1));
  book.add(memory("read", 300, Origin::measured, Boundary::l2));
  Record record = measured("m", Gemm{.m = 640, .n = 640, .k = 640}, 1e-3);
  record.account = account(record.workload, Boundary::l2);
  place_record(record, book);
  EXPECT_TRUE(record.placement.ridge);
  EXPECT_FALSE(record.rows.rows || record.rows.integer);
}

TEST(RoofBook, APointBelowTheCostOfACallSaysSo) {
  RoofBook book;
  const Gemm gemm{.m = 64, .n = 64, .k = 64};
  book.add(compute(PeakKey::bf16, 312));
  book.add(memory("read", 2000));
  book.add({"library", OverheadRoof{second(1e-3), LaunchPath::library, Origin::measured}, ""});
  const Prediction found = predict(gemm, account(gemm), book);
  EXPECT_FALSE(found.side);
  EXPECT_TRUE(test::contains(found.reason, "cost of a call")) << found.reason;
}

TEST(RoofBook, TheShorterOfTheWaysToCallTheSameCounts) {
  RoofBook book;
  const auto path = [&](LaunchPath of, double time) {
    book.add({std::string(name(of)), OverheadRoof{second(time), of, Origin::measured}, ""});
  };
  path(LaunchPath::library, 9e-6);
  path(LaunchPath::kernel, 3e-6);
  const Gemm gemm{.m = 64, .n = 64, .k = 64};
  const Stream stream{.kind = StreamKind::read, .elements = 1000};
  const auto overhead = [&](const Workload& of) {
    return in_second(book.roofs_for(of, account(of)).overhead->time);
  };
  EXPECT_EQ(overhead(gemm), 9e-6);
  EXPECT_EQ(overhead(stream), 3e-6);
  path(LaunchPath::library_graph, 4e-6);
  path(LaunchPath::graph, 1e-6);
  path(LaunchPath::event, 1e-7);
  EXPECT_EQ(overhead(gemm), 4e-6) << "replayed in a graph, as the product is";
  EXPECT_EQ(overhead(stream), 1e-6);
  EXPECT_EQ(overhead(Launch{LaunchPath::library}), 9e-6) << "an empty call is its own";
}

TEST(RoofBook, AReadingThatCannotBeIsNoRoof) {
  RoofBook book(PeakOrder::rated_first);
  book.add(memory("rated", 2039, Origin::datasheet));
  book.add(compute(PeakKey::bf16, 312));
  book.add(compute(PeakKey::fp64, 9.7));
  const Stream read{.kind = StreamKind::read, .elements = 1'000'000, .dtype = DType::fp64};
  const Gemm gemm{.m = 1000, .n = 1000, .k = 1000};
  const PeakProbe probe{.dtype = DType::fp64, .flops = 1'000'000'000};
  // 8 MB, 2 GFLOP and 1 GFLOP: twice what is rated.
  book.learn(measured("stream/read", read, 8e-3 / 4078));
  book.learn(measured("gemm/bf16", gemm, 2e-3 / 624));
  book.learn(measured("peak/fp64", probe, 1e-3 / 19.4));
  EXPECT_EQ(book.entries().size(), 3U);
  book.learn(measured("stream/read", read, 8e-3 / 2045));
  book.learn(measured("gemm/bf16", gemm, 2e-3 / 313));
  book.learn(measured("peak/fp64", probe, 1e-3 / 9.75));
  EXPECT_EQ(book.entries().size(), 6U);
  // The data sheet says nothing of another boundary.
  Record inside = measured("stream/l2", read, 8e-3 / 5000);
  inside.account = account(inside.workload, Boundary::l2);
  book.learn(inside);
  EXPECT_EQ(book.entries().size(), 7U);
  // A slice has its share of the card, which is derived.
  RoofBook slice(PeakOrder::rated_first);
  slice.add(memory("rated", 680, Origin::derived));
  slice.add(compute(PeakKey::bf16, 104, Origin::derived));
  slice.learn(measured("stream/read", read, 8e-3 / 2039));
  slice.learn(measured("gemm/bf16", gemm, 2e-3 / 312));
  EXPECT_EQ(slice.entries().size(), 2U);
  slice.learn(measured("stream/read", read, 8e-3 / 675));
  EXPECT_EQ(slice.entries().size(), 3U);
}

TEST(RoofBook, OrdinaryUnitsAreNoRoofOfTensorOnes) {
  const Gemm gemm{.m = 1000, .n = 1000, .k = 1000, .input = DType::fp64};
  const PeakProbe probe{.dtype = DType::fp64, .flops = 1'000'000'000};
  RoofBook unrated(PeakOrder::rated_first);
  unrated.learn(measured("peak/fp64", probe, 1e-3 / 9.7));
  EXPECT_FALSE(roofs_for(unrated, gemm).compute);
  EXPECT_FALSE(unrated.peaks_for(gemm).empirical);
  // A data sheet without tensor units for fp64 means that there are none.
  RoofBook without(PeakOrder::rated_first);
  without.add(compute(PeakKey::fp64, 9.7));
  without.learn(measured("peak/fp64", probe, 1e-3 / 9.6));
  EXPECT_EQ(roofs_for(without, gemm).compute->key, PeakKey::fp64);
  EXPECT_EQ(without.peaks_for(gemm).empirical->peak, tflop_per_s(9.6));
  // On a CPU they are the same.
  RoofBook cpu;
  cpu.learn(measured("peak/fp64", probe, 1e-3 / 0.3));
  EXPECT_EQ(roofs_for(cpu, gemm).compute->key, PeakKey::fp64);
}

TEST(RoofBook, PassesWithinACallDoNotEachTakeOne) {
  RoofBook book;
  book.add(memory("read", 1000, Origin::measured, Boundary::l2));
  book.add(compute(PeakKey::fp32, 1));
  book.add({"kernel", OverheadRoof{second(2e-6), LaunchPath::kernel, Origin::measured}, ""});
  const Stream passes{.kind = StreamKind::read, .elements = 100'000, .level = Boundary::l2};
  Record read = measured("l2", passes, 0.9e-6);
  EXPECT_EQ(predict(read.workload, read.account, book).side, Bound::memory);

  place_record(read, book);
  EXPECT_EQ(read.assessment->verdict, Verdict::overhead_bound) << "each pass is a launch";
  read.implementation = {{"passes_per_launch", std::uint64_t{512}}};
  place_record(read, book);
  EXPECT_EQ(read.assessment->verdict, Verdict::at_memory_roof);
  EXPECT_FALSE(read.roofs.overhead);

  Record probe = measured("p", PeakProbe{.dtype = DType::fp32, .flops = 1000}, 1.1e-9);
  place_record(probe, book);
  EXPECT_EQ(probe.assessment->verdict, Verdict::at_compute_roof);
}

TEST(RoofBook, APredictionWithoutARoofHasAReason) {
  RoofBook book;
  const Gemm gemm{.m = 64, .n = 64, .k = 64};
  const Prediction none = predict(gemm, account(gemm), book);
  EXPECT_FALSE(none.side || none.ridge || none.ridge_origin);
  EXPECT_TRUE(test::contains(none.reason, "bf16"));
  book.add(compute(PeakKey::bf16, 312));
  const Prediction half = predict(gemm, account(gemm), book);
  EXPECT_FALSE(half.side || half.ridge || half.ridge_origin);
  EXPECT_TRUE(test::contains(half.reason, "bandwidth"));
}

TEST(RoofBook, ARidgeIsMeasuredWhenEitherRoofIs) {
  const auto origin = [](Origin peak, Origin bandwidth) {
    RoofBook book;
    book.add(compute(PeakKey::bf16, 312, peak));
    book.add(memory("read", 2039, bandwidth));
    const Gemm gemm{.m = 64, .n = 64, .k = 64};
    return predict(gemm, account(gemm), book).ridge_origin;
  };
  EXPECT_EQ(origin(Origin::datasheet, Origin::measured), Origin::measured);
  EXPECT_EQ(origin(Origin::measured, Origin::datasheet), Origin::measured);
  EXPECT_EQ(origin(Origin::datasheet, Origin::datasheet), Origin::datasheet);
}

TEST(RoofBook, ReadFractions) {
  EXPECT_EQ(read_fraction(account(Stream{.kind = StreamKind::read, .elements = 8})), 1.0);
  EXPECT_EQ(read_fraction(account(Stream{.kind = StreamKind::write, .elements = 8})), 0.0);
  EXPECT_EQ(read_fraction(account(Stream{.kind = StreamKind::copy, .elements = 8})), 0.5);
  EXPECT_FALSE(read_fraction(account(PeakProbe{.flops = 8})));
}

TEST(RoofBook, ProbesOfOrdinaryUnitsMeasureTheirOwnRow) {
  EXPECT_EQ(probed_key(DType::fp64), PeakKey::fp64);
  EXPECT_EQ(probed_key(DType::fp32), PeakKey::fp32);
  EXPECT_EQ(probed_key(DType::bf16), PeakKey::bf16);
  EXPECT_FALSE(probed_key(DType::int32));
}

}  // namespace
}  // namespace roofline
