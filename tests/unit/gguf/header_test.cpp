// What stands before the first key: magic, version and counts. Class numbers are those of the list
// of malformed inputs that a loader must refuse by name.
#include "raw_gguf.h"

#include <array>

namespace thermocline::gguf::testing {
namespace {

RawGguf foreign(std::string_view text) {
  return RawGguf().text(text).zeros(64);
}

void expect_foreign(const RawGguf& file, std::string_view kind) {
  const Error error = refusal(file.bytes());
  EXPECT_EQ(name_of(error.code), "not_a_model");
  EXPECT_NE(error.found.find(kind), std::string::npos) << error.line();
  EXPECT_EQ(error.file, file_name);
  EXPECT_EQ(error.offset.value_or(huge), 0U);
  EXPECT_FALSE(error.remedy.empty());
}

TEST(Header, refuses_empty_file) {  // class 1
  expect_foreign(RawGguf(), "empty file");
}

TEST(Header, refuses_file_shorter_than_the_fixed_header) {  // class 2
  RawGguf file("GGUF", 3, 0, 0);
  file.bytes().resize(23);
  expect_refused(file, ErrorCode::corrupt_file, 16, "the file ends inside the number of key-value");
  file.bytes().resize(10);
  expect_refused(file, ErrorCode::corrupt_file, 8, "the file ends inside the number of tensors");
  file.bytes().resize(5);
  expect_refused(file, ErrorCode::corrupt_file, 4, "the file ends inside the file's version");
  file.bytes().resize(3);
  expect_refused(file, ErrorCode::not_a_model, 0, "isn't a GGUF");
}

TEST(Header, refuses_unknown_magic) {  // class 3
  expect_refused(RawGguf("GGUX", 3, 0, 0), ErrorCode::not_a_model, 0, "isn't a GGUF");
  expect_foreign(RawGguf("gguf", 3, 0, 0), "unknown kind");
}

TEST(Header, refuses_byte_swapped_version_as_big_endian) {  // class 4
  for (const std::uint32_t version : {0x03000000U, 0x02000000U, 0x01000000U}) {
    expect_refused(RawGguf("GGUF", version, 0, 0), ErrorCode::unsupported, 4, "big-endian file");
    expect_refused(RawGguf("PWRI", version, 0, 0), ErrorCode::unsupported, 4, "big-endian file");
  }
}

TEST(Header, refuses_version_one_with_its_own_message) {  // class 5
  expect_refused(RawGguf("GGUF", 1, 0, 0), ErrorCode::unsupported, 4,
                 "GGUF version 1 isn't supported");
}

TEST(Header, refuses_version_zero) {  // class 5
  expect_refused(RawGguf("GGUF", 0, 0, 0), ErrorCode::corrupt_file, 4,
                 "there is no GGUF version 0");
}

TEST(Header, refuses_future_versions_and_says_which_are_known) {  // class 6
  for (const std::uint32_t version : {4U, 17U, 0xFFFFU, 0x12345678U, 0xFFFFFFFFU}) {
    expect_refused(RawGguf("GGUF", version, 0, 0), ErrorCode::unsupported, 4,
                   "isn't known; versions 2 and 3 are");
  }
}

TEST(Header, says_when_the_file_is_a_git_lfs_pointer) {  // class 7
  expect_foreign(foreign("version https://git-lfs.github.com/spec/v1\noid sha256:00\n"), "Git LFS");
}

TEST(Header, says_when_the_file_is_a_web_page) {  // class 7
  expect_foreign(foreign("<!DOCTYPE html><html>"), "web page");
  expect_foreign(foreign("\n  <html lang=\"en\">"), "web page");
  expect_foreign(foreign("\xef\xbb\xbf<HTML>"), "web page");
}

TEST(Header, says_which_other_kind_of_file_it_is) {  // class 3
  expect_foreign(foreign("{\"error\": \"not found\"}"), "JSON");
  expect_foreign(foreign("PK\x03\x04"), "ZIP");
  expect_foreign(foreign("\x1f\x8b"), "gzip");
  expect_foreign(foreign("\x80\x02"), "pickle");
  expect_foreign(foreign("lmgg"), "old GGML");
  expect_foreign(foreign("tjgg"), "old GGJT");
  expect_foreign(foreign("fmgg"), "old GGMF");
  expect_foreign(foreign("FUGG"), "reversed byte order");
  expect_foreign(foreign("IRWP"), "reversed byte order");
  expect_foreign(RawGguf().number(std::uint64_t{40}).text("{\"weight\":"), "safetensors");
  expect_foreign(RawGguf().zeros(100), "zeros");
}

TEST(Header, refuses_powerinfer_magic_with_wrong_version) {  // class 8
  expect_refused(RawGguf("PWRI", 1, 0, 0), ErrorCode::unsupported, 4,
                 "PowerInfer GGUF version 1 isn't supported");
  expect_refused(RawGguf("PWRI", 4, 0, 0), ErrorCode::unsupported, 4,
                 "PowerInfer GGUF version 4 isn't known");
  expect_refused(RawGguf("PWRI", 0, 0, 0), ErrorCode::corrupt_file, 4,
                 "there is no PowerInfer GGUF version 0");
}

TEST(Header, accepts_both_magics_and_both_versions) {
  for (const std::string_view magic : {"GGUF", "PWRI"}) {
    for (const std::uint32_t version : {2U, 3U}) {
      const RawGguf file(magic, version, 0, 0);
      const auto container = Container::parse(file.bytes(), "x");
      ASSERT_TRUE(container) << container.error().line();
      EXPECT_EQ((*container)->version(), version);
      EXPECT_EQ((*container)->magic(), magic == "GGUF" ? Magic::gguf : Magic::powerinfer);
      EXPECT_EQ((*container)->alignment(), 32U);
    }
  }
}

TEST(Header, refuses_more_tensors_than_fit) {  // class 11
  RawGguf file(4, 0);
  file.zeros(4 * 24 - 1);
  expect_refused(file, ErrorCode::corrupt_file, 8, "more tensors than fit");
}

TEST(Header, refuses_more_key_value_pairs_than_fit) {  // class 12
  RawGguf file(0, 4);
  file.zeros(4 * 13 - 1);
  expect_refused(file, ErrorCode::corrupt_file, 16, "more key-value pairs than fit");
}

TEST(Header, refuses_pairs_that_fit_only_without_the_tensors) {  // class 12
  RawGguf file(2, 4);
  file.zeros(4 * 13);
  expect_refused(file, ErrorCode::corrupt_file, 16, "more key-value pairs than fit");
}

// The counts times any record's size wrap to something small (also GHSA-vgg9-87g3-85w8's sums).
TEST(Header, refuses_counts_whose_bookkeeping_overflows) {  // class 13
  for (const std::uint64_t count : {huge, huge / 24 + 1, huge / 13 + 1, huge / 88 + 2,
                                    std::uint64_t{1} << 63, std::uint64_t{1} << 61}) {
    expect_refused(RawGguf(count, 0).zeros(4096), ErrorCode::corrupt_file, 8, "more tensors");
    expect_refused(RawGguf(0, count).zeros(4096), ErrorCode::corrupt_file, 16, "more key-value");
  }
}

TEST(Header, refuses_counts_that_a_32_bit_loop_would_truncate) {  // class 14
  for (const std::uint64_t count :
       {std::uint64_t{1} << 31, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1}) {
    expect_refused(RawGguf(count, 0).zeros(4096), ErrorCode::corrupt_file, 8, "more tensors");
    expect_refused(RawGguf(0, count).zeros(4096), ErrorCode::corrupt_file, 16, "more key-value");
  }
}

TEST(Header, refuses_more_records_than_any_model_needs) {
  RawGguf tensors(65537, 0);
  tensors.zeros(65537 * 24);
  expect_refused(tensors, ErrorCode::unsupported, 8, "too many tensors");
  RawGguf pairs(0, 65537);
  pairs.zeros(65537 * 13);
  expect_refused(pairs, ErrorCode::unsupported, 16, "too many key-value pairs");
}

TEST(Header, refuses_every_prefix_of_a_good_file) {
  const RawGguf whole = small_file();
  ASSERT_TRUE(Container::parse(whole.bytes(), "whole"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    // A copy of exactly this length, so that a sanitizer sees any read beyond it.
    const std::vector<std::byte> prefix(
        whole.bytes().begin(), whole.bytes().begin() + static_cast<std::ptrdiff_t>(length));
    const Error error = refusal(prefix);
    EXPECT_EQ(error.file, file_name) << length;
    ASSERT_TRUE(error.offset) << length;
    EXPECT_LE(*error.offset, length);
    EXPECT_FALSE(error.message.empty());
    EXPECT_FALSE(error.remedy.empty());
  }
}

TEST(Header, survives_any_byte_changed) {
  const RawGguf whole = small_file();
  std::vector<std::byte> bytes = whole.bytes();
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::byte before = bytes[at];
    for (const unsigned value : {0x00U, 0x01U, 0x0AU, 0x1BU, 0x7FU, 0x80U, 0xFEU, 0xFFU}) {
      bytes[at] = static_cast<std::byte>(value);
      const auto container = Container::parse(bytes, std::string(file_name));
      if (container) continue;
      ++refused;
      const std::string line = container.error().line();
      EXPECT_TRUE(line.starts_with(file_name)) << at;
      for (const char c : line) {
        EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20 || c == 0x7F) << at << ": " << line;
      }
    }
    bytes[at] = before;
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace thermocline::gguf::testing
