#include "api/analysis/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/analysis/letters.hpp"
#include "base/utf8.hpp"

namespace sluice::api::analysis {

namespace {

using Moves = std::vector<Move>;

// Ends the reading of a pattern; compiled() turns it into an Error.
struct Unfit {
    ErrorKind kind;
    std::string what;
};

[[noreturn]] void refuse(std::string what) {
    throw Unfit{ErrorKind::Malformed, std::move(what)};
}

struct Flags {
    bool any_case = false;
    bool lines = false;       // ^ and $ stand at lines, too
    bool dot_is_all = false;  // . is a newline, too
};

constexpr char32_t last_point = 0x10FFFF;

RuneSet tidied(RuneSet set) {
    std::ranges::sort(set);
    RuneSet out;
    for (const RuneRange& range : set) {
        if (!out.empty() && range.first <= out.back().last + 1)
            out.back().last = std::max(out.back().last, range.last);
        else
            out.push_back(range);
    }
    return out;
}

RuneSet all_but(const RuneSet& set) {
    RuneSet out;
    char32_t next = 0;
    for (const RuneRange& range : set) {
        if (range.first > next) out.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next <= last_point) out.push_back({next, last_point});
    return out;
}

// The set of \d, \w or \s, and of their capitals; nothing if the letter stands for no set.
std::optional<RuneSet> set_of_letter(char32_t letter) {
    static const RuneSet digits{{'0', '9'}};
    static const RuneSet words{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const RuneSet spaces{{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    switch (letter) {
        case 'd': return digits;
        case 'D': return all_but(digits);
        case 'w': return words;
        case 'W': return all_but(words);
        case 's': return spaces;
        case 'S': return all_but(spaces);
        default: return std::nullopt;
    }
}

void add_other_case(RuneSet& set) {
    const std::size_t count = set.size();
    for (std::size_t i = 0; i < count; ++i) {
        const RuneRange range = set[i];
        if (range.first == range.last) {
            set.push_back({lower_of(range.first), lower_of(range.first)});
            set.push_back({upper_of(range.first), upper_of(range.first)});
            continue;
        }
        for (char32_t point = std::max<char32_t>(range.first, 'A');
             point <= std::min<char32_t>(range.last, 'z'); ++point) {
            set.push_back({lower_of(point), lower_of(point)});
            set.push_back({upper_of(point), upper_of(point)});
        }
    }
}

void append(Moves& to, const Moves& moves) {
    if (to.size() + moves.size() > pattern_moves_max)
        throw Unfit{ErrorKind::TooLarge, "repeats too much"};
    to.insert(to.end(), moves.begin(), moves.end());
}

std::int32_t length(const Moves& moves) {
    return static_cast<std::int32_t>(moves.size());
}

Moves either(const Moves& one, const Moves& other) {
    Moves out{{Move::Kind::Both, 1, length(one) + 2}};
    append(out, one);
    out.push_back({Move::Kind::Jump, length(other) + 1});
    append(out, other);
    return out;
}

Moves perhaps(const Moves& once) {
    Moves out{{Move::Kind::Both, 1, length(once) + 1}};
    append(out, once);
    return out;
}

Moves any_number(const Moves& once) {
    Moves out{{Move::Kind::Both, 1, length(once) + 2}};
    append(out, once);
    out.push_back({Move::Kind::Jump, -length(once) - 1});
    return out;
}

struct Times {
    std::uint32_t least;
    std::optional<std::uint32_t> most;  // none: as many as there are
};

Moves repeated(const Moves& once, const Times& times) {
    Moves out;
    for (std::uint32_t i = 0; i < times.least; ++i)
        append(out, once);
    if (!times.most) {
        append(out, any_number(once));
        return out;
    }
    const Moves one_more = perhaps(once);
    for (std::uint32_t i = times.least; i < *times.most; ++i)
        append(out, one_more);
    return out;
}

class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    Moves whole() {
        Moves moves = alternatives(Flags{}, 0);
        if (!rest_.empty()) refuse("closes a group that was not opened");
        moves.push_back({Move::Kind::Done});
        return moves;
    }
    std::vector<RuneSet> sets() && { return std::move(sets_); }

  private:
    bool next_is(std::string_view what) const { return rest_.starts_with(what); }
    bool skip(std::string_view what) {
        if (!next_is(what)) return false;
        rest_.remove_prefix(what.size());
        return true;
    }
    char32_t take() {
        const std::optional<Rune> rune = first_rune(rest_);
        if (!rune) refuse("ends too early");
        rest_.remove_prefix(rune->length);
        return rune->point;
    }

    Moves alternatives(Flags flags, std::size_t depth) {
        if (depth > pattern_depth_max)
            throw Unfit{ErrorKind::TooLarge, "has too many groups in groups"};
        Moves out = sequence(flags, depth);
        while (skip("|"))
            out = either(out, sequence(flags, depth));
        return out;
    }

    // Flags that are set in the middle of a group hold to its end, beyond the next "|".
    Moves sequence(Flags& flags, std::size_t depth) {
        Moves out;
        while (!rest_.empty() && !next_is("|") && !next_is(")")) {
            const Moves once = atom(flags, depth);
            if (const std::optional<Times> times = repetition())
                append(out, repeated(once, *times));
            else
                append(out, once);
        }
        return out;
    }

    std::optional<Times> repetition() {
        std::optional<Times> times;
        if (skip("*"))
            times = Times{0, std::nullopt};
        else if (skip("+"))
            times = Times{1, std::nullopt};
        else if (skip("?"))
            times = Times{0, 1};
        else
            times = counted();
        if (!times) return std::nullopt;
        skip("?");  // prefers the shorter way, which changes nothing about whether one fits
        if (next_is("*") || next_is("+") || next_is("?") || counted())
            refuse("repeats a repetition");
        return times;
    }

    // "{2}", "{2,}" or "{2,5}"; anything else after a brace is a text like any other.
    std::optional<Times> counted() {
        const std::string_view before = rest_;
        if (!skip("{")) return std::nullopt;
        const std::optional<std::uint32_t> least = count();
        std::optional<std::uint32_t> most = least;
        if (least && skip(",")) most = count();
        if (!least || !skip("}")) {
            rest_ = before;
            return std::nullopt;
        }
        if (most && *most < *least) refuse("has a repetition whose bounds are the wrong way round");
        if (std::max(*least, most.value_or(0)) > pattern_repetitions_max)
            throw Unfit{ErrorKind::TooLarge, "repeats too much"};
        return Times{*least, most};
    }

    std::optional<std::uint32_t> count() {
        if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return std::nullopt;
        std::uint32_t number = 0;
        while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
            number = std::min(number * 10 + static_cast<std::uint32_t>(rest_.front() - '0'),
                              pattern_repetitions_max + 1);
            rest_.remove_prefix(1);
        }
        return number;
    }

    Moves atom(Flags& flags, std::size_t depth) {
        switch (const char32_t point = take()) {
            case '(': return group(flags, depth);
            case '[': return taking(set(flags), {});
            case '.':
                return taking(flags.dot_is_all ? RuneSet{{0, last_point}} : all_but({{'\n', '\n'}}),
                              {});
            case '^': return {{flags.lines ? Move::Kind::LineBegin : Move::Kind::TextBegin}};
            case '$': return {{flags.lines ? Move::Kind::LineEnd : Move::Kind::TextEnd}};
            case '\\': return escaped(flags);
            case '*':
            case '+':
            case '?': refuse("repeats nothing");
            default: return taking({{point, point}}, flags);
        }
    }

    Moves taking(RuneSet set, const Flags& flags) {
        if (flags.any_case) add_other_case(set);
        sets_.push_back(tidied(std::move(set)));
        return {{Move::Kind::Take, static_cast<std::int32_t>(sets_.size() - 1)}};
    }

    Moves group(Flags& flags, std::size_t depth) {
        Flags inner = flags;
        if (skip("?P<") || (next_is("?<") && !next_is("?<=") && !next_is("?<!") && skip("?<"))) {
            while (take() != '>') {
            }
        } else if (skip("?")) {
            inner = changed(flags);
            if (skip(")")) {
                flags = inner;
                return {};
            }
            if (!skip(":")) refuse("has a group of a kind that is not supported");
        }
        Moves moves = alternatives(inner, depth + 1);
        if (!skip(")")) refuse("opens a group and does not close it");
        return moves;
    }

    Flags changed(Flags flags) {
        bool value = true;
        while (!rest_.empty() && !next_is(")") && !next_is(":")) {
            switch (take()) {
                case '-': value = false; break;
                case 'i': flags.any_case = value; break;
                case 'm': flags.lines = value; break;
                case 's': flags.dot_is_all = value; break;
                case 'U': break;  // prefers the shorter way
                default: refuse("has a group of a kind that is not supported");
            }
        }
        return flags;
    }

    Moves escaped(const Flags& flags) {
        if (skip("b")) return {{Move::Kind::WordEdge}};
        if (skip("B")) return {{Move::Kind::NoWordEdge}};
        if (skip("A")) return {{Move::Kind::TextBegin}};
        if (skip("z")) return {{Move::Kind::TextEnd}};
        const char32_t letter = take();
        if (std::optional<RuneSet> set = set_of_letter(letter)) return taking(*std::move(set), {});
        const char32_t point = character(letter);
        return taking({{point, point}}, flags);
    }

    // What a backslash and this character stand for.
    char32_t character(char32_t letter) {
        switch (letter) {
            case 'a': return '\a';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'v': return '\v';
            case 'x': return hexadecimal();
            default: break;
        }
        const bool is_sign = letter < 0x80 && letter > ' ' && !(letter >= '0' && letter <= '9') &&
                             !(lower_of(letter) >= 'a' && lower_of(letter) <= 'z');
        if (!is_sign) refuse("has a backslash before a character that it does not go with");
        return letter;
    }

    char32_t hexadecimal() {
        const bool in_braces = skip("{");
        char32_t point = 0;
        for (int digits = 0; in_braces ? !skip("}") : digits < 2; ++digits) {
            const char32_t digit = lower_of(take());
            if (digit >= '0' && digit <= '9')
                point = point * 16 + digit - '0';
            else if (digit >= 'a' && digit <= 'f')
                point = point * 16 + digit - 'a' + 10;
            else
                refuse("has a \\x without its hexadecimal digits");
            if (point > last_point) refuse("names a character that does not exist");
        }
        return point;
    }

    // After "[", to the "]" that closes it.
    RuneSet set(const Flags& flags) {
        const bool negated = skip("^");
        RuneSet out;
        for (bool is_first = true; is_first || !next_is("]"); is_first = false) {
            if (rest_.empty()) refuse("opens a set with '[' and does not close it");
            if (next_is("[:")) refuse("has a class of the kind [:name:], which is not supported");
            add_member(out, flags);
        }
        skip("]");
        out = tidied(std::move(out));
        return negated ? all_but(out) : out;
    }

    void add_member(RuneSet& out, const Flags& flags) {
        char32_t first = take();
        if (first == '\\') {
            const char32_t letter = take();
            if (const std::optional<RuneSet> known = set_of_letter(letter)) {
                out.insert(out.end(), known->begin(), known->end());
                return;
            }
            first = character(letter);
        }
        char32_t last = first;
        if (next_is("-") && !next_is("-]")) {
            skip("-");
            last = take();
            if (last == '\\') last = character(take());
        }
        if (last < first) refuse("has a range in a set that is the wrong way round");
        RuneSet added{{first, last}};
        if (flags.any_case) {
            if (first != last && last >= 0x80)
                refuse("has a range of letters beyond ASCII where case does not count");
            add_other_case(added);
        }
        out.insert(out.end(), added.begin(), added.end());
    }

    std::string_view rest_;
    std::vector<RuneSet> sets_;
};

}  // namespace

Result<Pattern> Pattern::compiled(std::string_view text) {
    if (text.size() > pattern_bytes_max) {
        return failure(ErrorKind::TooLarge,
                       fmt::format("is longer than {} bytes", pattern_bytes_max));
    }
    if (!is_utf8(text)) return failure(ErrorKind::Malformed, "is not UTF-8");
    try {
        Reader reader(text);
        Moves moves = reader.whole();
        return Pattern(std::move(moves), std::move(reader).sets());
    } catch (Unfit& unfit) {
        return failure(unfit.kind, std::move(unfit.what));
    }
}

}  // namespace sluice::api::analysis
