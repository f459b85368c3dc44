#include "fuzz/dictionary.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "fuzz/codec.h"
#include "fuzz/seeds.h"

namespace prelaunch::fuzz {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Dictionary, EveryLineIsAWordThatBothEnginesRead) {
  // AFL++ takes at most 128 bytes a word.
  const std::regex word(R"re([a-z0-9_]+="(\\x[0-9A-F]{2}){2,128}")re");
  for (const OpInfo* op : all_ops()) {
    const std::vector<std::string> lines = lines_of(dictionary(*op, seeds(*op)));
    EXPECT_GE(lines.size(), 20u) << op->name;
    for (const std::string& line : lines) EXPECT_TRUE(std::regex_match(line, word)) << line;
  }
}

TEST(Dictionary, NoWordStandsTwice) {
  for (const OpInfo* op : all_ops()) {
    std::set<std::string> seen;
    for (const std::string& line : lines_of(dictionary(*op, seeds(*op)))) {
      EXPECT_TRUE(seen.insert(line.substr(line.find('='))).second) << line;
    }
  }
}

// bf16 is code 4, 16 bits, 1 lane; 2^31 is 2^32 after zigzag, seven bits a byte.
TEST(Dictionary, WordsAreSpelledAsTheByteFormSpellsThem) {
  EXPECT_EQ(encode_dtype(kBfloat16), (std::vector<std::uint8_t>{4, 16, 1}));
  EXPECT_EQ(encode_device(cuda(1)), (std::vector<std::uint8_t>{4, 2}));
  EXPECT_EQ(encode_number(std::int64_t{1} << 31),
            (std::vector<std::uint8_t>{0x80, 0x80, 0x80, 0x80, 0x10}));
  const std::string words = dictionary(*find_op("ulysses_pack"), seeds(*find_op("ulysses_pack")));
  EXPECT_NE(words.find("dtype_torch_bfloat16=\"\\x04\\x10\\x01\"\n"), std::string::npos) << words;
}

}  // namespace
}  // namespace prelaunch::fuzz
