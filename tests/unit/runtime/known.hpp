// What a store knows of sets and their pods, put in by hand.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/store.hpp"

namespace sluice::runtime::testing {

using model::Pod;
using model::StatefulSet;
using Names = std::vector<std::string>;

inline const std::string uid_a = "123e4567-e89b-12d3-a456-426614174000";
inline const std::string uid_b = "ffffffff-0000-0000-0000-00000000000f";

inline std::string pod_uid(int number) {
    std::string uid = "00000000-0000-4000-8000-000000000000";
    const std::string digits = std::to_string(number);
    return uid.replace(uid.size() - digits.size(), digits.size(), digits);
}

inline StatefulSet set(const std::string& name, std::uint64_t version,
                       const std::string& uid = uid_a, const std::string& ns = "shop") {
    StatefulSet one;
    one.meta = {{ns, name}, uid, version, 7, false};
    return one;
}

inline Pod pod(int ordinal, std::uint64_t version, const std::string& owner = uid_a,
               const std::string& ns = "shop") {
    Pod one;
    one.meta = {{ns, "web-" + std::to_string(ordinal)}, pod_uid(ordinal), version, 0, false};
    one.owner_uid = owner;
    one.owner_kind = "StatefulSet";
    return one;
}

inline constexpr model::Watch watches[] = {{&model::statefulsets, model::Itself{}},
                                           {&model::pods, model::Owner{&model::statefulsets}}};

// A store of sets and their pods.
struct Known {
    Touched put(const StatefulSet& one) { return store.concerned(sets_in, of_sets.put(one)); }
    Touched put(const Pod& one) { return store.concerned(pods_in, of_pods.put(one)); }
    Touched remove(const StatefulSet& one) { return store.concerned(sets_in, of_sets.remove(one)); }
    Touched remove(const Pod& one) { return store.concerned(pods_in, of_pods.remove(one)); }
    void begin_list_of_sets(const std::string& ns) { of_sets.begin_list(ns); }
    void begin_list_of_pods(const std::string& ns) { of_pods.begin_list(ns); }
    Touched drop_unlisted_sets(const std::string& ns, std::uint64_t version) {
        return store.concerned(sets_in, of_sets.drop_unlisted(ns, version));
    }
    Touched drop_unlisted_pods(const std::string& ns, std::uint64_t version) {
        return store.concerned(pods_in, of_pods.drop_unlisted(ns, version));
    }
    std::optional<StatefulSet> statefulset(const model::ObjectKey& key) const {
        auto found = store.find(ref_to(model::statefulsets, key));
        return found ? std::optional{std::get<StatefulSet>(std::move(*found))} : std::nullopt;
    }
    std::vector<Pod> pods_of(const StatefulSet& one) const {
        return store.owned_by<Pod>(model::pods, one.meta);
    }
    Touched sets() const { return store.everybody(); }
    std::size_t set_count() const { return store.size(model::statefulsets); }
    std::size_t pod_count() const { return store.size(model::pods); }

    const WatchScope sets_in{&model::statefulsets, ""}, pods_in{&model::pods, ""};
    Store store{{watches}, 1u << 20};
    Table& of_sets = store.at(sets_in);
    Table& of_pods = store.at(pods_in);
};

inline Names names(const Touched& touched) {
    Names texts;
    for (const model::Ref& key : touched)
        texts.push_back(to_text(key));
    std::ranges::sort(texts);
    return texts;
}

}  // namespace sluice::runtime::testing
