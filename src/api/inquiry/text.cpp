#include "api/inquiry/text.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "base/base64.hpp"
#include "base/percent.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace sluice::api {

namespace {

void blot(std::string& text, std::string_view secret) {
    constexpr std::string_view mark = "[redacted]";
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
        text.replace(at, secret.size(), mark);
        at += mark.size();
    }
}

// The value as a whole, and its longer words: "Bearer x" is echoed as "x" too. Shorter pieces are
// no secrets, and blotting them would garble the sentence.
void blot_words(std::string& text, std::string_view secret) {
    constexpr std::size_t value_bytes_min = 4;
    constexpr std::size_t word_bytes_min = 6;
    if (secret.size() >= value_bytes_min) blot(text, secret);
    while (!secret.empty()) {
        const std::size_t end = std::min(secret.find(' '), secret.size());
        if (end >= word_bytes_min) blot(text, secret.substr(0, end));
        secret.remove_prefix(std::min(end + 1, secret.size()));
    }
}

// Whoever echoes a Secret may echo it as it stood in the request, or as others would write it.
void blot_every_spelling(std::string& text, std::string_view secret) {
    blot_words(text, secret);
    blot_words(text, percent_encoded(secret));
    blot_words(text, encode_base64(secret));
    const std::string in_json = boost::json::serialize(boost::json::string(secret));
    blot_words(text, std::string_view{in_json}.substr(1, in_json.size() - 2));
}

}  // namespace

std::string confined(std::string_view message, const Learnt& learnt,
                     std::span<const Redacted> more) {
    std::string text = printable(message, message.size());
    for (const Redacted& secret : more)
        blot_every_spelling(text, secret.reveal());
    for (const auto& [name, secret] : learnt.secrets) {
        if (!secret) continue;
        for (const auto& [key, value] : secret->data)
            blot_every_spelling(text, without_trailing_newline(value.reveal()));
        const auto user = secret->data.find("username");
        const auto password = secret->data.find("password");
        if (user == secret->data.end() || password == secret->data.end()) continue;
        const Redacted pair{std::string{without_trailing_newline(user->second.reveal())} + ":" +
                            std::string{without_trailing_newline(password->second.reveal())}};
        blot_every_spelling(text, pair.reveal());
    }
    return printable(text);
}

bool is_token(std::string_view text) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(in_lower_case(text), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || marks.contains(c);
    });
}

std::string_view without_trailing_newline(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    return text;
}

}  // namespace sluice::api
