// Reading the files of a run, the hostile ones too.
#include <gtest/gtest.h>

#include "reports/run.h"
#include "reports/testing.h"

namespace prelaunch::reports {
namespace {

template <class Read>
std::string error_of(const Read& read) {
  try {
    read();
  } catch (const JsonError& error) {
    return error.what();
  }
  return "no error";
}

std::string campaign_error(const std::string& text) {
  return error_of([&] { parse_campaign(text); });
}

TEST(Json, AnErrorNamesThePathAndTheValue) {
  const std::string good = small_campaign("clean");
  EXPECT_EQ(campaign_error(replaced(good, "1234567", "\"x\"")),
            "targets[0].executions: expected a number, got \"x\"");
  EXPECT_EQ(campaign_error(replaced(good, "1234567", "-1")),
            "targets[0].executions: expected a number of 0 or more, got -1");
  EXPECT_EQ(campaign_error(replaced(good, "1234567", "1.5")),
            "targets[0].executions: expected a whole number, got 1.5");
  EXPECT_EQ(campaign_error(replaced(good, "\"pack.q.cuda\": 3", "\"pack.q.cuda\": {}")),
            "targets[0].rules_fired.pack.q.cuda: expected a number, got an object");
  EXPECT_EQ(campaign_error(replaced(good, "\"engine\"", "\"motor\"")),
            "targets[0].engine: missing");
  EXPECT_EQ(campaign_error(replaced(good, "\"validate\"", "\"run\"")),
            "targets[0].profile: expected \"validate\" or \"execute\", got \"run\"");
  EXPECT_EQ(campaign_error(replaced(good, "campaign/1", "campaign/2")),
            "schema: expected \"prelaunch.campaign/1\", got \"prelaunch.campaign/2\"");
  EXPECT_EQ(campaign_error("[]"), "top level: expected an object, got an array");
}

template <class Parsed>
void expect_read_or_refused(const std::string& good, Parsed (*parse)(std::string_view)) {
  const auto error = [&](const std::string& text) { return error_of([&] { parse(text); }); };
  ASSERT_EQ(error(good), "no error");
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_NE(error(good.substr(0, i)), "no error");
    for (const char byte : {'\0', '"', '{', ']', '9', '\xff', 'n'}) {
      std::string changed = good;
      changed[i] = byte;
      EXPECT_EQ(error(changed).find_first_of("\n\x1b"), std::string::npos);
    }
  }
}

TEST(Json, EveryCutAndEveryChangedByteIsReadOrRefusedInOneLine) {
  expect_read_or_refused(small_campaign("findings", kSmallFinding), parse_campaign);
  expect_read_or_refused(small_triage("b", R"(["f1"])"), parse_triage);
  expect_read_or_refused(kSmallProbe, parse_probe);
  expect_read_or_refused(kSmallCoverage, parse_coverage);
}

TEST(Json, DeepNestingIsRefused) {
  const std::string expected = "nested more than 64 levels deep";
  EXPECT_EQ(campaign_error(std::string(5'000'000, '[')), expected);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(campaign_error(objects), expected);
}

TEST(Json, TooManyValuesAreRefused) {
  std::string text = "[0";
  for (std::size_t i = 0; i < kMaxValues; ++i) text += ",0";
  EXPECT_EQ(campaign_error(text + "]"), "more than 2000000 values");
}

TEST(Json, NumbersThatNoTypeHoldsAreRefused) {
  const std::string good = small_campaign("clean");
  EXPECT_NE(campaign_error(replaced(good, "1234567", "1e999")), "no error");
  EXPECT_NE(campaign_error(replaced(good, "1234567", "1e19")), "no error");
  EXPECT_EQ(campaign_error(replaced(good, "1234567", "1e6")), "no error");
}

TEST(Json, IllFormedBytesAreReplaced) {
  const auto campaign = parse_campaign(replaced(small_campaign("clean"), "libfuzzer", "\xff\xc0x"));
  EXPECT_EQ(campaign.targets[0].engine, "\ufffd\ufffdx");
}

TEST(Json, AnErrorShowsControlCharactersInsteadOfSendingThem) {
  const std::string good = small_campaign("clean");
  EXPECT_EQ(campaign_error(replaced(good, "\"pack.q.cuda\": 3", "\"\\u001b[2J\\n\": []")),
            "targets[0].rules_fired.\u241b[2J\u240a: expected a number, got an array");
}

TEST(Campaign, NullIsAnUnknownCorpus) {
  const auto campaign =
      parse_campaign(replaced(small_campaign("clean"), "\"corpus\": 5", "\"corpus\": null"));
  EXPECT_EQ(campaign.targets[0].corpus, std::nullopt);
}

TEST(Campaign, ItsContextNamesTheShardOrWhatWasMerged) {
  const auto context = [](const std::string& more) {
    return parse_campaign(replaced(small_campaign("clean"), "\"dirty\"", more + ", \"dirty\""))
        .context;
  };
  const RunContext shard = context(R"("shard": {"index": 2, "count": 8}, "merged": null)");
  EXPECT_EQ(shard.get("shard"), "2/8");
  EXPECT_EQ(shard.get("merged"), "");
  const RunContext merged = context(R"("shard": null, "merged": ["a", "b"])");
  EXPECT_EQ(merged.get("merged"), "a, b");
  EXPECT_EQ(merged.get("shard"), "");
  const std::string bad =
      replaced(small_campaign("clean"), "\"dirty\"", "\"shard\": [1, 2], \"dirty\"");
  EXPECT_EQ(campaign_error(bad), "context.shard: expected an object, got an array");
}

TEST(Campaign, KnowsWhatTheLedgerKnows) {
  const std::string known = R"("known": [{"id": "k", "op": "pack", "state": "tolerated",
    "reference": "issue 12", "reason": "r", "detail": "d", "seen": 3}], "targets")";
  const std::string text = replaced(small_campaign("clean"), "\"targets\"", known);
  ASSERT_EQ(parse_campaign(text).known.size(), 1U);
  EXPECT_EQ(parse_campaign(text).known[0].seen, 3U);
  EXPECT_TRUE(parse_campaign(small_campaign("clean")).known.empty()) << "older files";
  EXPECT_EQ(campaign_error(replaced(text, "tolerated", "ignored")),
            "known[0].state: expected \"tolerated\" or \"quarantined\", got \"ignored\"");
}

TEST(Triage, AnErrorNamesThePathAndTheValue) {
  const std::string good = small_triage("b", R"(["f1"])");
  const auto error = [](const std::string& text) { return error_of([&] { parse_triage(text); }); };
  EXPECT_EQ(error(replaced(good, "true", "1")),
            "buckets[0].reproduced: expected true or false, got 1");
  EXPECT_EQ(error(replaced(good, R"(["f1"])", "[1]")),
            "buckets[0].findings[0]: expected a string, got 1");
  EXPECT_EQ(error(replaced(good, "triage/1", "triage/2")),
            "schema: expected \"prelaunch.triage/1\", got \"prelaunch.triage/2\"");
}

TEST(Coverage, IsOfAFileBelowKernelsAndNoMoreThanAll) {
  const Coverage coverage = parse_coverage(kSmallCoverage);
  ASSERT_EQ(coverage.files.size(), 1U);
  EXPECT_EQ(coverage.files[0].name, "kernels/pack/contract.h");
  EXPECT_EQ(coverage.files[0].lines.covered, 49U);
  EXPECT_EQ(error_of([] { parse_coverage(replaced(kSmallCoverage, "49", "51")); }),
            "data[0].files[0].summary.lines.covered: expected at most the count, 50, got 51");
}

TEST(Probe, DoubtsWhatWasNotFoundAndTheProbeThatTriedNothing) {
  EXPECT_TRUE(parse_probe(kSmallProbe).doubts().empty());
  EXPECT_EQ(parse_probe(replaced(kSmallProbe, "true", "false")).doubts(),
            std::vector<std::string>{"pack validate did not find the bug planted to test it within "
                                     "60 s (deletion:17: rule q.cuda left out)"});
  EXPECT_EQ(Probe{}.doubts().size(), 1U);
}

TEST(Headline, CleanNeedsEvidence) {
  const auto verdict = [](const std::string& text, const Night& night = {}) {
    return headline({.campaign = parse_campaign(text), .night = night}).verdict;
  };
  EXPECT_EQ(verdict(small_campaign("clean")), RunVerdict::kClean);
  EXPECT_EQ(verdict(small_campaign("clean", kSmallFinding)), RunVerdict::kUntrusted);
  EXPECT_EQ(verdict(replaced(small_campaign("clean"), "1234567", "0")), RunVerdict::kUntrusted);
  EXPECT_EQ(verdict(small_campaign("clean"), {.troubles = {"bench died"}}), RunVerdict::kUntrusted);
  EXPECT_EQ(verdict(replaced(small_campaign("clean"), "\"dirty\"", "\"ended\": false, \"dirty\"")),
            RunVerdict::kUntrusted);
  EXPECT_EQ(verdict(replaced(small_campaign("clean"), "\"dirty\"", "\"ended\": true, \"dirty\"")),
            RunVerdict::kClean);
  EXPECT_EQ(verdict(small_campaign("clean"), {.interrupted = true}), RunVerdict::kUntrusted);
  EXPECT_EQ(headline({}).verdict, RunVerdict::kUntrusted);
}

TEST(Headline, BucketsSpeakAgainstCleanAndAMissedPlantedBugAgainstAll) {
  RunFiles run;
  run.campaign = parse_campaign(small_campaign("clean"));
  run.triage = parse_triage(small_triage("b", R"(["f1"])"));
  EXPECT_EQ(headline(run).verdict, RunVerdict::kUntrusted);
  run.campaign = parse_campaign(small_campaign("findings", kSmallFinding));
  EXPECT_EQ(headline(run).verdict, RunVerdict::kFindings);
  run.probe = parse_probe(kSmallProbe);
  EXPECT_EQ(headline(run).verdict, RunVerdict::kFindings);
  run.probe = parse_probe(replaced(kSmallProbe, "true", "false"));
  EXPECT_EQ(headline(run).verdict, RunVerdict::kUntrusted);
}

TEST(Night, SurvivesItsFile) {
  const Night night = parse_night(Night{.interrupted = true, .troubles = {"a\"b"}}.to_json());
  EXPECT_TRUE(night.interrupted);
  EXPECT_EQ(night.troubles, std::vector<std::string>{"a\"b"});
}

BenchRun bench(const std::string& entries) {
  return parse_bench(R"({"context": {}, "benchmarks": [)" + entries + "]}");
}

TEST(Bench, RepetitionsBecomeMedianAndVariation) {
  const auto run = bench(R"({"name": "a/repeats:3", "real_time": 1, "time_unit": "us"},
    {"name": "a/repeats:3", "real_time": 2, "time_unit": "us"},
    {"name": "a/repeats:3", "real_time": 3, "time_unit": "us"})");
  ASSERT_EQ(run.measures.size(), 1U);
  EXPECT_EQ(run.measures[0].name, "a");
  EXPECT_DOUBLE_EQ(run.measures[0].nanoseconds, 2000);
  EXPECT_DOUBLE_EQ(run.measures[0].spread.value(), 0.5);
}

TEST(Bench, TimesBeyondWhatADoubleHoldsHaveNoVariation) {
  for (const std::string time : {"1e308", "1e200"}) {
    const auto run = bench(R"({"name": "a", "real_time": )" + time + R"(, "time_unit": "s"},
      {"name": "a", "real_time": 1, "time_unit": "s"})");
    EXPECT_EQ(run.measures[0].spread, std::nullopt) << time;
  }
}

TEST(Bench, AggregatesServeWhereRepetitionsWereNotKept) {
  const auto run = bench(R"(
    {"name": "a_median", "run_name": "a/min_time:0.010/real_time", "aggregate_name": "median",
     "real_time": 2, "time_unit": "ns", "bytes_per_second": 3e9},
    {"name": "a_cv", "run_name": "a/min_time:0.010/real_time", "aggregate_name": "cv",
     "real_time": 0.25, "time_unit": "us", "allocations": NaN})");
  ASSERT_EQ(run.measures.size(), 1U);
  EXPECT_DOUBLE_EQ(run.measures[0].nanoseconds, 2);
  EXPECT_DOUBLE_EQ(run.measures[0].spread.value(), 0.25);
  EXPECT_DOUBLE_EQ(run.measures[0].bytes_per_second.value(), 3e9);
}

TEST(Bench, OneAllocationInOneRepetitionIsNotAveragedAway) {
  const auto run = bench(R"({"name": "a", "real_time": 1, "time_unit": "ns", "allocations": 0},
    {"name": "a", "real_time": 1, "time_unit": "ns", "allocations": 1},
    {"name": "a", "real_time": 1, "time_unit": "ns", "allocations": 0})");
  EXPECT_EQ(run.measures[0].allocations, 1);
}

TEST(Bench, ASkippedBenchmarkKeepsItsReason) {
  const auto run =
      bench(R"({"name": "kernel/a/b", "error_occurred": true, "error_message": "no GPU",
    "real_time": 0, "time_unit": "ns"})");
  EXPECT_EQ(run.measures[0].error, "no GPU");
}

TEST(Bench, NonfiniteNumbersAreNullOutsideStringsOnly) {
  EXPECT_EQ(null_for_nonfinite(R"({"NaN\"NaN": NaN, "b": [-Infinity, +NaN, Infinity]})"),
            R"({"NaN\"NaN": null, "b": [null, null, null]})");
}

TEST(Bench, NamesSortMeasuresIntoTables) {
  const auto time = [](const std::string& name) {
    return R"({"real_time": 1, "time_unit": "ns", "name": ")" + name + "\"}";
  };
  const auto run =
      bench(time("validation/o/accept/c/d") + "," + time("validation/o/handwritten/c/d") + "," +
            time("kernel/o/c/v") + "," + time("validation/o/odd/c") + "," + time("///") + "," +
            time("") + "," + time("kernel/o"));
  const BenchTables tables = sort_out(run);
  ASSERT_EQ(tables.validation.size(), 1U);
  ASSERT_EQ(tables.validation[0].cases.size(), 1U);
  EXPECT_EQ(tables.validation[0].cases[0].name, "c/d");
  EXPECT_EQ(tables.validation[0].cases[0].ratio(), 1);
  ASSERT_EQ(tables.kernels.size(), 1U);
  EXPECT_EQ(tables.kernels[0].variant, "v");
  EXPECT_EQ(tables.others.size(), 4U);
}

}  // namespace
}  // namespace prelaunch::reports
