#include "kernels/common/escape.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace prelaunch {
namespace {

constexpr char32_t kReplacement = 0xfffd;

struct Decoded {
  char32_t code_point;
  std::size_t length;  // bytes taken
};

// How many bytes the first byte announces, with the smallest code point that may use so many.
struct Lead {
  std::size_t length;
  char32_t bits, smallest;
};

std::optional<Lead> lead(unsigned char byte) {
  if (byte < 0x80) return Lead{1, byte, 0};
  if (byte >> 5 == 0x6) return Lead{2, byte & 0x1fU, 0x80};
  if (byte >> 4 == 0xe) return Lead{3, byte & 0x0fU, 0x800};
  if (byte >> 3 == 0x1e) return Lead{4, byte & 0x07U, 0x10000};
  return std::nullopt;
}

// The first code point of a string that is not empty; one byte as U+FFFD when it is ill-formed.
Decoded decode(std::string_view bytes) {
  constexpr Decoded kIllFormed{kReplacement, 1};
  const auto first = lead(static_cast<unsigned char>(bytes[0]));
  if (!first || first->length > bytes.size()) return kIllFormed;
  char32_t code_point = first->bits;
  for (std::size_t i = 1; i < first->length; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte >> 6 != 0x2) return kIllFormed;
    code_point = code_point << 6 | (byte & 0x3fU);
  }
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (code_point < first->smallest || surrogate || code_point > 0x10ffff) return kIllFormed;
  return {code_point, first->length};
}

void append(std::string& out, char32_t code_point) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | (code_point >> shift & 0x3f));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xc0 | code_point >> 6);
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xe0 | code_point >> 12);
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | code_point >> 18);
    tail(12), tail(6), tail(0);
  }
}

template <class Show>
std::string transform(std::string_view bytes, const Show& show) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Decoded decoded = decode(bytes);
    show(out, decoded.code_point);
    bytes.remove_prefix(decoded.length);
  }
  return out;
}

// Characters that reorder or hide others (Unicode's Bidi_Control and Default_Ignorable, the common
// ones), and those that end a line.
bool hides(char32_t c) {
  return (c >= 0x80 && c <= 0x9f) || c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
         (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

char32_t shown(char32_t c) {
  if (c < 0x20) return 0x2400 + c;
  if (c == 0x7f) return 0x2421;
  return hides(c) ? kReplacement : c;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) { return transform(bytes, append); }

std::string visible(std::string_view bytes) {
  return transform(bytes, [](std::string& out, char32_t c) { append(out, shown(c)); });
}

std::string html_escape(std::string_view bytes) {
  return transform(bytes, [](std::string& out, char32_t c) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        append(out, shown(c));
    }
  });
}

}  // namespace prelaunch
