#include "language/json_path.hpp"

#include <boost/json.hpp>

#include "base/printable.hpp"
#include "language/refusal.hpp"

namespace sluice::language {

namespace {

namespace json = boost::json;
using Spots = std::vector<const json::value*>;
using Test = PathFilter::Test;

[[noreturn]] void give_up(std::string what, ErrorKind kind = ErrorKind::Invalid) {
    throw Refusal{Error{kind, std::move(what)}};
}

template <class Of>
bool answer(Test test, const Of& left, const Of& right) {
    switch (test) {
        case Test::Equal: return left == right;
        case Test::Unequal: return left != right;
        case Test::Less: return left < right;
        case Test::LessOrEqual: return left <= right;
        case Test::Greater: return left > right;
        case Test::GreaterOrEqual: return left >= right;
        case Test::Exists: break;
    }
    return true;
}

bool passes(Test test, const json::value& left, const json::value& right) {
    if (left.is_int64() && right.is_int64())
        return answer(test, left.get_int64(), right.get_int64());
    if (left.is_number() && right.is_number())
        return answer(test, left.to_number<double>(), right.to_number<double>());
    if (left.is_string() && right.is_string())
        return answer(test, std::string_view(left.get_string()),
                      std::string_view(right.get_string()));
    const bool is_equality = test == Test::Equal || test == Test::Unequal;
    if (left.is_bool() && right.is_bool() && is_equality)
        return answer(test, left.get_bool(), right.get_bool());
    give_up("a filter compares values that cannot be compared");
}

// The items of an array that a slice takes.
struct Bounds {
    std::size_t from;
    std::size_t to;
    std::size_t step;
};

Bounds bounds_of(const PathSlice& slice, std::int64_t size) {
    const auto from_end = [&](std::int64_t at) { return at < 0 ? at + size : at; };
    const std::int64_t from = from_end(slice.from.value_or(0));
    const std::int64_t to = slice.is_index ? from + 1 : slice.to ? from_end(*slice.to) : size;
    if (from == to) return {0, 0, 1};
    if (from < 0 || from >= size || to < 0 || to > size)
        give_up(fmt::format("an index is beyond the end of an array of {}", size));
    if (from > to) give_up("the begin of a range is behind its end");
    return {static_cast<std::size_t>(from), static_cast<std::size_t>(to),
            static_cast<std::size_t>(slice.step.value_or(1))};
}

class Finder {
  public:
    explicit Finder(JsonPath::Missing missing) : missing_(missing) {}

    template <class Step>
    Spots found(const std::vector<Step>& steps, Spots spots) {
        for (const Step& step : steps)
            spots = std::visit([&](const auto& what) { return taken(what, spots); }, step);
        return spots;
    }

  private:
    void visit(std::size_t count = 1) {
        visits_ += count;
        if (visits_ > path_visits_max)
            give_up("the path leads to too many values", ErrorKind::TooLarge);
    }

    Spots taken(const PathMember& member, const Spots& spots) {
        Spots out;
        for (const json::value* spot : spots) {
            visit();
            const json::object* object = spot->if_object();
            const json::value* value = object ? object->if_contains(member.name) : nullptr;
            if (value) out.push_back(value);
        }
        if (out.empty() && !spots.empty() && missing_ == JsonPath::Missing::Error)
            give_up(quoted(member.name) + " is not found", ErrorKind::NotFound);
        return out;
    }

    Spots taken(const PathSlice& slice, const Spots& spots) {
        Spots out;
        for (const json::value* spot : spots) {
            visit();
            if (spot->is_null()) continue;
            const json::array* array = spot->if_array();
            if (!array) give_up("an index is asked of a value that is not an array");
            const auto [from, to, step] = bounds_of(slice, std::ssize(*array));
            for (std::size_t i = from; i < to; i += step) {
                visit();
                out.push_back(&(*array)[i]);
            }
        }
        return out;
    }

    Spots taken(const PathChoice& choice, const Spots& spots) {
        Spots out;
        for (const auto& pick : choice.picks) {
            const Spots some =
                std::visit([&](const auto& what) { return taken(what, spots); }, pick);
            visit(some.size());
            out.insert(out.end(), some.begin(), some.end());
        }
        return out;
    }

    Spots inside(const json::value& value) {
        Spots out;
        if (const json::array* array = value.if_array())
            for (const json::value& item : *array)
                out.push_back(&item);
        if (const json::object* object = value.if_object())
            for (const auto& member : *object)
                out.push_back(&member.value());
        visit(out.size());
        return out;
    }

    Spots taken(const PathWildcard&, const Spots& spots) {
        Spots out;
        for (const json::value* spot : spots) {
            const Spots some = inside(*spot);
            out.insert(out.end(), some.begin(), some.end());
        }
        return out;
    }

    Spots taken(const PathDescent&, const Spots& spots) {
        Spots out;
        Spots pending(spots.rbegin(), spots.rend());
        while (!pending.empty()) {
            const json::value* spot = pending.back();
            pending.pop_back();
            visit();
            const Spots some = inside(*spot);
            if (some.empty()) continue;
            out.push_back(spot);
            pending.insert(pending.end(), some.rbegin(), some.rend());
        }
        return out;
    }

    Spots taken(const PathFilter& filter, const Spots& spots) {
        Spots out;
        for (const json::value* spot : spots) {
            const json::array* array = spot->if_array();
            if (!array) give_up("a filter is asked of a value that is not an array");
            for (const json::value& item : *array) {
                visit();
                if (lets_through(filter, item)) out.push_back(&item);
            }
        }
        return out;
    }

    bool lets_through(const PathFilter& filter, const json::value& item) {
        if (filter.test == Test::Exists) {
            const JsonPath::Missing before = missing_;
            missing_ = JsonPath::Missing::Nothing;
            const bool is_there = !found(filter.left, {&item}).empty();
            missing_ = before;
            return is_there;
        }
        const Spots left = found(filter.left, {&item});
        const auto* steps = std::get_if<std::vector<PathMove>>(&filter.right);
        const Spots right =
            steps ? found(*steps, {&item}) : Spots{&std::get<json::value>(filter.right)};
        if (left.empty() || right.empty()) return false;
        if (left.size() > 1 || right.size() > 1) give_up("a filter compares more than one value");
        return passes(filter.test, *left.front(), *right.front());
    }

    JsonPath::Missing missing_;
    std::size_t visits_ = 0;
};

}  // namespace

Result<std::vector<const json::value*>> JsonPath::found(const json::value& in,
                                                        Missing missing) const {
    return attempted([&] { return Finder(missing).found(steps_, {&in}); });
}

std::optional<JsonPath::Begin> JsonPath::begin() const {
    const auto* member = steps_.empty() ? nullptr : std::get_if<PathMember>(&steps_.front());
    if (!member) return std::nullopt;
    return Begin{member->name, JsonPath(PathSteps(steps_.begin() + 1, steps_.end()))};
}

Result<Value> value_at(const JsonPath& path, const json::value& in) {
    const auto found = path.found(in);
    if (!found) return std::unexpected(found.error());
    if (found->empty()) return failure(ErrorKind::NotFound, "the path finds nothing");
    return to_value(*found->front());
}

}  // namespace sluice::language
