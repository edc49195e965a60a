// The order of a list that two sides have a say in: the patch for what it names, the server for
// the rest. Entries are told apart by a key, or as a whole if the key is empty. Also how to take
// something out without disturbing what stays.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "sim/api/json.hpp"

namespace sluice::sim {

// Nothing for an entry that has no such key.
std::optional<std::string> identity_of(const json::value& entry, std::string_view key);

// Where each entry stands first.
using Places = std::unordered_map<std::string, std::size_t>;
Places places_of(const json::array& list, std::string_view key);

void erase_entries(json::array& list, const auto& is_unwanted) {
    list.erase(std::remove_if(list.begin(), list.end(), is_unwanted), list.end());
}

// The other members keep their order, unless there are so many that it would cost too much.
void erase_member(json::object& object, std::string_view key);

json::array without_repetition(json::array list);

// Entries that `patch` names come in its order, the others in the order of `server`; where both
// sides know two entries, the server's order decides which comes first.
json::array in_order(json::array list, const json::array& patch, const json::array& server,
                     std::string_view key);

}  // namespace sluice::sim
