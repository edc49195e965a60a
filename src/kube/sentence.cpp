#include "kube/sentence.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace sluice::kube {
namespace {

constexpr std::string_view redacted = "[redacted]";
constexpr std::size_t name_bytes_max = 100;

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// A JSON Web Token starts with base64 of `{"`, and the shortest real one is far longer than this.
bool looks_like_web_token(std::string_view word) {
    return word.size() > 20 && word.starts_with("eyJ");
}

bool is_token_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

}  // namespace

std::string printable(std::string_view text, std::size_t bytes_max) {
    std::string clean;
    clean.reserve(std::min(text.size(), bytes_max + 1));
    for (const char c : text) {
        if (clean.size() > bytes_max) break;
        clean += is_control(c) ? ' ' : c;
    }
    clean = trimmed(clean);
    if (clean.size() <= bytes_max) return clean;
    return std::string(beginning(clean, bytes_max)) + "...";
}

std::string in_quotes(std::string_view name) {
    return '"' + printable(name, name_bytes_max) + '"';
}

std::string without_secret(std::string sentence, std::string_view secret) {
    if (secret.size() < 4) return sentence;
    for (std::size_t at = sentence.find(secret); at != std::string::npos;
         at = sentence.find(secret, at + redacted.size()))
        sentence.replace(at, secret.size(), redacted);
    return sentence;
}

std::string without_web_tokens(std::string_view sentence) {
    std::string clean;
    std::size_t at = 0;
    while (at < sentence.size()) {
        std::size_t end = at;
        while (end < sentence.size() && is_token_character(sentence[end]))
            ++end;
        const std::string_view word = sentence.substr(at, end - at);
        clean += looks_like_web_token(word) ? redacted : word;
        if (end < sentence.size()) clean += sentence[end];
        at = end + 1;
    }
    return clean;
}

}  // namespace sluice::kube
