// Running out of memory anywhere is an Error, whichever allocation it hits.
#include "platform/memory.h"

#include <thermocline/evaluation.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <new>

namespace thermocline {
namespace {

// Fails its n-th allocation and all after it.
class FailingMemory final : public platform::Memory {
 public:
  explicit FailingMemory(int successes) : left_(successes) {}

 protected:
  std::byte* acquire(std::size_t bytes) noexcept override {
    if (left_-- <= 0) return nullptr;
    void* data = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
    if (data != nullptr) std::fill_n(static_cast<std::byte*>(data), bytes, std::byte{0});
    return static_cast<std::byte*>(data);
  }
  void release(std::byte* data, std::size_t) noexcept override {
    ::operator delete (data, std::align_val_t{alignment});
  }

 private:
  int left_;
};

Expected<void> run_with(platform::Memory& memory, const Model& model) {
  EvaluationOptions options;
  options.threads = 1;
  options.memory = &memory;
  THERMOCLINE_ASSIGN(Evaluator evaluator, Evaluator::create(model, options));
  std::vector<float> logits;
  return evaluator.append(std::vector<TokenId>(300, 3), &logits, true);
}

TEST(FailingMemory, every_failed_allocation_is_an_error) {
  auto model = Model::open(std::filesystem::path(THERMOCLINE_TEST_DATA) /
                           "golden/llama-small/tiny-llama-small.q4.powerinfer.gguf");
  ASSERT_TRUE(model);
  int failures = 0;
  for (int successes = 0; successes < 500; ++successes) {
    FailingMemory memory(successes);
    const auto result = run_with(memory, *model);
    if (result) break;
    EXPECT_EQ(result.error().code, ErrorCode::out_of_memory);
    EXPECT_FALSE(result.error().remedy.empty());
    ++failures;
  }
  EXPECT_GT(failures, 20);
  EXPECT_LT(failures, 500);
}

TEST(FailingMemory, absurd_sizes_are_refused_without_asking_the_system) {
  platform::Memory& memory = platform::Memory::system();
  EXPECT_FALSE(memory.allocate(UINT64_MAX, "test"));
  EXPECT_FALSE(memory.allocate_array<double>(UINT64_MAX / 4, "test"));
  const auto nothing = memory.allocate(0, "test");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->size(), 0u);
}

}  // namespace
}  // namespace thermocline
