#include "api/analysis/moment.hpp"

#include <algorithm>
#include <optional>

#include "api/go_duration.hpp"

namespace sluice::api::analysis {
namespace {

// Reads an expression from left to right.
class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    bool take(std::string_view word) {
        skip_blanks();
        if (!text_.starts_with(word)) return false;
        text_.remove_prefix(word.size());
        return true;
    }
    bool is_at_end() {
        skip_blanks();
        return text_.empty();
    }
    bool take_now() { return take("now") && take("(") && take(")"); }
    // The text in `name("text")`.
    std::optional<std::string_view> argument_of(std::string_view name) {
        if (!take(name) || !take("(")) return std::nullopt;
        const bool is_double = take("\"");
        if (!is_double && !take("'")) return std::nullopt;
        const std::size_t end = text_.find(is_double ? '"' : '\'');
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view inner = text_.substr(0, end);
        text_.remove_prefix(end + 1);
        return take(")") ? std::optional{inner} : std::nullopt;
    }

  private:
    void skip_blanks() {
        text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
    }

    std::string_view text_;
};

std::optional<Instant> date_in(Reader reader) {
    const auto text = reader.argument_of("date");
    return text && reader.is_at_end() ? parse_rfc3339(*text) : std::nullopt;
}

std::optional<Instant> near(Reader reader, Instant now) {
    if (!reader.take_now()) return std::nullopt;
    if (reader.is_at_end()) return now;
    const bool is_past = reader.take("-");
    if (!is_past && !reader.take("+")) return std::nullopt;
    const auto text = reader.argument_of("duration");
    const auto distance = text ? parse_go_duration(*text) : std::nullopt;
    if (!distance || !reader.is_at_end()) return std::nullopt;
    return is_past ? now - *distance : now + *distance;
}

}  // namespace

Result<Instant> time_at(std::string_view expression, Instant now) {
    const Reader reader{expression};
    if (const auto at = near(reader, now)) return *at;
    if (const auto at = date_in(reader)) return *at;
    return failure(ErrorKind::Malformed,
                   "must be a time such as now(), now() - duration(\"5m\") or "
                   "date(\"2026-01-31T12:00:00Z\")");
}

}  // namespace sluice::api::analysis
