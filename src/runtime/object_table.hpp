// Custom objects, found by their own name, by what they name, and by the object that controls them.
//
// An object for which its namespace has no room left is known by its key and what it names, and by
// nothing else: its texts are left out, and is_left_out says so.
//
// Promises: those of a Table; and a namesake of an owner owns nothing.
#pragma once

#include <functional>
#include <map>

#include "model/watch.hpp"
#include "runtime/packed_texts.hpp"
#include "runtime/table.hpp"

namespace sluice::runtime {

// How much of our memory the objects of each namespace take. Nobody's objects take another's share:
// who has used up his own is refused more.
class Budget {
  public:
    // For each namespace.
    explicit Budget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    std::size_t bytes_max() const { return bytes_max_; }
    bool has_room(std::string_view ns, std::size_t bytes) const {
        const auto found = used_.find(ns);
        return bytes <= bytes_max_ - (found == used_.end() ? 0 : found->second);
    }
    // False, and nothing is taken, if there is no room for it.
    bool take(const std::string& ns, std::size_t bytes) {
        if (!has_room(ns, bytes)) return false;
        if (bytes > 0) used_[ns] += bytes;
        return true;
    }
    void give_back(const std::string& ns, std::size_t bytes) {
        const auto found = used_.find(ns);
        if (found == used_.end()) return;
        found->second -= bytes;
        if (found->second == 0) used_.erase(found);
    }

  private:
    std::size_t bytes_max_;
    std::map<std::string, std::size_t, std::less<>> used_;
};

class ObjectTable final : public Table {
  public:
    // `names`: what an object is about; null: itself, and nothing is named. `uses`: what else it
    // names; null: nothing. The budget must outlive the table.
    ObjectTable(const model::Watch& watch, decltype(model::Named::target_of) names, Budget& budget,
                decltype(model::Users::named_by) uses = nullptr)
        : resource_(watch.resource),
          target_of_(names),
          named_by_(uses),
          trim_(watch.trim),
          budget_(&budget) {}

    Affected put(const model::Object& object) override;
    Affected remove(const model::Object& object) override;
    void begin_list(const std::string& ns) override;
    void keep(const model::ObjectKey& key) override;
    Affected drop_unlisted(const std::string& ns, std::uint64_t version) override;
    std::uint64_t version_of(const model::Object& object) const override;
    std::optional<model::Object> find(const model::ObjectKey& key) const override;
    std::vector<model::Object> owned_by(const model::ObjectMeta& owner) const override;
    Affected all() const override;
    std::size_t size() const override { return entries_.size(); }

    // Those about a subject that there was no room for.
    struct LeftOut {
        model::ObjectMeta meta;
        std::size_t bytes;
    };
    std::vector<LeftOut> left_out(const model::Ref& subject) const;

    // Those about this subject, oldest first; of two that are of one age, by UID. So are those that
    // somebody owns.
    std::vector<model::CustomObject> about(const model::Ref& subject) const;

    // Those of a namespace that there was room for, by name.
    std::vector<model::CustomObject> in(const std::string& ns) const;
    // The names of those that are so.
    std::vector<std::string> names_in(const std::string& ns,
                                      bool (*are_so)(const model::CustomObject&)) const;
    // Those that name this one; now and then one more, which does not.
    std::vector<model::ObjectKey> users_of(const model::Ref& named) const;

  private:
    struct Entry {
        model::CustomObject object;  // without its key, which is that of the entry, and its texts
        PackedTexts texts;
        model::Ref named;
        std::size_t bytes = 0;  // of its texts
        bool listed = false;
        bool is_left_out = false;
    };
    using Entries = std::map<model::ObjectKey, Entry>;
    using Names = std::vector<std::string>;

    static model::CustomObject whole(const Entries::value_type& entry);
    Names names_about(const model::Ref& subject) const;
    // In the order of about().
    std::vector<model::CustomObject> sorted(const std::string& ns, const Names& names) const;
    // Gives the spec, as it is kept.
    std::string take(const model::ObjectKey& key, Entry& entry, const model::CustomObject& object);
    void give_back(const model::ObjectKey& key, const Entry& entry);
    Entries::iterator erase(Entries::iterator entry, Affected& affected);
    void use(const model::ObjectKey& key, const std::string& spec, bool is_used);

    const model::Resource* resource_;
    decltype(model::Named::target_of) target_of_;
    decltype(model::Users::named_by) named_by_;
    decltype(model::Watch::trim) trim_;
    Budget* budget_;
    Entries entries_;
    // By what they name, and by who owns them, in its namespace.
    std::map<model::Ref, Names> about_;
    std::map<model::ObjectKey, Names> owned_;
    // By a hash of what they name, in this order; keys are those of the entries.
    struct Use {
        std::uint64_t named;
        const model::ObjectKey* by;
        friend bool operator==(const Use&, const Use&) = default;
    };
    std::vector<Use> users_;
};

}  // namespace sluice::runtime
