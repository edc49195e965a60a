#include "sim/apis/extended_job/objects.hpp"

#include "sim/api/split.hpp"
#include "sim/promises/history.hpp"

namespace sluice::sim::extended_job {
namespace {

// "app=web,tier=data".
json::value labels_of(const std::string& text) {
    json::object labels;
    for (const std::string_view one : parts_of(text, ',')) {
        const auto [key, value] = pair_of(std::string{one});
        labels[key] = value;
    }
    return labels;
}

// "app=web,tier!=test,zone,!old", as `kubectl -l` has it.
json::value selector_of(const std::string& text) {
    std::string labels;
    json::array terms;
    const auto add = [&](std::string_view key, std::string_view op, json::array values) {
        terms.push_back(json::object{{"key", key}, {"operator", op}});
        if (!values.empty()) terms.back().get_object()["values"] = std::move(values);
    };
    for (const std::string_view one : parts_of(text, ',')) {
        const std::size_t unlike = one.find("!=");
        if (unlike != one.npos)
            add(one.substr(0, unlike), "NotIn", {json::string(one.substr(unlike + 2))});
        else if (one.starts_with('!'))
            add(one.substr(1), "DoesNotExist", {});
        else if (!one.contains('='))
            add(one, "Exists", {});
        else
            labels += "," + std::string{one};
    }
    json::object selector;
    if (!labels.empty()) selector["matchLabels"] = labels_of(labels);
    if (!terms.empty()) selector["matchExpressions"] = std::move(terms);
    return selector;
}

// A list is written as a whole: a container for each name.
json::value containers_of(const std::string& names) {
    json::array containers;
    for (const std::string_view name : parts_of(names, ','))
        containers.push_back(json::object{{"name", name}, {"image", "errand:a"}});
    return containers;
}

// In scenarios a document has single quotes.
json::value printed_by(const std::string& text) {
    std::string document = text;
    std::ranges::replace(document, '\'', '"');
    return json::string(document);
}

constexpr WordField own_fields[] = {
    {"strategy", strategy_at, as_text},
    {"when", "/spec/trigger/podstate/when", as_text},
    {"selector", "/spec/trigger/podstate/selector", selector_of},
    {"behaves", "/spec/template/metadata/annotations/sim.sluice.dev~1behaviour", as_text},
    {"prints", "/spec/template/metadata/annotations/sim.sluice.dev~1output", printed_by},
    {"restart", "/spec/template/spec/restartPolicy", as_text},
    {"containers", "/spec/template/spec/containers", containers_of},
    {"output", "/spec/output/namePrefix", as_text},
    {"labels", "/spec/output/secretLabels", labels_of},
    {"on-failure", "/spec/output/writeOnFailure", as_flag},
    {"on-config-change", "/spec/updateOnConfigChange", as_flag},
};

}  // namespace

std::span<const WordField> fields() {
    return own_fields;
}

Response create(World& world, const std::string& name, const FieldTexts& wanted) {
    json::object pod{
        {"metadata", json::object{{"annotations", json::object{}}}},
        {"spec", json::object{{"restartPolicy", "Never"}, {"containers", containers_of("main")}}}};
    json::object object{{"apiVersion", "fissile.cloudfoundry.org/v1alpha1"},
                        {"kind", "ExtendedJob"},
                        {"metadata", json::object{{"name", name}, {"namespace", shop}}},
                        {"spec", json::object{{"trigger", json::object{{"strategy", "manual"}}},
                                              {"template", std::move(pod)}}}};
    put_fields(object, fields(), wanted);
    return world.create(std::move(object));
}

Response set_strategy(World& world, const std::string& name, const std::string& strategy) {
    return world.merge(extended_jobs, shop, name, field_patch(fields(), "strategy", strategy));
}

std::vector<ObjectPtr> jobs_of(const ApiServer& api, const json::object& object) {
    std::vector<ObjectPtr> found;
    for (const ObjectPtr& job : api.list(jobs, text_at(object, "/metadata/namespace")))
        if (text_at(job->object(), "/metadata/ownerReferences/0/uid") == uid_in(object))
            found.push_back(job);
    return found;
}

}  // namespace sluice::sim::extended_job
