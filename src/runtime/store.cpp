#include "runtime/store.hpp"

#include <algorithm>
#include <set>

#include "base/assert.hpp"

namespace sluice::runtime {
namespace {

using TargetOf = decltype(model::Named::target_of);

TargetOf target_of(const model::Watch& watch) {
    const auto* named = std::get_if<model::Named>(&watch.concerns);
    return named ? named->target_of : nullptr;
}

Touched once_each(Touched touched) {
    std::erase_if(touched, [](const model::Ref& one) { return one.name.empty(); });
    std::ranges::sort(touched);
    const auto rest = std::ranges::unique(touched);
    touched.erase(rest.begin(), rest.end());
    return touched;
}

}  // namespace

Store::Store(std::vector<Watches> watches, std::size_t namespace_bytes_max)
    : watches_(std::move(watches)), budget_(namespace_bytes_max) {
    for (const Watches& all : watches_)
        for (const model::Watch& watch : all)
            hold(watch);
}
Store::~Store() = default;

void Store::hold(const model::Watch& watch) {
    const auto is_it = [&](const Held& one) { return watch.is_of(one.resource, one.selector); };
    if (std::ranges::any_of(held_, is_it)) return;
    TargetOf names = nullptr;
    for (const Watches& all : watches_)
        for (const model::Watch& other : all) {
            if (!other.is_of(watch.resource, watch.selector)) continue;
            SLUICE_ASSERT(other.trim == watch.trim);
            SLUICE_ASSERT(!names || !target_of(other) || names == target_of(other));
            if (target_of(other)) names = target_of(other);
        }
    held_.push_back({watch.resource, watch.selector, make_table(watch, names)});
}

decltype(model::Users::named_by) Store::uses_of(const model::Resource* resource) const {
    for (const Watches& all : watches_)
        for (const model::Watch& watch : all)
            if (const auto* users = std::get_if<model::Users>(&watch.concerns);
                users && users->resource == resource)
                return users->named_by;
    return nullptr;
}

std::unique_ptr<Table> Store::make_table(const model::Watch& watch, TargetOf names) {
    const model::Form form = watch.resource->form;
    if (form == model::Form::Custom)
        return std::make_unique<ObjectTable>(watch, names, budget_, uses_of(watch.resource));
    if (form != model::Form::Pod) return make_keyed_table(form, pool_);
    const auto* owner = std::get_if<model::Owner>(&watch.concerns);
    SLUICE_ASSERT(owner != nullptr);
    return owner->resource == &model::statefulsets
               ? make_pod_table(pool_)
               : make_member_table(pool_, owner->resource->kind);
}

Table& Store::at(const WatchScope& scope) const {
    const auto found = std::ranges::find_if(held_, [&](const Held& one) {
        return one.resource == scope.resource && one.selector == scope.selector;
    });
    SLUICE_ASSERT(found != held_.end());
    return *found->table;
}

Touched Store::refresh(const model::Resource& resource, const model::Object& object) {
    for (const Held& held : held_)
        if (held.resource == &resource && held.table->find(model::meta_of(object).key))
            return concerned({held.resource, {}, held.selector}, held.table->put(object));
    return {};
}

std::optional<model::Object> Store::find(const model::Ref& ref) const {
    for (const Held& held : held_) {
        if (held.resource != ref.resource) continue;
        if (auto found = held.table->find(ref.key())) return found;
    }
    return std::nullopt;
}

std::vector<model::Object> Store::owned(const model::Resource& resource,
                                        const model::ObjectMeta& owner) const {
    std::vector<model::Object> objects;
    for (const Held& held : held_)
        if (held.resource == &resource)
            for (model::Object& one : held.table->owned_by(owner))
                objects.push_back(std::move(one));
    return objects;
}

const ObjectTable* Store::objects(const model::Resource* resource) const {
    const auto found = std::ranges::find(held_, resource, &Held::resource);
    return found == held_.end() ? nullptr : dynamic_cast<const ObjectTable*>(found->table.get());
}

Touched Store::concerned(const WatchScope& scope, const Affected& affected) const {
    Touched touched;
    if (affected.objects.empty()) return touched;
    for (const Watches& all : watches_)
        for (const model::Watch& watch : all)
            if (watch.is_of(scope.resource, scope.selector))
                add_concerned(all, watch, affected, touched);
    return once_each(std::move(touched));
}

void Store::add_concerned(Watches all, const model::Watch& watch, const Affected& affected,
                          Touched& touched) const {
    const model::Concerns& concerns = watch.concerns;
    if (std::holds_alternative<model::Itself>(concerns))
        for (const model::ObjectKey& key : affected.objects)
            touched.push_back(ref_to(*watch.resource, key));
    if (std::holds_alternative<model::Named>(concerns))
        touched.insert(touched.end(), affected.named.begin(), affected.named.end());
    if (const auto* owner = std::get_if<model::Owner>(&concerns))
        for (const model::ObjectKey& key : affected.owners)
            touched.push_back(followed(all, ref_to(*owner->resource, key)));
    if (std::holds_alternative<model::Everybody>(concerns)) add_everybody(all, touched);
    if (const auto* neighbours = std::get_if<model::Neighbours>(&concerns))
        add_neighbours(all, *neighbours, affected, touched);
    if (const auto* users = std::get_if<model::Users>(&concerns))
        for (const model::ObjectKey& key : affected.objects)
            for (const model::ObjectKey& user :
                 objects(users->resource)->users_of(ref_to(*watch.resource, key)))
                touched.push_back(ref_to(*users->resource, user));
}

void Store::add_neighbours(Watches all, const model::Neighbours& neighbours,
                           const Affected& affected, Touched& touched) const {
    std::set<std::string> namespaces;
    for (const model::ObjectKey& key : affected.objects)
        namespaces.insert(key.ns);
    for (const model::Watch& watch : all) {
        if (!std::holds_alternative<model::Itself>(watch.concerns)) continue;
        const ObjectTable* own = objects(watch.resource);
        for (const std::string& ns : namespaces)
            for (std::string& name : own->names_in(ns, neighbours.minds))
                touched.push_back({watch.resource, ns, std::move(name)});
    }
}

model::Ref Store::followed(Watches all, model::Ref object) const {
    const auto watch = std::ranges::find(all, object.resource, &model::Watch::resource);
    SLUICE_ASSERT(watch != all.end());
    const TargetOf names = target_of(*watch);
    const auto* owner = std::get_if<model::Owner>(&watch->concerns);
    if (!names && !owner) return object;
    const auto known = find(object);
    if (!known) return {};
    if (names) return names(std::get<model::CustomObject>(*known));
    const auto* set = std::get_if<model::StatefulSet>(&*known);
    const bool is_owned = set && set->owner_kind == owner->resource->kind;
    return is_owned ? followed(all, {owner->resource, object.ns, set->owner}) : model::Ref{};
}

void Store::add_everybody(Watches all, Touched& touched) const {
    for (const model::Watch& watch : all)
        if (std::holds_alternative<model::Itself>(watch.concerns) ||
            std::holds_alternative<model::Named>(watch.concerns))
            add_concerned(all, watch, at({watch.resource, {}, watch.selector}).all(), touched);
}

Touched Store::everybody() const {
    Touched touched;
    for (const Watches& all : watches_)
        add_everybody(all, touched);
    return once_each(std::move(touched));
}

std::size_t Store::size(const model::Resource& resource) const {
    const auto counts = sizes();
    const auto found = counts.find(resource.plural);
    return found == counts.end() ? 0 : found->second;
}

std::map<std::string_view, std::size_t> Store::sizes() const {
    std::map<std::string_view, std::size_t> counts;
    for (const Held& held : held_)
        counts[held.resource->plural] += held.table->size();
    return counts;
}

}  // namespace sluice::runtime
