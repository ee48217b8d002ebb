// Broken and hostile files of original weights: each is refused with one line that names the file
// and the place, and nothing outside the file is touched (this test also runs under sanitizers).
#include "importer/checkpoint.h"
#include "made_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace thermocline::importer {
namespace {

Expected<std::shared_ptr<const Checkpoint>> parse(const std::string& file) {
  return Checkpoint::parse(std::as_bytes(std::span(file.data(), file.size())), "made-file");
}

Error refusal_of(const std::string& file, const std::string& mention) {
  SCOPED_TRACE(mention);
  const auto parsed = parse(file);
  EXPECT_FALSE(parsed) << "expected a refusal that mentions " << mention;
  if (parsed) return {};
  const std::string line = parsed.error().line();
  EXPECT_TRUE(line.starts_with("made-file: at byte ")) << line;
  EXPECT_NE(line.find(mention), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  EXPECT_FALSE(parsed.error().remedy.empty()) << line;
  return parsed.error();
}

const std::string sixteen(16, 'x');
const std::string zip_of_one = torch_zip(pickle(tensor_steps({})), sixteen);

std::string one_tensor(const std::string& fields) {
  return safetensors("{\"a\":{" + fields + "}}", sixteen);
}

TEST(BadSafetensors, a_good_file_passes) {
  const auto parsed = parse(safetensors(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2,2],"data_offsets":[8,16]},)"
      R"("a":{"shape":[],"data_offsets":[0,8],"dtype":"F64"}}   )",
      sixteen));
  ASSERT_TRUE(parsed) << parsed.error().line();
  ASSERT_EQ((*parsed)->tensors().size(), 2u);
  EXPECT_EQ((*parsed)->tensors()[0].name, "b");
  EXPECT_EQ((*parsed)->tensors()[0].strides, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ((*parsed)->tensors()[1].elements, 1u);
  ASSERT_EQ((*parsed)->properties().size(), 1u);
  EXPECT_EQ((*parsed)->properties()[0].value, "pt");
}

TEST(BadSafetensors, refuses_headers_that_are_not_what_they_should_be) {
  refusal_of(safetensors("{\"a\":", sixteen), "isn't JSON");
  refusal_of(safetensors("{} {", ""), "isn't JSON");
  refusal_of(safetensors("{\"a\xff\":{}}", ""), "isn't JSON");
  refusal_of(safetensors("{\"a\":1}", ""), "no place");
  refusal_of(safetensors("{\"a\":null}", ""), "no place");
  refusal_of(safetensors("{\"a\":[1]}", ""), "no place");
  refusal_of(safetensors("{\"a\\u0000b\":{}}", ""), "zero byte");
  refusal_of(safetensors("{\"__metadata__\":{\"a\":{}}}", ""), "nested");
  refusal_of(safetensors("{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", ""), "twice");
  std::string deep = "{\"a\":";
  for (int i = 0; i < 100000; ++i)
    deep += "{\"a\":";
  refusal_of(safetensors(deep, ""), "nested");
}

TEST(BadSafetensors, refuses_tensors_that_say_too_little_or_too_much) {
  const std::string good = R"("dtype":"F32","shape":[4],"data_offsets":[0,16])";
  ASSERT_TRUE(parse(one_tensor(good)));
  refusal_of(one_tensor(R"("dtype":"F32","shape":[4])"), "lacks");
  refusal_of(one_tensor(good + R"(,"dtype":"F32")"), "twice");
  refusal_of(one_tensor(good + R"(,"more":1)"), "no place");
  refusal_of(one_tensor(R"("dtype":"F99","shape":[4],"data_offsets":[0,16])"), "F99");
  refusal_of(safetensors("{\"a\":{" + good + "},\"a\":{" + good + "}}", sixteen), "twice");
  refusal_of(one_tensor(R"("dtype":"F32","shape":[-4],"data_offsets":[0,16])"), "negative");
  refusal_of(one_tensor(R"("dtype":"F32","shape":[4.0],"data_offsets":[0,16])"), "whole");
  refusal_of(one_tensor(R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,4],"data_offsets":[0,16])"),
             "dimensions");
}

TEST(BadSafetensors, refuses_tensors_that_lie_wrongly) {
  const auto at = [](const std::string& shape, const std::string& offsets) {
    return one_tensor(R"("dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets);
  };
  refusal_of(at("[4]", "[0,20]"), "beyond the end");
  refusal_of(at("[4]", "[16,0]"), "beginning and an end");
  refusal_of(at("[4]", "[0,16,16]"), "beginning and an end");
  refusal_of(at("[3]", "[0,16]"), "disagree");
  refusal_of(at("[4611686018427387904,4]", "[0,16]"), "disagree");
  refusal_of(at("[18446744073709551615]", "[0,16]"), "disagree");
  refusal_of(at("[18446744073709551616]", "[0,16]"), "whole");
  refusal_of(at("[3]", "[4,16]"), "gap");
  refusal_of(at("[3]", "[0,12]"), "belong to no tensor");
  refusal_of(safetensors(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
                         R"("b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})",
                         sixteen),
             "overlaps");
}

TEST(BadZip, a_good_file_passes) {
  const auto parsed = parse(zip_of_one);
  ASSERT_TRUE(parsed) << parsed.error().line();
  const StoredTensor& tensor = (*parsed)->tensors().front();
  EXPECT_EQ(tensor.type.name, "F32");
  EXPECT_EQ((*parsed)->data(tensor).size(), 16u);
  EXPECT_EQ(static_cast<char>((*parsed)->data(tensor).front()), 'x');
}

// Class 53.
TEST(BadZip, refuses_archives_that_two_readers_could_read_differently) {
  const std::string good = pickle(tensor_steps({}));
  const auto with = [&](MadeEntry entry) {
    return zip({{"made/data.pkl", good}, {"made/data/0", sixteen}, std::move(entry)});
  };
  ASSERT_TRUE(parse(with({"made/version", "3\n"})));
  EXPECT_EQ(refusal_of(with({"made/x", "y", 8}), "compressed").code, ErrorCode::unsupported);
  EXPECT_EQ(refusal_of(with({"made/x", "y", 0, 1}), "encrypted").code, ErrorCode::unsupported);
  refusal_of(with({"made/data/0", "y"}), "two entries");
  refusal_of(with({"other/data.pkl", good}), "two pickles");
  for (const char* name : {"/etc/passwd", "../made/x", "made/../../x", "made\\x", "c:x", "./x"}) {
    refusal_of(with({name, "y"}), "forbidden name");
  }
  refusal_of(with({"made/x", "y", 0, 0, "made/y"}), "disagree");
  refusal_of(with({"made/x", "y", 0, 0, {}, 0, -5}), "isn't where");
  refusal_of(with({"made/x", "y", 0, 0, {}, 0, 1 << 30}), "isn't where");
  refusal_of(with({"made/x", "y", 0, 0, {}, 1 << 30}), "beyond the end");
  refusal_of(with({"made/x", "y", 0, 0, {}, 40}), "overlap");
  refusal_of(
      zip({{"made/data.pkl", good}, {"made/data/0", sixteen}, {"x/y", "z", 0, 0, {}, 0, -70}}),
      "isn't where");
}

TEST(BadZip, refuses_sizes_that_lie) {
  std::string file = zip_of_one;
  const std::size_t end = file.size() - 22;
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string changed = file;
    changed.replace(end + at, bytes.size(), bytes);
    return changed;
  };
  refusal_of(with(10, raw<std::uint16_t>(0xFFFE)), "more entries");
  refusal_of(with(10, raw<std::uint16_t>(0xFFFF)), "64-bit directory");
  refusal_of(with(10, raw<std::uint16_t>(2)), "longer than its entries");
  refusal_of(with(16, raw<std::uint32_t>(0xFFFFFFFE)), "doesn't end");
  refusal_of(with(12, raw<std::uint32_t>(0xFFFFFFFE)), "doesn't end");
  refusal_of(with(4, raw<std::uint16_t>(1)), "one part of several");
  refusal_of(file + "x", "no directory");
}

TEST(BadPickle, refuses_what_tensors_do_not_need_by_name) {
  const auto refuse = [](const std::string& steps, const std::string& mention) {
    const Error error = refusal_of(torch_zip(pickle(steps), sixteen), mention);
    EXPECT_EQ(error.code, ErrorCode::unsupported);
  };
  refuse("cos\nsystem\n(" + text_step("true") + "tR", "os.system");
  refuse("cbuiltins\neval\n", "builtins.eval");
  refuse("ctorch\nload\n", "torch.load");
  refuse("ctorch._utils\n_rebuild_tensor\n", "torch._utils._rebuild_tensor");
  refuse(text_step("posix") + text_step("system") + "\x93", "posix.system");
  refuse("ios\nsystem\n", "opcode 0x69");
  refuse("}(oS", "opcode 0x6f");
  refuse("\x81", "opcode 0x81");
  refuse("Pid\n", "opcode 0x50");
  refuse("\x80\x05", "protocol 5");
  refuse("K\x01", "integer");
  refuse("ccollections\nOrderedDict\n)R}b" + tensor_steps({}) + "}b", "a state of its own");
  refuse("ccollections\nOrderedDict\n(" + std::string("]t") + "R", "OrderedDict");
}

TEST(BadPickle, refuses_programs_that_make_no_sense) {
  const auto refuse = [](const std::string& steps, const std::string& mention) {
    const Error error = refusal_of(torch_zip(pickle(steps), sixteen), mention);
    EXPECT_EQ(error.code, ErrorCode::corrupt_file);
  };
  refuse("", "more values than there are");
  refuse("0", "more values than there are");
  refuse("}}", "left over");
  refuse("(}", "left over");
  refuse("t", "hasn't begun");
  refuse("h\x05", "hasn't kept");
  refuse("K\x01s", "more values than there are");
  refuse("]K\x01K\x02s", "list or dictionary");
  refuse("}(K\x01u", "half a pair");
  refuse("}}K\x01R", "isn't a function");
  refuse("X\xff\xff\xff\xff", "cut off");
  refuse("cnever ending", "cut off");
  refuse("}K\x01K\x02s", "isn't text");
  refuse("}(" + text_step("a") + tensor_steps({}) + text_step("a") + tensor_steps({}) + "u",
         "two entries of one name");
}

TEST(BadPickle, refuses_tensors_that_do_not_fit_their_storage) {
  const auto refuse = [](const MadeTensor& tensor, const std::string& mention) {
    refusal_of(torch_zip(pickle(tensor_steps(tensor)), sixteen), mention);
  };
  MadeTensor good;
  good.shape = {2, 2};
  good.strides = {1, 2};  // transposed
  const std::string transposed = torch_zip(pickle(tensor_steps(good)), sixteen);
  const auto parsed = parse(transposed);
  ASSERT_TRUE(parsed) << parsed.error().line();
  EXPECT_FALSE((*parsed)->tensors().front().is_contiguous());
  refuse({.shape = {5}}, "larger than its storage");
  refuse({.offset = 1}, "larger than its storage");
  refuse({.offset = -1}, "senseless");
  refuse({.shape = {-1}}, "senseless");
  refuse({.strides = {2}}, "larger than its storage");
  refuse({.shape = {2147483647, 2147483647, 4}, .strides = {0, 0, 1}}, "senseless");
  refuse({.shape = {1000000, 4}, .strides = {0, 1}}, "larger than its storage");
  refuse({.shape = {2, 2}, .strides = {2}}, "senseless");
  refuse({.shape = {1, 1, 1, 1, 1, 1, 1, 1, 1}, .strides = {1, 1, 1, 1, 1, 1, 1, 1, 1}},
         "senseless");
  refuse({.storage_elements = 5}, "length differs");
  refuse({.storage_elements = -1}, "impossible size");
  refuse({.storage_elements = 2147483647}, "impossible size");
  refuse({.key = "7"}, "lacks this storage");
  refuse({.key = "../data/0"}, "lacks this storage");
  refuse({.storage_class = "float32"}, "unknown type");
}

TEST(BadStream, refuses_storages_that_do_not_fit) {
  const std::string object = pickle(tensor_steps({.stream = true}));
  const auto keys = [](const std::vector<std::string>& names) {
    std::string steps = "](";
    for (const std::string& name : names)
      steps += text_step(name);
    return pickle(steps + "e");
  };
  const std::string storage = raw<std::uint64_t>(4) + sixteen;
  const auto parsed = parse(torch_stream(object, keys({"0"}), storage));
  ASSERT_TRUE(parsed) << parsed.error().line();
  refusal_of(torch_stream(object, keys({}), ""), "lacks this storage");
  refusal_of(torch_stream(object, keys({"1"}), storage), "no tensor uses");
  refusal_of(torch_stream(object, keys({"0", "0"}), storage + storage), "twice");
  refusal_of(torch_stream(object, keys({"0"}), storage + "x"), "follows");
  refusal_of(torch_stream(object, keys({"0"}), storage.substr(0, 20)), "ends inside");
  refusal_of(torch_stream(object, keys({"0"}), ""), "ends before");
  refusal_of(torch_stream(object, keys({"0"}), raw<std::uint64_t>(5) + sixteen), "differs");
  refusal_of(torch_stream(object, pickle("}"), storage), "doesn't list");
  refusal_of(torch_stream(pickle(tensor_steps({})), "", ""), "cut off");
}

std::string content(const std::string& name) {
  std::ifstream file(std::filesystem::path(THERMOCLINE_TEST_DATA) / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A real file whose every shortened form must be refused and whose changed forms must not crash.
class RealFile : public ::testing::TestWithParam<const char*> {};

TEST_P(RealFile, is_refused_wherever_it_is_cut_off) {
  const std::string whole = content(GetParam());
  ASSERT_TRUE(parse(whole));
  const std::size_t step = 1 + whole.size() / 5000;
  for (std::size_t length = 0; length < whole.size(); length += step) {
    const auto parsed = parse(whole.substr(0, length));
    ASSERT_FALSE(parsed) << length;
    ASSERT_FALSE(parsed.error().remedy.empty()) << length;
  }
}

TEST_P(RealFile, survives_any_changed_byte_of_its_directory) {
  std::string changed = content(GetParam());
  const std::size_t directory = 1500;
  for (std::size_t at = 0; at < changed.size(); ++at) {
    if (at == directory && changed.size() > 2 * directory) at = changed.size() - directory;
    const char before = changed[at];
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff, before ^ 0x20}) {
      changed[at] = static_cast<char>(value);
      const auto parsed = parse(changed);
      if (!parsed) continue;
      for (const StoredTensor& tensor : (*parsed)->tensors()) {
        ASSERT_LE(tensor.offset, changed.size());
        ASSERT_LE(tensor.bytes(), changed.size() - tensor.offset);
      }
    }
    changed[at] = before;
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, RealFile,
                         ::testing::Values("checkpoints/llama-small/model.safetensors",
                                           "checkpoints/llama-small-predictor/model_0.pt",
                                           "checkpoints/llama-small-predictor/model_1.pt",
                                           "golden/llama-deep/activation/activation_0.pt",
                                           "golden/llama-deep/activation/activation_1.pt"));

}  // namespace
}  // namespace thermocline::importer
