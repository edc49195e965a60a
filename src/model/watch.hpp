// What an API watches: which objects, what is kept of each, and whom a change of one concerns. A
// table of values; runtime/store.hpp reads it.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "model/custom_object.hpp"
#include "model/ref.hpp"

namespace sluice::model {

// Which objects of a resource.
struct Selector {
    std::string_view labels = {};  // as a query says it; empty: all
    std::string_view name = {};    // instead: the one of this name, in the operator's own namespace
    friend bool operator==(const Selector&, const Selector&) = default;
};

// Whom a change of an object concerns.
struct Itself {};
// What it names, in its own namespace; without a name: nobody. Reads nothing that is trimmed.
struct Named {
    Ref (*target_of)(const CustomObject& object);
};
// Whomever a change of its owner would concern, which is of this resource and watched, too.
struct Owner {
    const Resource* resource;
};
// Whomever the API has to do with: these are its settings.
struct Everybody {};
// Every object of the API in its namespace that minds such objects. As long as none does, they are
// not watched; once one has done so, they are, until the process ends.
struct Neighbours {
    bool (*minds)(const CustomObject& own);
};
// Those of this resource, which are watched and concern themselves, that name it. What is named by
// nobody in a namespace is not looked at there, and who names nothing does not wait for it.
struct Users {
    const Resource* resource;
    // What the object names, each once, of any such resource. Reads the spec and nothing else.
    std::vector<Ref> (*named_by)(const CustomObject& object);
};
using Concerns = std::variant<Itself, Named, Owner, Everybody, Neighbours, Users>;

struct Watch {
    const Resource* resource;
    Concerns concerns;
    Selector selector = {};
    // Takes from a custom object what no decision asks for; null: every part of it counts. All who
    // watch the same objects say the same.
    void (*trim)(CustomObject& object) = nullptr;
    // Of what an Owner has: the label that says its name, by which they are listed live.
    std::string_view owner_label = {};

    bool is_of(const Resource* one, const Selector& which) const {
        return resource == one && selector == which;
    }
};

}  // namespace sluice::model
