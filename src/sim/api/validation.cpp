#include <fmt/format.h>

#include <algorithm>

#include "sim/api/defaults.hpp"
#include "sim/api/selectors.hpp"

namespace sluice::sim {
namespace {

using Problems = std::vector<FieldProblem>;

void required(Problems& problems, std::string field, const std::string& hint = {}) {
    problems.push_back({std::move(field), "FieldValueRequired",
                        hint.empty() ? "Required value" : "Required value: " + hint});
}

void invalid_value(Problems& problems, std::string field, const std::string& value,
                   const std::string& why) {
    problems.push_back(
        {std::move(field), "FieldValueInvalid", fmt::format("Invalid value: {}: {}", value, why)});
}

void forbidden_field(Problems& problems, std::string field, const std::string& why) {
    problems.push_back({std::move(field), "FieldValueForbidden", "Forbidden: " + why});
}

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_dns_subdomain(std::string_view name) {
    if (name.empty() || name.size() > 253) return false;
    char before = '.';
    for (std::size_t i = 0; i <= name.size(); ++i) {
        const char c = i < name.size() ? name[i] : '.';
        if (c != '.' && c != '-' && !is_alphanumeric(c)) return false;
        if (c == '.' && !is_alphanumeric(before)) return false;
        if (before == '.' && c == '-') return false;
        before = c;
    }
    return true;
}

// Rights and policies may be called anything that fits into a path.
bool has_free_name(const Resource& resource) {
    return resource.group == "rbac.authorization.k8s.io";
}

void check_metadata(Problems& problems, const Resource& resource, const json::object& object) {
    constexpr std::size_t annotations_max = 256u << 10;
    const std::string name = text_at(object, "/metadata/name");
    if (!has_free_name(resource) && !is_dns_subdomain(name))
        invalid_value(problems, "metadata.name", fmt::format("\"{}\"", name),
                      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                      "characters, '-' or '.', and must start and end with an alphanumeric "
                      "character (e.g. 'example.com', regex used for validation is "
                      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    std::size_t size = 0;
    for (const auto& [key, value] : object_at(object, "/metadata/annotations"))
        size += key.size() + (value.is_string() ? value.get_string().size() : 0);
    if (size > annotations_max)
        problems.push_back(
            {"metadata.annotations", "FieldValueTooLong",
             fmt::format("Too long: may not be more than {} bytes", annotations_max)});
}

bool is_label_value(std::string_view value) {
    const auto is_end = [](char c) { return is_alphanumeric(c) || (c >= 'A' && c <= 'Z'); };
    if (value.empty()) return true;
    return is_end(value.front()) && is_end(value.back()) && std::ranges::all_of(value, [&](char c) {
               return is_end(c) || c == '-' || c == '_' || c == '.';
           });
}

void check_labels(Problems& problems, const json::object& object) {
    constexpr std::size_t length_max = 63;
    for (const auto& [key, value] : object_at(object, "/metadata/labels")) {
        const std::string text = value.is_string() ? std::string{value.get_string()} : "";
        if (text.size() > length_max)
            invalid_value(problems, "metadata.labels", fmt::format("\"{}\"", text),
                          fmt::format("must be no more than {} bytes", length_max));
        else if (!is_label_value(text))
            invalid_value(
                problems, "metadata.labels", fmt::format("\"{}\"", text),
                "a valid label must be an empty string or consist of alphanumeric characters, "
                "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    }
}

void check_not_negative(Problems& problems, const json::object& object, std::string_view pointer) {
    const std::int64_t value = number_at(object, pointer);
    if (value >= 0) return;
    std::string field{pointer.substr(1)};
    std::ranges::replace(field, '/', '.');
    invalid_value(problems, field, std::to_string(value), "must be greater than or equal to 0");
}

void check_containers(Problems& problems, const json::object& object, const std::string& field) {
    std::string pointer = "/" + field;
    std::ranges::replace(pointer, '.', '/');
    const json::array& containers = array_at(object, pointer + "/containers");
    if (containers.empty()) required(problems, field + ".containers");
    for (std::size_t i = 0; i < containers.size(); ++i) {
        const json::object* one = containers[i].if_object();
        const std::string at = fmt::format("{}.containers[{}]", field, i);
        if (!one || text_at(*one, "/name").empty()) required(problems, at + ".name");
        if (!one || text_at(*one, "/image").empty()) required(problems, at + ".image");
    }
}

void check_selector(Problems& problems, const json::object& object) {
    const json::object& selector = object_at(object, "/spec/selector");
    const json::object& labels = object_at(object, "/spec/template/metadata/labels");
    const bool empty = object_at(selector, "/matchLabels").empty() &&
                       array_at(selector, "/matchExpressions").empty();
    if (!has(object, "/spec/selector"))
        required(problems, "spec.selector");
    else if (empty)
        invalid_value(problems, "spec.selector", json::serialize(selector),
                      "empty selector is invalid for statefulset");
    else if (!selects(selector, labels))
        invalid_value(problems, "spec.template.metadata.labels", json::serialize(labels),
                      "`selector` does not match template `labels`");
}

void check_statefulset(Problems& problems, const json::object& set, const json::object* before) {
    const std::string policy = text_at(set, "/spec/podManagementPolicy");
    if (policy != "OrderedReady" && policy != "Parallel")
        invalid_value(problems, "spec.podManagementPolicy", fmt::format("\"{}\"", policy),
                      "must be 'OrderedReady' or 'Parallel'");
    const std::string type = text_at(set, "/spec/updateStrategy/type");
    if (type != "RollingUpdate" && type != "OnDelete")
        invalid_value(problems, "spec.updateStrategy",
                      json::serialize(object_at(set, "/spec/updateStrategy")),
                      "must be 'RollingUpdate' or 'OnDelete'");
    if (type == "OnDelete" && has(set, "/spec/updateStrategy/rollingUpdate"))
        invalid_value(problems, "spec.updateStrategy.rollingUpdate",
                      json::serialize(object_at(set, "/spec/updateStrategy/rollingUpdate")),
                      "only allowed for updateStrategy 'RollingUpdate'");
    for (const char* pointer :
         {"/spec/replicas", "/spec/minReadySeconds", "/spec/revisionHistoryLimit",
          "/spec/updateStrategy/rollingUpdate/partition", "/spec/ordinals/start"})
        check_not_negative(problems, set, pointer);
    check_selector(problems, set);
    check_containers(problems, set, "spec.template.spec");
    if (!before) return;
    json::object then = object_at(*before, "/spec");
    json::object now = object_at(set, "/spec");
    for (const char* key :
         {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
          "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
        then.erase(key);
        now.erase(key);
    }
    if (then != now)
        forbidden_field(problems, "spec",
                        "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                        "'template', 'updateStrategy', 'revisionHistoryLimit', "
                        "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
                        "forbidden");
}

void check_pod(Problems& problems, const json::object& pod, const json::object* before) {
    check_containers(problems, pod, "spec");
    if (!before) return;
    json::object then = object_at(*before, "/spec");
    json::object now = object_at(pod, "/spec");
    const auto forget = [](json::object& spec) {
        for (const char* key :
             {"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "nodeName"})
            spec.erase(key);
        for (const char* list : {"containers", "initContainers"}) {
            json::value* containers = spec.if_contains(list);
            if (!containers || !containers->is_array()) continue;
            for (json::value& one : containers->get_array())
                if (one.is_object()) one.get_object().erase("image");
        }
    };
    forget(then);
    forget(now);
    if (then != now)
        forbidden_field(problems, "spec",
                        "pod updates may not change fields other than "
                        "`spec.containers[*].image`,`spec.initContainers[*].image`,"
                        "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
                        "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to "
                        "be set to 1 if it was previously negative)");
}

void check_claim(Problems& problems, const json::object& claim, const json::object* before) {
    if (array_at(claim, "/spec/accessModes").empty())
        required(problems, "spec.accessModes", "at least 1 access mode is required");
    if (text_at(claim, "/spec/resources/requests/storage").empty())
        required(problems, "spec.resources[storage]");
    static_cast<void>(before);
}

void check_job(Problems& problems, const json::object& job, const json::object* before) {
    for (const char* pointer : {"/spec/parallelism", "/spec/completions", "/spec/backoffLimit",
                                "/spec/activeDeadlineSeconds", "/spec/ttlSecondsAfterFinished"})
        check_not_negative(problems, job, pointer);
    check_containers(problems, job, "spec.template.spec");
    if (before && object_at(job, "/spec/template") != object_at(*before, "/spec/template"))
        invalid_value(problems, "spec.template", "{...}", "field is immutable");
}

struct Checking {
    std::string_view resource;
    void (*check)(Problems&, const json::object&, const json::object*);
};
constexpr Checking checkings[] = {
    {"statefulsets.apps", check_statefulset},
    {"pods", check_pod},
    {"persistentvolumeclaims", check_claim},
    {"jobs.batch", check_job},
};

}  // namespace

std::vector<FieldProblem> wrong(const Resource& resource, const json::object& object,
                                const json::object* before) {
    Problems found;
    check_metadata(found, resource, object);
    check_labels(found, object);
    if (resource.is_custom()) {
        for (FieldProblem& problem : problems(*resource.schema, object))
            found.push_back(std::move(problem));
        return found;
    }
    const std::string id = resource.id();
    for (const Checking& one : checkings)
        if (one.resource == id) one.check(found, object, before);
    return found;
}

}  // namespace sluice::sim
