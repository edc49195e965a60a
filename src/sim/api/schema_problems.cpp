#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "sim/api/refusals.hpp"
#include "sim/api/schema.hpp"
#include "sim/api/schema_parts.hpp"
#include "sim/api/schema_values.hpp"

namespace sluice::sim {
namespace {

// What is wrong with a value, and how much of the schema it meets: of several schemas that it
// breaks, the API server reports on the one that it meets most of.
struct Findings {
    std::vector<FieldProblem> problems = {};
    int met = 0;

    void add(std::vector<FieldProblem> more) {
        if (more.empty()) ++met;
        std::ranges::move(more, std::back_inserter(problems));
    }
    void add(Findings more) {
        met += more.met;
        std::ranges::move(more.problems, std::back_inserter(problems));
    }
};

// One of anyOf, oneOf and allOf.
struct Alternatives {
    std::size_t count = 0;
    std::size_t valid = 0;
    Findings best_failure = {};
    Findings all = {};
};

// Holds a value against a part of a schema whose patterns are these.
class Comparison {
  public:
    explicit Comparison(const Patterns& patterns) : patterns_(patterns) {}
    Findings check(const json::object& schema, const json::value& value, const std::string& path,
                   int levels) const;

  private:
    Alternatives try_each(const json::array& schemas, const json::value& value,
                          const std::string& path, int levels) const;
    void check_alternatives(const json::object& schema, const json::value& value,
                            const std::string& path, int levels, Findings& found) const;
    void check_members(const json::object& schema, const json::object& object,
                       const std::string& path, int levels, Findings& found) const;

    const Patterns& patterns_;
};

Alternatives Comparison::try_each(const json::array& schemas, const json::value& value,
                                  const std::string& path, int levels) const {
    Alternatives tried;
    for (const json::value& entry : schemas) {
        const json::object* schema = entry.if_object();
        if (!schema) continue;
        Findings findings = check(*schema, value, path, levels);
        const bool is_first = tried.count++ == 0;
        tried.all.add(findings);
        if (findings.problems.empty())
            ++tried.valid;
        else if (is_first || tried.best_failure.problems.empty() ||
                 findings.met > tried.best_failure.met)
            tried.best_failure = std::move(findings);
    }
    return tried;
}

void Comparison::check_alternatives(const json::object& schema, const json::value& value,
                                    const std::string& path, int levels, Findings& found) const {
    if (auto any = try_each(list_in(schema, "anyOf"), value, path, levels);
        any.count > 0 && any.valid == 0) {
        found.add({anywhere(quoted(path) + " must validate at least one schema (anyOf)")});
        found.add(std::move(any.best_failure));
    }
    if (auto one = try_each(list_in(schema, "oneOf"), value, path, levels);
        one.count > 0 && one.valid != 1) {
        const std::string how = one.valid == 0
                                    ? "Found none valid"
                                    : "Found " + std::to_string(one.valid) + " valid alternatives";
        found.add(
            {anywhere(quoted(path) + " must validate one and only one schema (oneOf). " + how)});
        if (one.valid == 0) found.add(std::move(one.best_failure));
    }
    if (auto all = try_each(list_in(schema, "allOf"), value, path, levels);
        all.valid != all.count) {
        found.add(std::move(all.all));
        found.add({anywhere(quoted(path) + " must validate all the schemas (allOf)" +
                            (all.valid == 0 ? ". None validated" : ""))});
    }
    const json::object* unwanted = part_of(schema, "not");
    if (unwanted && check(*unwanted, value, path, levels).problems.empty())
        found.add({anywhere(quoted(path) + " must not validate the schema (not)")});
}

void Comparison::check_members(const json::object& schema, const json::object& object,
                               const std::string& path, int levels, Findings& found) const {
    for (const auto& [key, value] : object)
        if (const json::object* known = schema_of_member(schema, key))
            found.add(check(*known, value, child_path(path, key), levels));
    for (const json::value& key : list_in(schema, "required"))
        if (key.is_string() && !object.contains(key.get_string()))
            found.add({required(child_path(path, key.get_string()))});
}

std::string entry_path(const std::string& path, std::size_t index) {
    return path + "[" + std::to_string(index) + "]";
}

Findings Comparison::check(const json::object& schema, const json::value& value,
                           const std::string& path, int levels) const {
    Findings found;
    if (levels <= 0) {
        found.add({anywhere(quoted(path) + " is nested too deeply to be validated")});
        return found;
    }
    found.add(type_problems(schema, value, path));
    if (!value.is_null()) check_alternatives(schema, value, path, levels - 1, found);
    if (const json::array* list = value.if_array())
        if (const json::object* items = part_of(schema, "items"))
            for (std::size_t i = 0; i < list->size(); ++i)
                found.add(check(*items, (*list)[i], entry_path(path, i), levels - 1));
    found.add(value_problems(schema, patterns_, value, path));
    if (const json::object* object = value.if_object())
        check_members(schema, *object, path, levels - 1, found);
    return found;
}

// The keys of an entry of a list of type map; of a set, the entry itself.
json::value identity_of_entry(const json::object& schema, const json::value& entry, bool is_map) {
    if (!is_map) return entry;
    json::object identity;
    if (const json::object* object = entry.if_object())
        for (const json::value& key : list_in(schema, "x-kubernetes-list-map-keys"))
            if (const json::value* value =
                    key.is_string() ? object->if_contains(key.get_string()) : nullptr)
                identity[key.get_string()] = *value;
    return identity;
}

// The second of every two equal entries, once.
void check_uniqueness(const json::object& schema, const json::array& list, const std::string& path,
                      std::vector<FieldProblem>& found) {
    const std::string type = text_at(schema, "/x-kubernetes-list-type");
    if (type != "map" && type != "set") return;
    std::unordered_map<std::string, int> times;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const json::value identity = identity_of_entry(schema, list[i], type == "map");
        if (++times[json::serialize(identity)] == 2)
            found.push_back(duplicate(entry_path(path, i), identity));
    }
}

// What is asked beyond the schema's own words: lists without repetition, whole resources.
void check_structure(const json::object& schema, const json::value& value, const std::string& path,
                     int levels, std::vector<FieldProblem>& found) {
    if (levels <= 0) return;
    if (const json::array* list = value.if_array()) {
        check_uniqueness(schema, *list, path, found);
        if (const json::object* items = part_of(schema, "items"))
            for (std::size_t i = 0; i < list->size(); ++i)
                check_structure(*items, (*list)[i], entry_path(path, i), levels - 1, found);
        return;
    }
    const json::object* object = value.if_object();
    if (!object) return;
    if (says(schema, "x-kubernetes-embedded-resource"))
        for (const char* key : {"apiVersion", "kind"})
            if (text_at(*object, key).empty())
                found.push_back(required(child_path(path, key), "must not be empty"));
    for (const auto& [key, member] : *object)
        if (const json::object* known = schema_of_member(schema, key))
            check_structure(*known, member, child_path(path, key), levels - 1, found);
}

}  // namespace

std::vector<FieldProblem> problems(const Schema& schema, const json::object& object) {
    const json::value value = object;
    std::vector<FieldProblem> found =
        Comparison{schema.patterns}.check(schema.document, value, "", schema_depth_max).problems;
    check_structure(schema.document, value, "", schema_depth_max, found);
    return found;
}

}  // namespace sluice::sim
