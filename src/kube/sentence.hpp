// Text from outside on its way into a sentence that a person reads: no control characters, no
// endless lines, no secrets.
#pragma once

#include <string>
#include <string_view>

namespace sluice::kube {

// Control characters become spaces, ends are trimmed, and what is longer than `bytes_max` ends in
// "..." at a character's border.
std::string printable(std::string_view text, std::size_t bytes_max);

// A name in quotes, at most 100 bytes of it.
std::string in_quotes(std::string_view name);

// `sentence` with every occurrence of `secret` replaced by "[redacted]". Secrets shorter than four
// bytes are left alone: they say nothing, and replacing them would garble the sentence.
std::string without_secret(std::string sentence, std::string_view secret);

// Words that look like a JSON Web Token replaced likewise: programs print them when they fail.
std::string without_web_tokens(std::string_view sentence);

}  // namespace sluice::kube
