#include <charconv>
#include <concepts>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "language/json_path.hpp"
#include "language/refusal.hpp"

namespace sluice::language {

namespace {

using Test = PathFilter::Test;

struct Comparison {
    std::string_view spelled;
    Test test;
};
// Longer ones first.
constexpr Comparison comparisons[] = {{"==", Test::Equal},       {"!=", Test::Unequal},
                                      {"<=", Test::LessOrEqual}, {">=", Test::GreaterOrEqual},
                                      {"<", Test::Less},         {">", Test::Greater}};

class PathReader {
  public:
    explicit PathReader(std::string_view text) : text_(text) {}

    PathSteps whole() {
        skip_blanks();
        const bool in_braces = skip("{");
        skip_blanks();
        const bool has_root = skip("$") || skip("@");
        PathSteps out = steps<PathStep>();
        if (out.empty() && !has_root) refuse(at_, "a path begins with $ or a dot");
        if (in_braces && !skip("}")) refuse(at_, "\"}\" is expected");
        skip_blanks();
        if (at_ < text_.size())
            refuse(at_, in_braces ? "nothing is expected after the braces"
                                  : "a dot or a bracket is expected");
        return out;
    }

  private:
    bool next_is(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    bool skip(std::string_view what) {
        if (!next_is(what)) return false;
        at_ += what.size();
        return true;
    }
    void skip_blanks() {
        while (skip(" ")) {
        }
    }
    void expect(std::string_view what) {
        skip_blanks();
        if (!skip(what)) refuse(at_, quoted(what) + " is expected");
    }

    template <class Step>
    std::vector<Step> steps() {
        std::vector<Step> out;
        for (skip_blanks(); next_is(".") || next_is("["); skip_blanks()) {
            if (next_is("[?")) {
                if constexpr (std::same_as<Step, PathStep>)
                    out.push_back(filter());
                else
                    refuse(at_, "there is no filter in a filter");
            } else if (next_is("[")) {
                out.push_back(choice());
            } else if (skip("..")) {
                out.push_back(PathDescent{});
                if (!next_is("[")) out.push_back(member<Step>());
            } else {
                skip(".");
                out.push_back(member<Step>());
            }
        }
        return out;
    }

    // A backslash takes the next character as it is.
    template <class Step>
    Step member() {
        constexpr std::string_view ends = " \t\r\n.,[]$@{}()=!<>|&";
        const std::size_t begin = at_;
        std::string name;
        while (at_ < text_.size() && ends.find(text_[at_]) == ends.npos) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            name += text_[at_++];
        }
        if (name.empty()) refuse(begin, "a name is expected");
        if (text_.substr(begin, at_ - begin) == "*") return PathWildcard{};
        return PathMember{std::move(name)};
    }

    PathChoice choice() {
        PathChoice out;
        expect("[");
        do {
            skip_blanks();
            if (next_is("'") || next_is("\""))
                out.picks.emplace_back(PathMember{text()});
            else
                out.picks.emplace_back(slice());
            skip_blanks();
        } while (skip(","));
        expect("]");
        return out;
    }

    PathSlice slice() {
        if (skip("*")) return {};
        PathSlice out;
        const std::size_t begin = at_;
        out.from = index();
        out.is_index = !next_is(":");
        if (skip(":")) out.to = index();
        if (skip(":")) out.step = index();
        if (begin == at_) refuse(at_, "an index or a quoted name is expected");
        if (out.step && *out.step <= 0) refuse(begin, "the step of a range is more than 0");
        return out;
    }

    std::optional<std::int64_t> index() {
        std::int64_t number = 0;
        const char* begin = text_.data() + at_;
        const auto [end, failed] = std::from_chars(begin, text_.data() + text_.size(), number);
        if (failed == std::errc::invalid_argument) return std::nullopt;
        // No array is that long, and sums of such numbers stay numbers.
        if (failed != std::errc{} || number > INT32_MAX || number < INT32_MIN)
            refuse(at_, "the index is too large");
        at_ += static_cast<std::size_t>(end - begin);
        return number;
    }

    std::string text() {
        const std::size_t begin = at_;
        const char quote = text_[at_++];
        std::string out;
        while (at_ < text_.size() && text_[at_] != quote) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            out += text_[at_++];
        }
        if (at_ >= text_.size()) refuse(begin, "the quote is not closed");
        ++at_;
        return out;
    }

    PathFilter filter() {
        PathFilter out;
        expect("[?");
        expect("(");
        expect("@");
        out.left = steps<PathMove>();
        skip_blanks();
        for (const Comparison& comparison : comparisons) {
            if (!skip(comparison.spelled)) continue;
            out.test = comparison.test;
            skip_blanks();
            if (skip("@"))
                out.right = steps<PathMove>();
            else
                out.right = literal();
            break;
        }
        expect(")");
        expect("]");
        return out;
    }

    boost::json::value literal() {
        if (next_is("'") || next_is("\"")) return boost::json::value(text());
        if (skip("true")) return true;
        if (skip("false")) return false;
        const char* begin = text_.data() + at_;
        const char* end = text_.data() + text_.size();
        std::int64_t integer = 0;
        double number = 0;
        const auto whole = std::from_chars(begin, end, integer);
        const auto any = std::from_chars(begin, end, number);
        if (any.ec != std::errc{}) refuse(at_, "a string, a number, true, false or @ is expected");
        at_ += static_cast<std::size_t>(any.ptr - begin);
        if (whole.ec == std::errc{} && whole.ptr == any.ptr) return integer;
        return number;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

Result<JsonPath> JsonPath::parsed(std::string_view text) {
    if (text.size() > path_bytes_max)
        return failure(ErrorKind::TooLarge, fmt::format("is longer than {} bytes", path_bytes_max));
    if (!is_utf8(text)) return failure(ErrorKind::Malformed, "is not UTF-8");
    return attempted([&] { return JsonPath(PathReader(text).whole()); });
}

}  // namespace sluice::language
