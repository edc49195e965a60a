#include "language/tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "language/letters.hpp"
#include "language/refusal.hpp"

namespace sluice::language {

namespace {

// Longer ones first: "?." is not "?" and ".".
constexpr std::array<std::string_view, 34> signs{
    "?.", "??", "..", "**", "==", "!=", "<=", ">=", "&&", "||", "::", "?", ":", ".", ",", "(", ")",
    "[",  "]",  "{",  "}",  "+",  "-",  "*",  "/",  "%",  "^",  "<",  ">", "!", "#", ";", "|", "="};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int digit_of(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::vector<Token> all() {
        std::vector<Token> out;
        for (skip_blanks(); at_ < text_.size(); skip_blanks())
            out.push_back(next());
        out.push_back({.spelled = {}, .at = text_.size()});
        return out;
    }

  private:
    char ahead(std::size_t by = 0) const {
        return at_ + by < text_.size() ? text_[at_ + by] : '\0';
    }

    void skip_blanks() {
        for (;;) {
            if (is_blank(ahead())) {
                ++at_;
            } else if (text_.substr(at_).starts_with("//")) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (text_.substr(at_).starts_with("/*")) {
                const std::size_t end = text_.find("*/", at_ + 2);
                if (end == text_.npos) refuse(at_, "the comment is not closed");
                at_ = end + 2;
            } else {
                return;
            }
        }
    }

    Token next() {
        const std::size_t begin = at_;
        const char c = ahead();
        if (is_digit(c) || (c == '.' && is_digit(ahead(1))))
            return made(Token::Kind::Number, begin);
        if (c == '"' || c == '\'' || c == '`') return made(Token::Kind::Text, begin);
        if (is_letter(c)) return made(Token::Kind::Word, begin);
        for (const std::string_view sign : signs) {
            if (!text_.substr(at_).starts_with(sign)) continue;
            at_ += sign.size();
            return {Token::Kind::Sign, text_.substr(begin, sign.size()), begin};
        }
        refuse(begin, quoted(text_.substr(begin, 1)) + " has no meaning");
    }

    Token made(Token::Kind kind, std::size_t begin) {
        Value value;
        if (kind == Token::Kind::Number) value = number();
        if (kind == Token::Kind::Text) value = ahead() == '`' ? raw_text() : text();
        while (kind == Token::Kind::Word && (is_letter(ahead()) || is_digit(ahead())))
            ++at_;
        return {kind, text_.substr(begin, at_ - begin), begin, std::move(value)};
    }

    // The digits ahead, without the underscores that may stand between them.
    std::string digits(int base) {
        std::string out;
        for (; digit_of(ahead()) < base || ahead() == '_'; ++at_)
            if (ahead() != '_') out += ahead();
        return out;
    }

    Value number() {
        const std::size_t begin = at_;
        const char prefix = ahead(1) == '\0' ? '\0' : static_cast<char>(ahead(1) | 0x20);
        const int base = ahead() != '0'  ? 10
                         : prefix == 'x' ? 16
                         : prefix == 'o' ? 8
                         : prefix == 'b' ? 2
                                         : 10;
        if (base != 10) {
            at_ += 2;
            return read<std::int64_t>(digits(base), begin, base);
        }
        std::string all = digits(10);
        bool is_float = false;
        if (ahead() == '.' && ahead(1) != '.') {  // "1..3" is a range
            is_float = true;
            ++at_;
            all += '.' + digits(10);
        }
        if (ahead() == 'e' || ahead() == 'E') {
            is_float = true;
            ++at_;
            all += 'e';
            if (ahead() == '-') all += '-';
            if (ahead() == '-' || ahead() == '+') ++at_;
            all += digits(10);
        }
        return is_float ? read<double>(all, begin) : read<std::int64_t>(all, begin);
    }

    // `base` is there for integers.
    template <class Number>
    Value read(const std::string& all, std::size_t begin, auto... base) const {
        constexpr bool is_float = std::floating_point<Number>;
        if (is_letter(ahead()) || is_digit(ahead())) refuse(begin, "this is not a number");
        Number value = 0;
        const char* const last = all.data() + all.size();
        const auto [end, failed] = std::from_chars(all.data(), last, value, base...);
        if (failed == std::errc::result_out_of_range)
            refuse(begin,
                   is_float ? "the number is too large or too small" : "the number is too large");
        if (failed != std::errc{} || end != last) refuse(begin, "this is not a number");
        return value;
    }

    // Between backquotes everything counts as it stands.
    Value raw_text() {
        const std::size_t end = text_.find('`', at_ + 1);
        if (end == text_.npos) refuse(at_, "the quote is not closed");
        std::string out(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return out;
    }

    Value text() {
        const std::size_t begin = at_;
        const char quote = text_[at_++];
        std::string out;
        while (ahead() != quote) {
            if (at_ >= text_.size() || ahead() == '\n') refuse(begin, "the quote is not closed");
            if (ahead() == '\\')
                out += escaped();
            else
                out += text_[at_++];
        }
        ++at_;
        if (!is_utf8(out)) refuse(begin, "the text is not UTF-8");
        return out;
    }

    std::string escaped() {
        const std::size_t begin = at_++;
        const char c = ahead();
        if (c >= '0' && c <= '7') return std::string(1, static_cast<char>(code(3, 8, begin)));
        if (at_ < text_.size()) ++at_;
        constexpr std::string_view letters = "abfnrtv\\'\"";
        constexpr std::string_view meant = "\a\b\f\n\r\t\v\\'\"";
        if (const std::size_t place = letters.find(c); place != letters.npos)
            return std::string(1, meant[place]);
        switch (c) {
            case 'x': return std::string(1, static_cast<char>(code(2, 16, begin)));
            case 'u': return utf8_of(code(4, 16, begin));
            case 'U': return utf8_of(code(8, 16, begin));
            default: refuse(begin, "a backslash does not go with what follows it");
        }
    }

    char32_t code(int count, int base, std::size_t begin) {
        char32_t out = 0;
        for (int i = 0; i < count; ++i, ++at_) {
            const int digit = digit_of(ahead());
            if (digit >= base || out > 0x10FFFF)
                refuse(begin, "a backslash does not go with what follows it");
            out = out * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
        }
        if (base == 8 && out > 0xFF) refuse(begin, "a backslash does not go with what follows it");
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
    return Scanner(text).all();
}

}  // namespace sluice::language
