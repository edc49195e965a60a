#include <limits>
#include <set>

#include "base/utf8.hpp"
#include "language/functions.hpp"
#include "language/letters.hpp"
#include "language/operators.hpp"

namespace sluice::language {

namespace {

// How many bytes at the begin, or at the end, are one character that goes; 0 if it stays.
template <class Goes>
std::size_t going_at_begin(std::string_view text, const Goes& goes) {
    const std::optional<Rune> rune = first_rune(text);
    return rune && goes(rune->point) ? rune->length : 0;
}

template <class Goes>
std::size_t going_at_end(std::string_view text, const Goes& goes) {
    std::size_t begin = text.empty() ? 0 : text.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0u) == 0x80u)
        --begin;
    const std::size_t length = going_at_begin(text.substr(begin), goes);
    return begin + length == text.size() ? length : 0;
}

std::set<char32_t> points_of(std::string_view text, Work& work) {
    work.take(text.size());
    std::set<char32_t> out;
    while (const std::optional<Rune> rune = first_rune(text)) {
        out.insert(rune->point);
        text.remove_prefix(rune->length);
    }
    return out;
}

// A count as an argument gives it; a negative one is any.
std::size_t count_of(Function function, Arguments arguments, std::size_t place, const Work& work) {
    constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
    if (arguments.size() <= place) return any;
    const std::int64_t count = integer_for(function, arguments[place], work);
    return count < 0 ? any : static_cast<std::size_t>(count);
}

}  // namespace

Value in_other_letters(Function function, Arguments arguments, Work& work) {
    const std::string& text = text_for(function, arguments[0], work);
    return function == Function::Lower ? lowered(text) : uppered(text);
}

Value trimmed(Function function, Arguments arguments, Work& work) {
    std::string_view text = text_for(function, arguments[0], work);
    std::set<char32_t> unwanted;
    if (arguments.size() > 1) unwanted = points_of(text_for(function, arguments[1], work), work);
    const auto goes = [&](char32_t point) {
        return arguments.size() > 1 ? unwanted.contains(point) : is_space(point);
    };
    while (const std::size_t bytes = going_at_begin(text, goes))
        text.remove_prefix(bytes);
    while (const std::size_t bytes = going_at_end(text, goes))
        text.remove_suffix(bytes);
    return std::string(text);
}

Value without_end(Function function, Arguments arguments, Work& work) {
    std::string_view text = text_for(function, arguments[0], work);
    const std::string_view end =
        arguments.size() > 1 ? std::string_view(text_for(function, arguments[1], work)) : " ";
    if (function == Function::TrimPrefix && text.starts_with(end)) text.remove_prefix(end.size());
    if (function == Function::TrimSuffix && text.ends_with(end)) text.remove_suffix(end.size());
    return std::string(text);
}

Value split(Function function, Arguments arguments, Work& work) {
    const std::string& text = text_for(function, arguments[0], work);
    const std::string& by = text_for(function, arguments[1], work);
    const std::size_t count = count_of(function, arguments, 2, work);
    Value::Array out;
    if (count == 0) return out;
    std::size_t begin = 0;
    for (const std::size_t place : places_of(text, by, count, work)) {
        if (by.empty() && (place == 0 || place == text.size())) continue;
        if (out.size() + 1 == count) break;
        const std::size_t end = place + (function == Function::SplitAfter ? by.size() : 0);
        out.emplace_back(text.substr(begin, end - begin));
        begin = place + by.size();
    }
    if (!by.empty() || !text.empty()) out.emplace_back(text.substr(begin));
    return out;
}

Value replaced(Function function, Arguments arguments, Work& work) {
    const std::string& text = text_for(function, arguments[0], work);
    const std::string& old = text_for(function, arguments[1], work);
    const std::string& by = text_for(function, arguments[2], work);
    std::string out;
    std::size_t begin = 0;
    for (const std::size_t place :
         places_of(text, old, count_of(function, arguments, 3, work), work)) {
        work.take_bytes(place - begin + by.size());
        out.append(text, begin, place - begin).append(by);
        begin = place + old.size();
    }
    return out.append(text, begin);
}

Value repeated(Function function, Arguments arguments, Work& work) {
    const std::string& text = text_for(function, arguments[0], work);
    const std::int64_t count = integer_for(function, arguments[1], work);
    if (count < 0) work.refuse("repeat cannot repeat less than 0 times");
    std::string out;
    for (std::int64_t i = 0; i < count; ++i) {
        work.take_bytes(text.size());
        out += text;
    }
    return out;
}

Value joined(Function function, Arguments arguments, Work& work) {
    std::string out;
    const std::string_view glue =
        arguments.size() > 1 ? std::string_view(text_for(function, arguments[1], work)) : "";
    bool is_first = true;
    for (const Value& item : array_for(function, arguments[0], work)) {
        work.take_bytes(glue.size());
        out.append(is_first ? "" : glue).append(text_for(function, item, work));
        is_first = false;
    }
    return out;
}

Value place(Function function, Arguments arguments, Work& work) {
    const std::string& text = text_for(function, arguments[0], work);
    const std::string& part = text_for(function, arguments[1], work);
    if (function == Function::HasPrefix) return text.starts_with(part);
    if (function == Function::HasSuffix) return text.ends_with(part);
    if (function == Function::LastIndexOf) {
        const std::string backwards(text.rbegin(), text.rend());
        const auto found = places_of(backwards, std::string(part.rbegin(), part.rend()), 1, work);
        if (found.empty()) return -1;
        return static_cast<std::int64_t>(text.size() - found[0] - part.size());
    }
    const auto found = places_of(text, part, 1, work);
    return found.empty() ? -1 : static_cast<std::int64_t>(found[0]);
}

}  // namespace sluice::language
