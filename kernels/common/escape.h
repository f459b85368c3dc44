// Text from outside, made safe to show. Whatever bytes a string holds, these give valid UTF-8 in
// which nothing is hidden: a replay command must look exactly like what pasting it would run.
#pragma once

#include <string>
#include <string_view>

namespace prelaunch {

// `bytes` with each ill-formed UTF-8 byte (overlong forms and surrogates included) as U+FFFD.
std::string valid_utf8(std::string_view bytes);

// One line for a terminal: C0 controls (newlines too) and DEL become their control pictures, C1
// controls, direction overrides, zero-width and line-separating characters become U+FFFD.
std::string visible(std::string_view bytes);

// visible(), with & < > " ' as entities: for element content and for quoted attributes.
std::string html_escape(std::string_view bytes);

}  // namespace prelaunch
