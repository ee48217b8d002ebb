// What a person types in the chat becomes the conversation that it should.
#include "app/cli/chat_session.h"
#include "app/cli/host.h"
#include "temporary_path.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace thermocline::cli {
namespace {

const std::filesystem::path model = std::filesystem::path(THERMOCLINE_TEST_DATA) /
                                    "golden/llama-small/tiny-llama-small.q4.powerinfer.gguf";

class Chat : public ::testing::Test {
 protected:
  void SetUp() override {
    RunSettings settings;
    settings.threads = 1;
    settings.context_length = 256;
    auto runner = EngineRunner::load(model, settings);
    ASSERT_TRUE(runner) << runner.error().line();
    runner_ = *std::move(runner);
    ChatSettings chat;
    chat.model_name = "tiny";
    chat.max_tokens = 6;
    chat.sampling.seed = 7;
    session_ = std::make_unique<ChatSession>(*runner_, chat);
  }
  void TearDown() override { std::filesystem::remove(file_); }

  // What standard error says while `line` is handled; answers on standard output are swallowed.
  std::string type(const std::string& line) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(session_->handle(line), ChatSession::Next::read_on);
    answer_ = ::testing::internal::GetCapturedStdout();
    return ::testing::internal::GetCapturedStderr();
  }
  // The questions of the conversation, as /save writes them.
  std::vector<std::string> questions() {
    type("/save " + file_.string());
    std::ifstream file(file_);
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);) {
      if (line != "## Question") continue;
      std::getline(file, line);
      std::getline(file, line);
      found.push_back(line);
    }
    return found;
  }

  std::filesystem::path file_ = testing::temporary_path(".md");
  std::unique_ptr<EngineRunner> runner_;
  std::unique_ptr<ChatSession> session_;
  std::string answer_;
};

using Questions = std::vector<std::string>;

TEST_F(Chat, keeps_every_question) {
  type("first one");
  EXPECT_FALSE(answer_.empty());
  type("  and 두 번째  ");
  EXPECT_EQ(questions(), (Questions{"first one", "and 두 번째"}));
}

TEST_F(Chat, regenerates_the_answer_to_the_same_question) {
  type("first one");
  type("second one");
  const std::uint32_t prompt_tokens = runner_->telemetry().prompt_tokens;
  const std::string answer = answer_;
  type("/regenerate");
  EXPECT_EQ(runner_->telemetry().prompt_tokens, prompt_tokens);
  EXPECT_NE(answer_, answer);
  EXPECT_EQ(questions(), (Questions{"first one", "second one"}));
}

TEST_F(Chat, edits_the_last_question) {
  type("first one");
  type("second one");
  type("/edit another one");
  EXPECT_FALSE(answer_.empty());
  EXPECT_EQ(questions(), (Questions{"first one", "another one"}));
}

TEST_F(Chat, takes_what_was_said_before_from_the_cache) {
  type("first one");
  const std::uint32_t before = runner_->telemetry().prompt_tokens;
  type("second one");
  EXPECT_GE(runner_->telemetry().prompt_tokens_reused, before);
}

TEST_F(Chat, keeps_the_last_turn_when_its_replacement_has_no_room) {
  type("first one");
  const std::string said = type("/edit " + std::string(2000, 'x'));
  EXPECT_NE(said.find("the context is full"), std::string::npos) << said;
  EXPECT_EQ(questions(), Questions{"first one"});
}

TEST_F(Chat, keeps_the_last_turn_when_its_replacement_is_stopped_before_a_word) {
  type("first one");
  type("/save " + file_.string());
  const auto saved = [this] {
    std::ifstream file(file_);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = saved();
  for (const char* command : {"/edit another one", "/regenerate", "second one"}) {
    interrupt_flag() = true;  // as Ctrl+C does
    EXPECT_NE(type(command).find("(stopped)"), std::string::npos);
    interrupt_flag() = false;
    type("/save " + file_.string());
    EXPECT_EQ(saved(), before) << command;
  }
}

TEST_F(Chat, drops_a_question_that_has_no_room) {
  type("first one");
  type(std::string(2000, 'x'));
  EXPECT_EQ(questions(), Questions{"first one"});
  type("second one");
  EXPECT_FALSE(answer_.empty());
}

TEST_F(Chat, says_what_a_command_lacks) {
  EXPECT_NE(type("/regenerate").find("nothing was asked yet"), std::string::npos);
  EXPECT_NE(type("/save").find("/save FILE"), std::string::npos);
  EXPECT_NE(type("/vram much").find("/vram 2.5GB"), std::string::npos);
  EXPECT_NE(type("/frob").find("/frob"), std::string::npos);
  type("first one");
  EXPECT_NE(type("/edit").find("/edit TEXT"), std::string::npos);
  EXPECT_EQ(questions(), Questions{"first one"});
}

TEST_F(Chat, says_why_it_could_not_save) {
  const std::string said = type("/save " + (file_ / "folder" / "x.md").string());
  EXPECT_TRUE(said.starts_with("error: ")) << said;
}

TEST_F(Chat, does_not_save_over_a_model) {
  type("first one");
  std::filesystem::copy_file(model, file_);
  const std::string said = type("/save " + file_.string());
  EXPECT_TRUE(said.starts_with("error: ")) << said;
  EXPECT_EQ(std::filesystem::file_size(file_), std::filesystem::file_size(model));
}

TEST_F(Chat, ends_when_told_to) {
  EXPECT_EQ(session_->handle("/quit"), ChatSession::Next::quit);
}

}  // namespace
}  // namespace thermocline::cli
