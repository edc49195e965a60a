#include "sim/api/managed_fields.hpp"

#include <algorithm>
#include <tuple>

#include "sim/api/field_walk.hpp"
#include "sim/api/refusals.hpp"

namespace sluice::sim {
namespace {

constexpr std::string_view managed_fields = "/metadata/managedFields";

// As in the API server: beyond these, the oldest updaters share one entry.
constexpr std::ptrdiff_t updaters_max = 10;
const std::string ancient = "ancient-changes";

std::optional<ManagedEntry> to_entry(const json::value& value) {
    const json::object* object = value.if_object();
    const json::value* fields = object ? object->if_contains("fieldsV1") : nullptr;
    if (!fields || !is_field_set(*fields)) return {};
    const std::string operation = text_at(*object, "/operation");
    if (operation != "Apply" && operation != "Update") return {};
    return ManagedEntry{
        text_at(*object, "/manager"), operation == "Apply", text_at(*object, "/apiVersion"),
        text_at(*object, "/time"),    fields->get_object(), text_at(*object, "/subresource")};
}

json::object to_json(const ManagedEntry& entry) {
    json::object object;
    object["manager"] = entry.manager;
    object["operation"] = entry.applies ? "Apply" : "Update";
    object["apiVersion"] = entry.api_version;
    if (!entry.time.empty()) object["time"] = entry.time;
    object["fieldsType"] = "FieldsV1";
    object["fieldsV1"] = sorted(entry.fields);
    if (!entry.subresource.empty()) object["subresource"] = entry.subresource;
    return object;
}

bool is_first(const ManagedEntry& left, const ManagedEntry& right) {
    const auto rank = [](const ManagedEntry& entry) {
        return std::tuple{!entry.applies, std::string_view{entry.time},
                          std::string_view{entry.manager}, std::string_view{entry.api_version},
                          std::string_view{entry.subresource}};
    };
    return rank(left) < rank(right);
}

// One entry that is empty is how a client asks to forget all of them.
bool asks_to_forget(const json::object& document) {
    const json::array& list = array_at(document, managed_fields);
    return list.size() == 1 && list.front().is_object() && list.front().get_object().empty();
}

// The entries that a write starts from: a client may send its own, but not with a subresource.
std::vector<ManagedEntry> entries_before(const json::object& before, const json::object& after,
                                         const Apply& update) {
    if (!update.subresource.empty()) return managed_entries(before);
    if (asks_to_forget(after)) return {};
    auto sent = managed_entries(after);
    return sent.empty() ? managed_entries(before) : sent;
}

void merge_ancient(std::vector<ManagedEntry>& entries) {
    while (std::ranges::count(entries, false, &ManagedEntry::applies) > updaters_max) {
        std::ranges::sort(entries, is_first);
        const auto oldest = std::ranges::find_if(entries, [](const ManagedEntry& entry) {
            return !entry.applies && entry.manager != ancient;
        });
        if (oldest == entries.end()) return;
        ManagedEntry merged = std::move(*oldest);
        entries.erase(oldest);
        const auto bucket = std::ranges::find_if(entries, [&](const ManagedEntry& entry) {
            return entry.manager == ancient && entry.api_version == merged.api_version;
        });
        if (bucket != entries.end()) {
            bucket->fields = united(std::move(bucket->fields), merged.fields);
            bucket->time = merged.time;
            continue;
        }
        merged.manager = ancient;
        merged.subresource.clear();
        entries.push_back(std::move(merged));
    }
}

}  // namespace

std::vector<ManagedEntry> managed_entries(const json::object& document) {
    std::vector<ManagedEntry> entries;
    for (const json::value& value : array_at(document, managed_fields)) {
        auto entry = to_entry(value);
        if (!entry) return {};
        entries.push_back(std::move(*entry));
    }
    return entries;
}

void set_managed_entries(json::object& document, std::vector<ManagedEntry> entries) {
    if (entries.empty()) return erase(document, managed_fields);
    std::ranges::sort(entries, is_first);
    json::array list;
    list.reserve(entries.size());
    for (const ManagedEntry& entry : entries)
        list.push_back(to_json(entry));
    set(document, managed_fields, std::move(list));
}

std::vector<ManagedEntry> after_update(std::vector<ManagedEntry> entries, const FieldSet& written,
                                       const FieldSet& removed, const std::string& api_version,
                                       const Apply& update) {
    const auto is_own = [&](const ManagedEntry& entry) {
        return !entry.applies && entry.manager == update.manager &&
               entry.api_version == api_version && entry.subresource == update.subresource;
    };
    for (ManagedEntry& entry : entries) {
        entry.fields = without(std::move(entry.fields), removed);
        if (!is_own(entry)) entry.fields = without(std::move(entry.fields), written);
    }
    if (!written.empty()) {
        auto own = std::ranges::find_if(entries, is_own);
        if (own == entries.end())
            own = entries.insert(
                own, ManagedEntry{update.manager, false, api_version, {}, {}, update.subresource});
        own->fields = united(std::move(own->fields), written);
        own->time = to_rfc3339(update.at);
    }
    std::erase_if(entries, [](const ManagedEntry& entry) { return entry.fields.empty(); });
    merge_ancient(entries);
    return entries;
}

json::object with_managed_fields(const json::object& before, json::object after,
                                 const Apply& update) {
    if (is_deeper(before, depth_max) || is_deeper(after, depth_max)) return after;
    const Difference difference = difference_of(before, after);
    const json::value* sent = find(after, managed_fields);
    const json::value* known = find(before, managed_fields);
    const bool sent_others = sent && (!known || !same(*sent, *known));
    if (difference.empty() && !sent_others) {
        if (known && !sent) set(after, managed_fields, *known);
        return after;
    }
    // What nobody's fields were counted of is not counted from now on either.
    if (!before.empty() && !known && !sent) return after;
    auto entries = entries_before(before, after, update);
    if (!difference.empty())
        entries = after_update(std::move(entries), difference.written, difference.removed,
                               text_at(after, "/apiVersion"), update);
    set_managed_entries(after, std::move(entries));
    return after;
}

}  // namespace sluice::sim
