// Objects of a resource that is made for the test: each names a workload, and some own others.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/object_table.hpp"

namespace sluice::runtime::testing {

using model::CustomObject;
using model::ObjectKey;
using model::Ref;
using Names = std::vector<std::string>;

inline constexpr model::Resource gates{"test", "v1", "gates", "Gate"};

// The spec of these objects is nothing but the name of the workload.
inline Ref target_of(const CustomObject& object) {
    return {&model::statefulsets, object.meta.key.ns, object.spec};
}

inline CustomObject object(const std::string& name, std::uint64_t version,
                           const std::string& target, const std::string& uid = "uid-1",
                           const std::string& ns = "shop") {
    CustomObject one;
    one.meta = {{ns, name}, uid, version, 7, false};
    one.spec = target;
    return one;
}

template <class Key>
Names texts_of(const std::vector<Key>& touched) {
    Names texts;
    for (const Key& key : touched)
        texts.push_back(to_text(key));
    std::ranges::sort(texts);
    return texts;
}

inline Names names(const Affected& affected) {
    return texts_of(affected.named);
}

inline CustomObject owned(const std::string& name, std::uint64_t version, const std::string& owner,
                          const std::string& owner_uid) {
    CustomObject one = object(name, version, "", "uid-" + name);
    one.owner = owner;
    one.owner_uid = owner_uid;
    return one;
}

inline Names owned_by(const ObjectTable& table, const ObjectKey& owner, const std::string& uid) {
    Names found;
    for (const model::Object& one : table.owned_by({owner, uid}))
        found.push_back(model::meta_of(one).key.name);
    return found;
}

inline CustomObject known(const ObjectTable& table, const ObjectKey& key) {
    return std::get<CustomObject>(table.find(key).value());
}

inline Names naming(const ObjectTable& table, const ObjectKey& workload) {
    Names found;
    for (const CustomObject& one : table.about(ref_to(model::statefulsets, workload)))
        found.push_back(one.meta.key.name);
    return found;
}

}  // namespace sluice::runtime::testing
