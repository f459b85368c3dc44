// Reading JSON that may be anything. A Node is a value that knows where it stands, so that each
// error says which value is wrong and how:
//
//   const nlohmann::json json = parse_json(text);
//   const Node root(json);
//   for (const Node& target : root.at("targets").items()) target.at("executions").count();
//
//   JsonError: targets[2].executions: expected a number, got "x"
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prelaunch {

// One printable line.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Bounds on what is read, far above any real run: they keep a hostile file from taking the machine.
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxValues = 2'000'000;

// Ill-formed UTF-8 is replaced first. Throws JsonError.
nlohmann::json parse_json(std::string_view text);

// Google Benchmark writes bare NaN and Infinity (the variation of a counter whose mean is 0), which
// JSON lacks: gives the text with null in their place, strings untouched.
std::string null_for_nonfinite(std::string_view text);

// Borrows the value.
class Node {
 public:
  explicit Node(const nlohmann::json& value, std::string path = {})
      : value_(&value), path_(std::move(path)) {}

  // A member that must be there, of what must be an object.
  Node at(const char* key) const;
  // Nothing when the member is absent or null.
  std::optional<Node> find(const char* key) const;

  std::string text() const;
  // Any number; of 0 or more; a whole one of 0 or more.
  double number() const;
  double amount() const;
  std::uint64_t count() const;
  bool boolean() const;
  std::vector<Node> items() const;
  std::vector<std::pair<std::string, Node>> members() const;
  std::vector<std::string> texts() const;

  // A string, number, boolean, null, or an array of those, as one text.
  std::string scalar_text() const;
  // The value as JSON again, on one line.
  std::string dump() const;
  bool is_scalar() const { return value_->is_primitive(); }

  // What every accessor throws: "<path>: expected <what>, got <value>".
  [[noreturn]] void unexpected(std::string_view what) const;

 private:
  Node member(const std::string& key, const nlohmann::json& value) const;

  const nlohmann::json* value_;
  std::string path_;
};

}  // namespace prelaunch
