// Tensor tables that break the rules. Class numbers as in header_test.cpp; advisories are those
// published against other readers of this format.
#include "raw_gguf.h"

namespace thermocline::gguf::testing {
namespace {

constexpr std::uint64_t first = 24;      // where the first tensor stands
constexpr std::uint64_t dim_count = 33;  // of a first tensor named "w"
constexpr std::uint64_t dims = 37;       // likewise
constexpr std::uint32_t f32 = 0;
constexpr std::uint32_t f16 = 1;
constexpr std::uint32_t q4_0 = 2;
constexpr std::uint32_t q6_k = 14;

// A file whose only tensor is "w", with `data` bytes of data.
RawGguf one_tensor(std::initializer_list<std::uint64_t> shape, std::uint32_t type,
                   std::uint64_t offset = 0, std::size_t data = 4096) {
  return RawGguf(1, 0).tensor("w", shape, type, offset).pad().zeros(data);
}

TEST(Tensors, refuses_no_dimensions) {  // class 38
  expect_refused(one_tensor({}, f32), ErrorCode::corrupt_file, dim_count,
                 "impossible number of dimensions", "w");
}

TEST(Tensors, refuses_more_than_four_dimensions) {  // class 38
  expect_refused(one_tensor({1, 1, 1, 1, 1}, f32), ErrorCode::corrupt_file, dim_count,
                 "impossible number of dimensions", "w");
  for (const std::uint32_t count : {6U, 1000U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    RawGguf file(1, 0);
    file.string("w").number(count).zeros(4096);
    expect_refused(file, ErrorCode::corrupt_file, dim_count, "impossible number of dimensions",
                   "w");
  }
}

TEST(Tensors, refuses_dimension_of_zero) {  // class 39, and llama.cpp's division by zero
  expect_refused(one_tensor({0}, f32), ErrorCode::corrupt_file, dims,
                 "dimension of the tensor is zero", "w");
  expect_refused(one_tensor({32, 0, 4}, f32), ErrorCode::corrupt_file, dims + 8,
                 "dimension of the tensor is zero", "w");
}

TEST(Tensors, refuses_negative_dimension) {  // class 39
  for (const std::uint64_t dim : {huge, std::uint64_t{1} << 63, huge - 31}) {
    expect_refused(one_tensor({dim}, f32), ErrorCode::corrupt_file, dims, "too large", "w");
    expect_refused(one_tensor({32, dim}, q4_0), ErrorCode::corrupt_file, dims + 8, "too large",
                   "w");
  }
}

TEST(Tensors, refuses_dimensions_whose_product_turns_negative) {  // class 40
  constexpr std::uint64_t most = INT64_MAX;
  expect_refused(one_tensor({most, 2}, f32), ErrorCode::corrupt_file, dims, "too large", "w");
  expect_refused(one_tensor({2, most}, f32), ErrorCode::corrupt_file, dims + 8, "too large", "w");
}

TEST(Tensors, refuses_dimensions_whose_product_wraps) {  // class 40, GHSA-96jg-mvhq-q7q7
  constexpr std::uint64_t large = std::uint64_t{1} << 32;
  constexpr std::uint64_t larger = std::uint64_t{1} << 40;
  expect_refused(one_tensor({large, large}, f32), ErrorCode::corrupt_file, dims, "size overflows",
                 "w");
  expect_refused(one_tensor({larger, larger, 16}, f32), ErrorCode::corrupt_file, dims,
                 "size overflows", "w");
  expect_refused(one_tensor({larger, larger, larger, larger}, f32), ErrorCode::corrupt_file, dims,
                 "size overflows", "w");
  // 2^64 + 32 elements, which wrap to 32.
  expect_refused(one_tensor({32, 315916329, 1824726041}, f32), ErrorCode::corrupt_file, dims,
                 "size overflows", "w");
}

TEST(Tensors, refuses_bytes_that_wrap_though_the_elements_do_not) {  // class 40
  // 2^62 elements of 4 bytes.
  expect_refused(one_tensor({std::uint64_t{1} << 31, std::uint64_t{1} << 31}, f32),
                 ErrorCode::corrupt_file, dims, "size overflows", "w");
}

TEST(Tensors, refuses_rows_that_are_not_whole_blocks) {  // class 41
  expect_refused(one_tensor({33}, q4_0), ErrorCode::corrupt_file, dims, "aren't whole blocks", "w");
  expect_refused(one_tensor({16, 2}, q4_0), ErrorCode::corrupt_file, dims, "aren't whole blocks",
                 "w");
  expect_refused(one_tensor({128, 2}, q6_k), ErrorCode::corrupt_file, dims, "aren't whole blocks",
                 "w");
}

TEST(Tensors, refuses_unknown_type) {  // class 42
  for (const std::uint32_t type : {40U, 1000U, 0x80000000U, 0xFFFFFFFFU}) {
    expect_refused(one_tensor({32}, type), ErrorCode::unsupported, dims + 8,
                   "type " + std::to_string(type) + " in tensor w isn't supported", "w");
  }
}

TEST(Tensors, refuses_removed_types_by_name) {  // class 42
  expect_refused(one_tensor({32}, 4), ErrorCode::unsupported, dims + 8,
                 "type 4 (removed type Q4_2) in tensor w isn't supported", "w");
  expect_refused(one_tensor({32}, 5), ErrorCode::unsupported, dims + 8,
                 "type 5 (removed type Q4_3) in tensor w isn't supported", "w");
}

TEST(Tensors, refuses_types_it_cannot_read_by_name) {  // class 42
  expect_refused(one_tensor({256}, 23), ErrorCode::unsupported, dims + 8, "(IQ4_XS) in tensor w",
                 "w");
  // In GGUF files this number once was I8 and now is a format of 66 bytes for 256 values.
  expect_refused(one_tensor({256}, 16), ErrorCode::unsupported, dims + 8, "(IQ2_XXS) in tensor w",
                 "w");
}

TEST(Tensors, knows_integer_types_by_the_numbers_of_each_magic) {
  RawGguf powerinfer("PWRI", 3, 1, 0);
  powerinfer.tensor("w", {8}, 18, 0).pad().zeros(32);
  const auto old_number = Container::parse(powerinfer.bytes(), "x");
  ASSERT_TRUE(old_number) << old_number.error().line();
  EXPECT_EQ((*old_number)->tensors()[0].type.type, TensorType::i32);

  const RawGguf dense = one_tensor({8}, 26);
  const auto new_number = Container::parse(dense.bytes(), "x");
  ASSERT_TRUE(new_number) << new_number.error().line();
  EXPECT_EQ((*new_number)->tensors()[0].type.type, TensorType::i32);
}

TEST(Tensors, refuses_unaligned_offset) {  // class 43
  for (const std::uint64_t offset : {1ULL, 16ULL, 33ULL}) {
    expect_refused(one_tensor({8}, f32, offset), ErrorCode::corrupt_file, dims + 12,
                   "offset isn't aligned", "w");
  }
}

TEST(Tensors, checks_offsets_against_the_files_own_alignment) {  // class 43
  RawGguf file(1, 1);
  file.pair("general.alignment", ValueType::u32, std::uint32_t{64});
  file.tensor("w", {8}, f32, 32).pad(64).zeros(128);
  expect_refused(file, ErrorCode::corrupt_file, first + 33 + 9 + 4 + 8 + 4, "offset isn't aligned",
                 "w");
}

TEST(Tensors, refuses_tensor_beyond_file_end) {  // class 44
  const std::uint64_t offset_field = dims + 12;
  EXPECT_TRUE(Container::parse(one_tensor({8}, f32, 0, 32).bytes(), "x"));
  expect_refused(one_tensor({8}, f32, 0, 31), ErrorCode::corrupt_file, offset_field,
                 "beyond the end of the file", "w");
  expect_refused(one_tensor({8}, f32, 32, 32), ErrorCode::corrupt_file, offset_field,
                 "beyond the end of the file", "w");
  expect_refused(one_tensor({8}, f32, 1 << 20, 32), ErrorCode::corrupt_file, offset_field,
                 "beyond the end of the file", "w");
}

TEST(Tensors, refuses_offset_plus_size_that_wraps) {  // class 44
  for (const std::uint64_t offset : {huge - 31, huge - 63, (std::uint64_t{1} << 63), huge - 4095}) {
    expect_refused(one_tensor({16}, f32, offset), ErrorCode::corrupt_file, dims + 12,
                   "beyond the end of the file", "w");
  }
}

// GGML_PAD of a size near 2^63 or 2^64 is small; so is their sum over tensors (CVE-2025-53630 and,
// as its repair was incomplete, CVE-2026-27940).
TEST(Tensors, refuses_sizes_that_wrap_when_padded_or_added) {  // class 44
  constexpr std::uint64_t rows = (std::uint64_t{1} << 31) - 1;
  expect_refused(one_tensor({std::uint64_t{1} << 30, rows}, f32), ErrorCode::corrupt_file,
                 dims + 20, "beyond the end of the file", "w");
  RawGguf file(5, 0);
  std::uint64_t offset_field = 0;
  for (int i = 0; i < 5; ++i) {
    file.tensor("t" + std::to_string(i), {std::uint64_t{1} << 30, std::uint64_t{1} << 30}, f32,
                static_cast<std::uint64_t>(i) << 62);
    if (i == 0) offset_field = file.size() - 8;
  }
  file.pad().zeros(4096);
  expect_refused(file, ErrorCode::corrupt_file, offset_field, "beyond the end of the file", "t0");
}

TEST(Tensors, names_the_first_tensor_when_the_data_section_is_missing) {  // class 44
  RawGguf file(2, 0);
  file.tensor("w", {8}, f32, 0).tensor("v", {8}, f32, 32);
  expect_refused(file, ErrorCode::corrupt_file, dims + 12, "beyond the end of the file", "w");
}

TEST(Tensors, refuses_overlapping_tensors) {  // class 45
  RawGguf file(3, 0);
  file.tensor("a", {8}, f32, 0).tensor("b", {32}, f32, 32).tensor("c", {8}, f32, 128);
  const std::uint64_t offset_field = file.size() - 8;
  file.pad().zeros(4096);
  expect_refused(file, ErrorCode::corrupt_file, offset_field, "overlaps tensor b", "c");
}

TEST(Tensors, refuses_two_tensors_in_one_place) {  // class 45
  RawGguf file(2, 0);
  file.tensor("a", {8}, f32, 0).tensor("b", {8}, f32, 0);
  const std::uint64_t offset_field = file.size() - 8;
  file.pad().zeros(4096);
  expect_refused(file, ErrorCode::corrupt_file, offset_field, "overlaps tensor a", "b");
}

TEST(Tensors, refuses_tensor_that_swallows_later_ones) {  // class 45
  RawGguf file(3, 0);
  file.tensor("a", {8}, f32, 64).tensor("b", {8}, f32, 96).tensor("all", {64}, f32, 0);
  file.pad().zeros(4096);
  EXPECT_EQ(refusal(file.bytes()).tensor, "a");
}

TEST(Tensors, accepts_tensors_in_any_order_with_gaps) {
  RawGguf file(2, 0);
  file.tensor("late", {8}, f32, 64).tensor("early", {4, 2, 2}, f16, 0).pad().zeros(96);
  const auto container = Container::parse(file.bytes(), "x");
  ASSERT_TRUE(container) << container.error().line();
  const TensorInfo* early = (*container)->find_tensor("early");
  ASSERT_NE(early, nullptr);
  EXPECT_EQ(early->bytes, 32U);
  EXPECT_EQ(early->rows(), 4U);
  EXPECT_EQ(early->offset, (*container)->data_offset());
}

TEST(Tensors, accepts_empty_gpu_bucket_in_powerinfer_files_only) {
  const auto bucket = [](std::string_view magic, std::uint32_t type) {
    return RawGguf(magic, 3, 1, 0).tensor("blk.0.gpu_bucket", {0}, type, 0).pad();
  };
  const RawGguf index = bucket("PWRI", 18);
  const auto container = Container::parse(index.bytes(), "x");
  ASSERT_TRUE(container) << container.error().line();
  EXPECT_EQ((*container)->tensors()[0].bytes, 0U);
  EXPECT_TRUE((*container)->data((*container)->tensors()[0]).empty());
  EXPECT_FALSE(Container::parse(bucket("PWRI", f32).bytes(), "x"));
  EXPECT_FALSE(Container::parse(bucket("GGUF", 26).bytes(), "x"));
}

}  // namespace
}  // namespace thermocline::gguf::testing
