#include "fuzz/campaign/replay.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuzz/campaign/temp_folder.h"
#include "fuzz/seeds.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// k is shorter than q: without qkv.same_shape it is accepted, and the kernel reads past its end.
constexpr std::string_view kShortK = R"({
  "op": "ulysses_pack",
  "args": {
    "q": {"dtype": "bf16", "device": "cuda:0", "shape": [4, 2, 8], "strides": [16, 8, 1]},
    "k": {"dtype": "bf16", "device": "cuda:0", "shape": [2, 2, 8], "strides": [16, 8, 1]},
    "v": {"dtype": "bf16", "device": "cuda:0", "shape": [4, 2, 8], "strides": [16, 8, 1]},
    "world_size": 2,
    "out": null
  }
})";

StoredCall stored(const TempFolder& folder, std::string_view text) {
  return load_call(folder.write("call.json", text));
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(Replay, SaysWhatWasSeenOfAnAcceptedCall) {
  const TempFolder folder;
  const Replayed replayed = replay(stored(folder, seed_text("accept-small_vector")), {});
  EXPECT_TRUE(replayed.judged);
  EXPECT_FALSE(replayed.finding);
  EXPECT_TRUE(has(replayed.text, "accepted, as expected")) << replayed.text;
  EXPECT_TRUE(has(replayed.text, "right in 2 orders of threads"));
  const Json json = Json::parse(replayed.json);
  EXPECT_EQ(json["verdict"], "accept");
  EXPECT_EQ(json["rule"], nullptr);
  EXPECT_EQ(json["finding"], nullptr);
  EXPECT_EQ(json["runs"], 2);
  EXPECT_EQ(json["witnesses"]["launches"], 1);
}

TEST(Replay, SaysWhatWasSeenOfARejectedCall) {
  const TempFolder folder;
  const Replayed replayed = replay(stored(folder, seed_text("qkv.cuda-broken")), {});
  EXPECT_FALSE(replayed.finding);
  EXPECT_TRUE(has(replayed.text, "rejected by ulysses_pack.qkv.cuda, as expected"));
  EXPECT_TRUE(has(replayed.text, "q, k, and v must be CUDA tensors"));
  EXPECT_TRUE(has(replayed.text, "launches 0, allocations 0, copies 0, device sets 0"));
  const Json json = Json::parse(replayed.json);
  EXPECT_EQ(json["verdict"], "reject");
  EXPECT_EQ(json["rule"], "ulysses_pack.qkv.cuda");
  EXPECT_EQ(json["message"], "q, k, and v must be CUDA tensors");
  EXPECT_EQ(json["runs"], 0);
}

TEST(Replay, SaysWhatWasExpectedInstead) {
  const TempFolder folder;
  std::string text = seed_text("qkv.cuda-broken");
  text.replace(text.find("qkv.cuda"), 8, "q.rank");
  const Replayed replayed = replay(stored(folder, text), {});
  EXPECT_TRUE(replayed.finding);
  EXPECT_TRUE(has(replayed.text,
                  "rejected by ulysses_pack.qkv.cuda; expected: rejected by ulysses_pack.q.rank"));
  EXPECT_TRUE(has(replayed.text, "FINDING wrong_rule: "));
  EXPECT_EQ(Json::parse(replayed.json)["finding"], "wrong_rule");
}

TEST(Replay, AFaultEndsOnlyItsOwnProcess) {
  const TempFolder folder;
  const StoredCall call = stored(folder, kShortK);
  EXPECT_FALSE(replay(call, {}).finding);
  const Replayed replayed = replay(call, {.without_rule = rule_index(pack(), "qkv.same_shape")});
  EXPECT_FALSE(replayed.judged);
  EXPECT_TRUE(replayed.finding);
  EXPECT_TRUE(has(replayed.text, "FINDING address_sanitizer: "));
  EXPECT_TRUE(has(replayed.text, "judging the call ended its process with"));
  const Json json = Json::parse(replayed.json);
  EXPECT_EQ(json["finding"], "address_sanitizer");
  EXPECT_EQ(json["verdict"], nullptr);
}

TEST(Replay, EachUnreadableFileIsNamed) {
  const TempFolder folder;
  for (const fs::path& path :
       {folder / "none.json", folder.path(), folder.write("bad.json", "[")}) {
    try {
      load_call(path);
      ADD_FAILURE() << path;
    } catch (const FileError& error) {
      EXPECT_TRUE(has(error.what(), path.string() + ": ")) << error.what();
      EXPECT_FALSE(has(error.what(), "\n"));
    }
  }
}

TEST(Replay, FoldersAreListedInOrder) {
  const TempFolder folder;
  for (const char* name : {"b/2.json", "b/1.json", "a.json", "b/not.txt", "b/c/3.json"}) {
    folder.write(name, "");
  }
  const std::vector<fs::path> expected = {folder / "a.json", folder / "b/1.json",
                                          folder / "b/2.json", folder / "b/c/3.json"};
  EXPECT_EQ(call_files({folder.path()}), expected);
  EXPECT_EQ(call_files({folder / "b/c", folder / "a.json", folder / "none"}),
            (std::vector<fs::path>{folder / "b/c/3.json", folder / "a.json", folder / "none"}));
}

TEST(Replay, ARuleThatNoCallNeedsIsNamed) {
  std::vector<StoredCall> calls;
  const std::size_t left_out = rule_index(pack(), "qkv.dtype");
  for (const NamedCall& named : seeds(pack())) {
    if (named.expect.rule != left_out) calls.push_back({named.name, &pack(), named});
  }
  EXPECT_EQ(unnoticed_rules(pack(), calls), std::vector<std::size_t>{left_out});
  EXPECT_EQ(unnoticed_rules(pack(), {}).size(), pack().rules.size());
}

}  // namespace
}  // namespace prelaunch::fuzz
