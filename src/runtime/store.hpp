// What the operator knows of the cluster: one table for each thing that is watched, shared by all
// who watch it. It knows from the watches, and from nothing else, whom a change concerns.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/watch.hpp"
#include "runtime/intern.hpp"
#include "runtime/object_table.hpp"
#include "runtime/watch_session.hpp"

namespace sluice::runtime {

// Whom a change concerns: each once.
using Touched = std::vector<model::Ref>;
// Of one API.
using Watches = std::span<const model::Watch>;

class Store {
  public:
    // The watches must outlive it. The custom objects of a namespace take no more than so many
    // bytes.
    Store(std::vector<Watches> watches, std::size_t namespace_bytes_max);
    ~Store();

    // What is seen in this scope, which must be one of those that are watched.
    Table& at(const WatchScope& scope) const;
    // Whom a change there concerns.
    Touched concerned(const WatchScope& scope, const Affected& affected) const;
    // The object as an answer brought it, if it is watched and still known: one that is not known
    // any more was deleted meanwhile, and an answer that comes late does not bring it back.
    Touched refresh(const model::Resource& resource, const model::Object& object);

    std::optional<model::Object> find(const model::Ref& ref) const;
    // The objects of this resource that the owner controls. T is what they are.
    template <class T>
    std::vector<T> owned_by(const model::Resource& resource, const model::ObjectMeta& owner) const {
        std::vector<T> objects;
        for (model::Object& one : owned(resource, owner))
            objects.push_back(std::get<T>(std::move(one)));
        return objects;
    }
    bool is_watched(const model::Resource* resource) const {
        return std::ranges::find(held_, resource, &Held::resource) != held_.end();
    }
    // The custom objects of this resource; null if they are not watched.
    const ObjectTable* objects(const model::Resource* resource) const;
    const Budget& budget() const { return budget_; }
    // Everybody that a change could concern.
    Touched everybody() const;

    std::size_t size(const model::Resource& resource) const;
    // Of everything that is watched.
    std::map<std::string_view, std::size_t> sizes() const;

  private:
    struct Held {
        const model::Resource* resource;
        model::Selector selector;
        std::unique_ptr<Table> table;
    };

    void hold(const model::Watch& watch);
    std::unique_ptr<Table> make_table(const model::Watch& watch,
                                      decltype(model::Named::target_of) names);
    // What objects of this resource name beside what they are about; null: nothing.
    decltype(model::Users::named_by) uses_of(const model::Resource* resource) const;
    std::vector<model::Object> owned(const model::Resource& resource,
                                     const model::ObjectMeta& owner) const;
    // By one of the watches of an API.
    void add_concerned(Watches all, const model::Watch& watch, const Affected& affected,
                       Touched& touched) const;
    void add_everybody(Watches all, Touched& touched) const;
    // Objects of the API that mind one of these.
    void add_neighbours(Watches all, const model::Neighbours& neighbours, const Affected& affected,
                        Touched& touched) const;
    // Whom a change of this object concerns, as far as this API is concerned.
    model::Ref followed(Watches all, model::Ref object) const;

    std::vector<Watches> watches_;
    InternPool pool_;
    Budget budget_;
    std::vector<Held> held_;
};

}  // namespace sluice::runtime
