#include <algorithm>

#include "api/analysis/pattern.hpp"
#include "base/utf8.hpp"

namespace sluice::api::analysis {

namespace {

constexpr char32_t nothing = 0xFFFFFFFF;  // before the first and after the last character

bool is_word(char32_t point) {
    return (point >= '0' && point <= '9') || (point >= 'a' && point <= 'z') ||
           (point >= 'A' && point <= 'Z') || point == '_';
}

bool holds(const RuneSet& set, char32_t point) {
    const auto after = std::ranges::upper_bound(set, point, {}, &RuneRange::first);
    return after != set.begin() && point <= std::prev(after)->last;
}

// A place between two characters.
struct Place {
    char32_t before;
    char32_t after;
};

bool is_there(Move::Kind kind, const Place& place) {
    switch (kind) {
        case Move::Kind::TextBegin: return place.before == nothing;
        case Move::Kind::TextEnd: return place.after == nothing;
        case Move::Kind::LineBegin: return place.before == nothing || place.before == '\n';
        case Move::Kind::LineEnd: return place.after == nothing || place.after == '\n';
        case Move::Kind::WordEdge: return is_word(place.before) != is_word(place.after);
        case Move::Kind::NoWordEdge: return is_word(place.before) == is_word(place.after);
        default: return true;
    }
}

// The moves that wait for the character at one place, each once.
class Front {
  public:
    explicit Front(const std::vector<Move>& moves) : moves_(moves), seen_(moves.size(), 0) {}

    void begin(const Place& place) {
        place_ = place;
        waiting_.clear();
        ++round_;
    }
    // Adds a move and all that it leads to without taking a character; true if that is the end.
    bool add(std::size_t move) {
        pending_.push_back(move);
        while (!pending_.empty()) {
            const std::size_t at = pending_.back();
            pending_.pop_back();
            if (seen_[at] == round_) continue;
            seen_[at] = round_;
            ++work_;
            const Move& next = moves_[at];
            const auto further = [&](std::int32_t by) {
                pending_.push_back(static_cast<std::size_t>(static_cast<std::int64_t>(at) + by));
            };
            if (next.kind == Move::Kind::Done) return true;
            if (next.kind == Move::Kind::Take) {
                waiting_.push_back(at);
            } else if (next.kind == Move::Kind::Both || next.kind == Move::Kind::Jump) {
                further(next.a);
                if (next.kind == Move::Kind::Both) further(next.b);
            } else if (is_there(next.kind, place_)) {
                further(1);
            }
        }
        return false;
    }
    const std::vector<std::size_t>& waiting() const { return waiting_; }
    std::size_t work() const { return work_; }

  private:
    const std::vector<Move>& moves_;
    std::vector<std::size_t> seen_;
    std::vector<std::size_t> waiting_;
    std::vector<std::size_t> pending_;
    std::size_t round_ = 0;
    std::size_t work_ = 0;
    Place place_{nothing, nothing};
};

}  // namespace

std::optional<Pattern::Outcome> Pattern::fits(std::string_view text, std::size_t work_max) const {
    Front front(moves_);
    std::vector<std::size_t> taken;
    char32_t before = nothing;
    for (;;) {
        const std::optional<Rune> rune = first_rune(text);
        const char32_t after = rune ? rune->point : text.empty() ? nothing : 0xFFFD;
        front.begin({before, after});
        bool is_done = front.add(0);
        for (std::size_t i = 0; i < taken.size() && !is_done; ++i)
            is_done = front.add(taken[i]);
        if (front.work() > work_max) return std::nullopt;
        if (is_done || text.empty()) return Outcome{is_done, front.work()};

        taken.clear();
        for (const std::size_t move : front.waiting())
            if (holds(sets_[static_cast<std::size_t>(moves_[move].a)], after))
                taken.push_back(move + 1);
        before = after;
        text.remove_prefix(rune ? rune->length : 1);
    }
}

}  // namespace sluice::api::analysis
