#include "sim/api/list_order.hpp"

#include <tuple>
#include <vector>

namespace sluice::sim {
namespace {

struct Entry {
    json::value value;
    std::size_t asked;   // the place in the patch
    std::size_t served;  // the place on the server
    std::size_t at;      // the place in the list, which decides between equals
};

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

std::size_t place_in(const Places& places, const std::optional<std::string>& identity) {
    const auto at = identity ? places.find(*identity) : places.end();
    return at == places.end() ? nowhere : at->second;
}

}  // namespace

std::optional<std::string> identity_of(const json::value& entry, std::string_view key) {
    if (key.empty()) return json::serialize(entry);
    const json::object* object = entry.if_object();
    const json::value* value = object ? object->if_contains(key) : nullptr;
    if (!value) return {};
    return json::serialize(*value);
}

Places places_of(const json::array& list, std::string_view key) {
    Places places;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (const auto identity = identity_of(list[i], key)) places.try_emplace(*identity, i);
    return places;
}

void erase_member(json::object& object, std::string_view key) {
    // Keeping the order is linear in the members: a patch that removes each of very many members
    // would take forever.
    constexpr std::size_t ordered_max = 1000;
    if (object.size() > ordered_max)
        object.erase(key);
    else
        object.stable_erase(key);
}

json::array without_repetition(json::array list) {
    std::unordered_set<std::string> seen;
    erase_entries(list, [&](const json::value& entry) {
        return !seen.insert(json::serialize(entry)).second;
    });
    return list;
}

json::array in_order(json::array list, const json::array& patch, const json::array& server,
                     std::string_view key) {
    const Places asked = places_of(patch, key);
    const Places served = places_of(server, key);
    std::vector<Entry> named;
    std::vector<Entry> others;
    for (json::value& value : list) {
        const auto identity = identity_of(value, key);
        Entry entry{std::move(value), place_in(asked, identity), place_in(served, identity),
                    named.size() + others.size()};
        (entry.asked == nowhere ? others : named).push_back(std::move(entry));
    }
    const auto first = [](const Entry& left, const Entry& right) {
        return std::tie(left.asked, left.served, left.at) <
               std::tie(right.asked, right.served, right.at);
    };
    std::ranges::sort(named, first);
    std::ranges::sort(others, first);

    json::array ordered;
    ordered.reserve(list.size());
    auto other = others.begin();
    for (Entry& entry : named) {
        while (other != others.end() && entry.served != nowhere && other->served < entry.served)
            ordered.push_back(std::move((other++)->value));
        ordered.push_back(std::move(entry.value));
    }
    for (; other != others.end(); ++other)
        ordered.push_back(std::move(other->value));
    return ordered;
}

}  // namespace sluice::sim
