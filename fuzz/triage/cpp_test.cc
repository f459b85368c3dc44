#include "fuzz/triage/cpp_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <limits>

#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace {

constexpr std::string_view kFile = R"(// {description}
//
// Built like the other tests of the op: add_unit_test({op}_finding_test <this file> prelaunch_calls)
// in fuzz/CMakeLists.txt.
#include <gtest/gtest.h>

#include <bit>

#include "fuzz/describe.h"
#include "kernels/{op}/cases.h"
#include "kernels/{op}/contract.h"

namespace prelaunch::{op} {{
namespace {{

TEST({test}, IsJudgedAsExpected) {{
  const fuzz::OpInfo& op = fuzz::describe<Op, Cases>();
  Call call;
{call}
  const fuzz::Judgement judgement = op.judge(call, expect, {{}});
  EXPECT_EQ(judgement.reason, fuzz::Reason::kNone) << judgement.detail;
}}

}}  // namespace
}}  // namespace prelaunch::{op}
)";

// The least integer has no literal.
std::string literal(std::int64_t number) {
  if (number == std::numeric_limits<std::int64_t>::min()) return "-9223372036854775807 - 1";
  return fmt::format("{}", number);
}

std::string list(std::span<const std::int64_t> numbers, std::int32_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::clamp(count, 0, kMaxRank)); ++i) {
    texts.push_back(literal(numbers[i]));
  }
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

std::string dtype(Dtype t) {
  return fmt::format("{{static_cast<DtypeCode>({}), {}, {}}}", static_cast<int>(t.code), t.bits,
                     t.lanes);
}

std::string device(Device d) {
  return fmt::format("{{static_cast<DeviceType>({}), {}}}", static_cast<std::int32_t>(d.type),
                     d.index);
}

class Writer {
 public:
  explicit Writer(const OpInfo& op) : op_(op) {}

  std::string text(const Trial& trial) {
    const Call& call = trial.call;
    if (call.current_device != 0) line("call.current_device = {};", call.current_device);
    if (call.fill != 0) line("call.fill = {}u;", call.fill);
    for (std::size_t i = 0; i < op_.fields.size(); ++i) value(op_.fields[i], call.values[i]);
    expectation(trial.expect);
    out_.pop_back();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void value(const FieldInfo& field, const Value& value) {
    line("Value& {0} = call.values[field_index<Op>(\"{0}\")];", field.name);
    if (value.absent) return line("{}.absent = true;", field.name);
    switch (field.type) {
      case FieldType::kTensor:
        return tensor(field.name, value.tensor);
      case FieldType::kInteger:
        return line("{}.integer = {};", field.name, literal(value.integer));
      case FieldType::kBoolean:
        return line("{}.boolean = {};", field.name, value.boolean);
      case FieldType::kReal:
      case FieldType::kOptionalReal:
        line("{}.real = std::bit_cast<float>({:#x}u);  // {}", field.name,
             std::bit_cast<std::uint32_t>(value.real), value.real);
    }
  }

  void tensor(std::string_view name, const TensorSpec& t) {
    const std::string at = fmt::format("{}.tensor.", name);
    line("{}dtype = {};", at, dtype(t.dtype));
    line("{}device = {};", at, device(t.device));
    line("{}rank = {};", at, t.rank);
    if (t.null_shape)
      line("{}null_shape = true;", at);
    else
      line("{}shape = {};", at, list(t.shape, t.rank));
    if (t.null_strides)
      line("{}null_strides = true;", at);
    else
      line("{}strides = {};", at, list(t.strides, t.rank));
    if (t.source == DataSource::kBuffer) line("{}buffer = {};", at, t.buffer);
    if (t.source == DataSource::kNull) line("{}source = DataSource::kNull;", at);
    if (t.source == DataSource::kLiteral) {
      line("{}source = DataSource::kLiteral;", at);
      line("{}literal = {:#x}u;", at, t.literal);
    }
    if (t.offset != 0) line("{}offset = {}u;", at, t.offset);
    if (!t.fill.is_default()) fill(at + "fill.", t.fill);
  }

  void fill(const std::string& at, const Fill& fill) {
    line("{}kind = static_cast<Fill::Kind>({});", at, static_cast<int>(fill.kind));
    if (fill.kind == Fill::Kind::kNumber) line("{}number = {};", at, real(fill.number));
    line("{}count = {};", at, fill.count);
    for (std::size_t i = 0; i < fill.count; ++i) {
      line("{}at[{}] = {{{}, {}}};", at, i, fill.at[i].element, real(fill.at[i].number));
    }
  }
  static std::string real(double number) {
    return fmt::format("std::bit_cast<double>({:#x}u)", std::bit_cast<std::uint64_t>(number));
  }

  void expectation(const Expectation& expect) {
    line("Expectation expect;");
    if (expect.verdict == Verdict::kUnknown) return;
    line("expect.verdict = Verdict::{};",
         expect.verdict == Verdict::kAccept ? "kAccept" : "kReject");
    if (expect.rule != kNoRule) {
      line("expect.rule = fuzz::rule_index(op, \"{}\");", numbered_id(op_, expect.rule));
      if (expect.any_of_id) line("expect.any_of_id = true;");
    }
    if (expect.argument != kNoField) {
      line("expect.argument = field_index<Op>(\"{}\");", op_.fields[expect.argument].name);
    }
  }

  const OpInfo& op_;
  std::string out_;
};

// A name in C++.
std::string identifier(const std::string& id) {
  std::string out;
  for (const char c : id) out += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ? c : '_';
  return out;
}

}  // namespace

std::string cpp_test(const OpInfo& op, const Trial& trial, const std::string& id,
                     const std::string& description) {
  // A backslash at the end of a comment would go on in the next line.
  return fmt::format(kFile, fmt::arg("description", visible(description) + "."),
                     fmt::arg("op", op.name), fmt::arg("test", identifier(id)),
                     fmt::arg("call", Writer(op).text(trial)));
}

}  // namespace prelaunch::fuzz
