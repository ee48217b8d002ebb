// Every golden model and case against the independent reference and the seed's own logits.
// Tolerances: tests/data/golden/README.md.
#include "golden_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace thermocline::golden {
namespace {

Evaluator evaluator(const GoldenModel& model, FfnMode mode, Precision precision,
                    unsigned threads = 1, std::uint32_t batch = 0) {
  auto opened = Model::open(model.path());
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().line());
  EvaluationOptions options;
  options.mode = mode;
  options.precision = precision;
  options.threads = threads;
  options.batch_size = batch;
  auto created = Evaluator::create(*std::move(opened), options);
  EXPECT_TRUE(created) << (created ? "" : created.error().line());
  return *std::move(created);
}

std::vector<float> logits_of(Evaluator& from, const std::vector<TokenId>& ids) {
  std::vector<float> logits;
  auto result = from.append(ids, &logits);
  EXPECT_TRUE(result) << (result ? "" : result.error().line());
  return logits;
}

// Logits of the stored positions.
std::vector<float> stored_part(const std::vector<float>& logits, const Case& c) {
  const std::size_t vocabulary = logits.size() / c.ids.size();
  return {logits.begin() + static_cast<std::ptrdiff_t>(c.first * vocabulary),
          logits.begin() + static_cast<std::ptrdiff_t>(c.end * vocabulary)};
}

class GoldenTest : public testing::TestWithParam<GoldenModel> {
 protected:
  // Calls check(case, our logits, stored logits) for each case that has the file `kind`.
  template <typename Check>
  void for_each_case(FfnMode mode, Precision precision, const std::string& kind,
                     const Check& check) {
    for (const Case& c : GetParam().cases) {
      const auto file = c.json.at("files").find(kind);
      if (file == c.json.at("files").end()) continue;
      SCOPED_TRACE(GetParam().label + " " + c.prompt + " " + kind);
      Evaluator e = evaluator(GetParam(), mode, precision);
      const std::vector<float> ours = stored_part(logits_of(e, c.ids), c);
      check(c, ours, read_floats(GetParam().folder / file->get<std::string>()));
    }
  }
  bool has_predictors() const { return GetParam().cases[0].json.contains("greedy_predicted"); }
};

void expect_close(const Difference& d, double mean, double largest) {
  EXPECT_LE(d.mean, mean);
  EXPECT_LE(d.largest, largest);
}

TEST_P(GoldenTest, exact_f32_agrees_with_the_reference) {
  for_each_case(FfnMode::exact, Precision::f32, "exact",
                [](const Case&, const auto& ours, const auto& stored) {
                  expect_close(difference(ours, stored), 2e-5, 2e-3);
                });
}

TEST_P(GoldenTest, predicted_f32_agrees_with_the_reference) {
  if (!has_predictors()) return;
  for_each_case(FfnMode::predicted, Precision::f32, "predicted",
                [](const Case&, const auto& ours, const auto& stored) {
                  expect_close(difference(ours, stored), 2e-5, 2e-3);
                });
}

TEST_P(GoldenTest, exact_fast_agrees_with_the_reference) {
  const bool deep = GetParam().deep();
  for_each_case(FfnMode::exact, Precision::fast, "exact",
                [&](const Case&, const auto& ours, const auto& stored) {
                  expect_close(difference(ours, stored), deep ? 0.25 : 0.08, deep ? 3.0 : 0.9);
                });
}

TEST_P(GoldenTest, predicted_fast_agrees_with_reference_and_seed) {
  const bool deep = GetParam().deep();
  const FfnMode mode = has_predictors() ? FfnMode::predicted : FfnMode::dense;
  for (const char* kind : {"predicted", "powerinfer"}) {
    for_each_case(mode, Precision::fast, kind,
                  [&](const Case&, const auto& ours, const auto& stored) {
                    expect_close(difference(ours, stored), deep ? 0.25 : 0.08, deep ? 3.0 : 0.9);
                  });
  }
}

// Greedy ids from `e`, compared for as long as they agree; a different id is allowed only where the
// margin is below what the logits may differ by.
void expect_greedy(Evaluator& e, const Case& c, const std::string& key, double tolerance) {
  const auto wanted = c.json.at("greedy_" + key).get<std::vector<TokenId>>();
  const double margin = c.json.at("greedy_" + key + "_margin").get<double>();
  std::vector<TokenId> next = c.ids;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<float> logits;
    auto result = e.append(next, &logits, true);
    ASSERT_TRUE(result) << result.error().line();
    const auto best =
        static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    if (margin > tolerance) {
      ASSERT_EQ(best, wanted[i]) << "token " << i;
    } else {
      ASSERT_LE(
          logits[static_cast<std::size_t>(best)] - logits[static_cast<std::size_t>(wanted[i])],
          tolerance)
          << "token " << i;
      if (best != wanted[i]) return;
    }
    next = {wanted[i]};
  }
}

TEST_P(GoldenTest, greedy_ids_are_the_references) {
  for (const Case& c : GetParam().cases) {
    SCOPED_TRACE(GetParam().label + " " + c.prompt);
    Evaluator exact = evaluator(GetParam(), FfnMode::exact, Precision::f32);
    expect_greedy(exact, c, "exact", 4e-3);
    if (!has_predictors()) continue;
    Evaluator predicted = evaluator(GetParam(), FfnMode::predicted, Precision::f32);
    expect_greedy(predicted, c, "predicted", 4e-3);
  }
}

TEST_P(GoldenTest, kept_neurons_are_those_listed) {
  for (const Case& c : GetParam().cases) {
    SCOPED_TRACE(GetParam().label + " " + c.prompt);
    for (const FfnMode mode : {FfnMode::exact, FfnMode::predicted}) {
      const char* key = mode == FfnMode::exact ? "active_exact" : "kept_predicted";
      if (!c.json.contains(key)) continue;
      Evaluator e = evaluator(GetParam(), mode, Precision::f32);
      std::vector<std::vector<std::uint32_t>> last(c.json.at(key).size());
      auto result = e.append(c.ids, nullptr, true, [&](const LayerActivity& activity) {
        if (activity.position + 1 == c.ids.size()) last[activity.layer] = activity.fired;
      });
      ASSERT_TRUE(result) << result.error().line();
      for (std::size_t layer = 0; layer < last.size(); ++layer) {
        const auto& wanted = c.json.at(key).at(layer);
        if (wanted.is_array()) {
          EXPECT_EQ(last[layer], wanted.get<std::vector<std::uint32_t>>())
              << key << " layer " << layer;
        } else {
          EXPECT_EQ(last[layer].size(), wanted.get<std::size_t>()) << key << " layer " << layer;
        }
      }
    }
  }
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_P(GoldenTest, results_do_not_depend_on_threads_or_batches) {
  const std::vector<TokenId>& ids = GetParam().cases.back().ids;
  for (const Precision precision : {Precision::f32, Precision::fast}) {
    for (const FfnMode mode : {FfnMode::exact, FfnMode::predicted, FfnMode::dense}) {
      if (mode == FfnMode::predicted && !has_predictors()) continue;
      Evaluator one = evaluator(GetParam(), mode, precision, 1);
      const std::vector<float> wanted = logits_of(one, ids);
      for (const unsigned threads : {2u, 3u}) {
        Evaluator more = evaluator(GetParam(), mode, precision, threads);
        EXPECT_TRUE(same_bits(wanted, logits_of(more, ids))) << threads << " threads";
      }
      for (const std::uint32_t batch : {1u, 7u}) {
        Evaluator pieces = evaluator(GetParam(), mode, precision, 2, batch);
        EXPECT_TRUE(same_bits(wanted, logits_of(pieces, ids))) << "batches of " << batch;
      }
    }
  }
}

TEST_P(GoldenTest, exact_is_dense_to_the_last_bit) {
  for (const Precision precision : {Precision::f32, Precision::fast}) {
    Evaluator exact = evaluator(GetParam(), FfnMode::exact, precision);
    Evaluator dense = evaluator(GetParam(), FfnMode::dense, precision);
    const std::vector<TokenId>& ids = GetParam().cases[1].ids;
    EXPECT_TRUE(same_bits(logits_of(exact, ids), logits_of(dense, ids)));
  }
}

TEST_P(GoldenTest, continuing_from_the_cache_equals_starting_afresh) {
  const std::vector<TokenId>& ids = GetParam().cases.back().ids;
  Evaluator afresh = evaluator(GetParam(), FfnMode::automatic, Precision::fast);
  const std::vector<float> wanted = logits_of(afresh, ids);
  Evaluator other = evaluator(GetParam(), FfnMode::automatic, Precision::fast);
  const std::vector<TokenId> detour(ids.rbegin(), ids.rbegin() + 30);
  const std::vector<TokenId> start(ids.begin(), ids.begin() + 50);
  const std::vector<TokenId> rest(ids.begin() + 50, ids.end());
  logits_of(other, start);
  logits_of(other, detour);
  other.truncate(50);
  const std::vector<float> ours = logits_of(other, rest);
  EXPECT_TRUE(same_bits(
      std::vector<float>(wanted.end() - static_cast<std::ptrdiff_t>(ours.size()), wanted.end()),
      ours));
}

INSTANTIATE_TEST_SUITE_P(AllModels, GoldenTest, testing::ValuesIn(all_models()),
                         [](const testing::TestParamInfo<GoldenModel>& each) {
                           std::string name = each.param.label;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace thermocline::golden
