// What holds for the metadata of every kind.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/names.hpp"
#include "sim/api/problems.hpp"
#include "sim/api/state.hpp"

namespace sluice::sim {
namespace {

constexpr std::string_view name_part_rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

std::string in_quotes(std::string_view text) {
    return fmt::format("\"{}\"", text);
}

// Rights and policies may be called anything that fits into a path.
bool has_free_name(const Resource& resource) {
    return resource.group == "rbac.authorization.k8s.io";
}

// Part of the names of other things: host names, pods, paths.
bool has_label_name(const Resource& resource) {
    return resource.kind == "Namespace" || resource.kind == "Service" ||
           resource.kind == "StatefulSet";
}

void check_name(Problems& problems, const Resource& resource, const std::string& name) {
    if (has_free_name(resource)) return;
    std::string fault = fault_of_subdomain(name);
    if (has_label_name(resource))
        fault = name.find('.') != name.npos ? "must not contain dots" : fault_of_label(name);
    if (!fault.empty()) invalid_value(problems, "metadata.name", in_quotes(name), fault);
}

void check_labels(Problems& problems, const json::object& object) {
    for (const auto& [key, value] : object_at(object, "/metadata/labels")) {
        for (const std::string& fault : faults_of_qualified_name(key))
            invalid_value(problems, "metadata.labels", in_quotes(key), fault);
        const std::string text = value.is_string() ? std::string{value.get_string()} : "";
        if (const std::string fault = fault_of_label_value(text); !fault.empty())
            invalid_value(problems, "metadata.labels", in_quotes(text), fault);
    }
}

void check_annotations(Problems& problems, const json::object& object) {
    constexpr std::size_t size_max = 256u << 10;
    std::size_t size = 0;
    for (const auto& [key, value] : object_at(object, "/metadata/annotations")) {
        size += key.size() + (value.is_string() ? value.get_string().size() : 0);
        for (const std::string& fault : faults_of_qualified_name(key))
            invalid_value(problems, "metadata.annotations", in_quotes(key), fault);
    }
    if (size > size_max)
        problems.push_back({"metadata.annotations", "FieldValueTooLong",
                            fmt::format("Too long: may not be more than {} bytes", size_max)});
}

void check_owners(Problems& problems, const json::object& object) {
    const json::array& owners = array_at(object, "/metadata/ownerReferences");
    std::string controller;
    for (const json::value& entry : owners) {
        const json::object* owner = entry.if_object();
        if (!owner) continue;
        for (const char* key : {"apiVersion", "kind", "name", "uid"})
            if (text_at(*owner, std::string{"/"} + key).empty())
                invalid_value(problems, std::string{"metadata.ownerReferences."} + key, "\"\"",
                              "must not be empty");
        if (!flag_at(*owner, "/controller")) continue;
        const std::string name = text_at(*owner, "/kind") + "/" + text_at(*owner, "/name");
        if (!controller.empty())
            invalid_value(problems, "metadata.ownerReferences", json::serialize(owners),
                          fmt::format("Only one reference can have Controller set to true. Found "
                                      "\"true\" in references for {} and {}",
                                      controller, name));
        controller = name;
    }
}

bool is_standard_finalizer(std::string_view name) {
    return name == "kubernetes" || name == "foregroundDeletion" || name == "orphan";
}

void check_finalizers(Problems& problems, const json::object& object, const json::object* before) {
    const json::array& finalizers = array_at(object, "/metadata/finalizers");
    std::vector<std::string> added;
    for (std::size_t i = 0; i < finalizers.size(); ++i) {
        if (!finalizers[i].is_string()) continue;
        const std::string_view name = finalizers[i].get_string();
        for (const std::string& fault : faults_of_qualified_name(name))
            invalid_value(problems, "metadata.finalizers", in_quotes(name), fault);
        if (name.find('/') == name.npos && !is_standard_finalizer(name))
            invalid_value(problems, fmt::format("metadata.finalizers[{}]", i), in_quotes(name),
                          "name is neither a standard finalizer name nor is it fully qualified");
        if (before &&
            std::ranges::count(array_at(*before, "/metadata/finalizers"), finalizers[i]) == 0)
            added.push_back(in_quotes(name));
    }
    if (!before || !is_terminating(*before) || added.empty()) return;
    for (int i = 0; i < 2; ++i)  // it is said once for every update and once for this kind's
        forbidden_field(
            problems, "metadata.finalizers",
            fmt::format("no new finalizers can be added if the object is being deleted, found new "
                        "finalizers []string{{{}}}",
                        fmt::join(added, ", ")));
}

}  // namespace

std::string fault_of_label(std::string_view name) {
    if (name.size() > label_bytes_max)
        return fmt::format("must be no more than {} characters", label_bytes_max);
    if (is_dns_label(name)) return {};
    return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
           "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
           "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

std::string fault_of_subdomain(std::string_view name) {
    if (name.size() > subdomain_bytes_max)
        return fmt::format("must be no more than {} characters", subdomain_bytes_max);
    if (is_dns_subdomain(name)) return {};
    return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
           "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
           "regex used for validation is "
           "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

std::string fault_of_label_value(std::string_view value) {
    if (value.size() > label_bytes_max)
        return fmt::format("must be no more than {} bytes", label_bytes_max);
    if (value.empty() || has_label_shape(value)) return {};
    return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
           "or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
           "'my_value',  or '12345', regex used for validation is "
           "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

std::vector<std::string> faults_of_qualified_name(std::string_view name) {
    std::vector<std::string> faults;
    const auto slashes = std::ranges::count(name, '/');
    if (slashes > 1)
        return {
            fmt::format("a valid label key {} with an optional DNS subdomain prefix and '/' "
                        "(e.g. 'example.com/MyName')",
                        name_part_rule)};
    if (slashes == 1) {
        const std::string_view prefix = name.substr(0, name.find('/'));
        name.remove_prefix(prefix.size() + 1);
        if (prefix.empty())
            faults.push_back("prefix part must be non-empty");
        else if (const std::string fault = fault_of_subdomain(prefix); !fault.empty())
            faults.push_back("prefix part " + fault);
    }
    if (name.empty())
        faults.push_back("name part must be non-empty");
    else if (name.size() > label_bytes_max)
        faults.push_back(fmt::format("name part must be no more than {} bytes", label_bytes_max));
    if (!has_label_shape(name)) faults.push_back(fmt::format("name part {}", name_part_rule));
    return faults;
}

void check_metadata(Problems& problems, const Resource& resource, const json::object& object,
                    const json::object* before) {
    check_name(problems, resource, text_at(object, "/metadata/name"));
    check_labels(problems, object);
    check_annotations(problems, object);
    check_owners(problems, object);
    check_finalizers(problems, object, before);
}

void check_config_map(Problems& problems, const json::object& map, const json::object* before) {
    constexpr std::size_t size_max = 1u << 20;
    std::size_t size = 0;
    for (const char* part : {"data", "binaryData"}) {
        for (const auto& [key, value] : object_at(map, std::string{"/"} + part)) {
            const std::string field = fmt::format("{}[{}]", part, std::string_view{key});
            if (!is_data_key(key))
                invalid_value(problems, field, in_quotes(key),
                              "a valid config key must consist of alphanumeric characters, '-', "
                              "'_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex "
                              "used for validation is '[-._a-zA-Z0-9]+')");
            if (std::string_view{part} == "data" && object_at(map, "/binaryData").contains(key))
                invalid_value(problems, field, in_quotes(key),
                              "duplicate of key present in binaryData");
            size += value.is_string() ? value.get_string().size() : 0;
        }
    }
    if (size > size_max)
        problems.push_back({"[]", "FieldValueTooLong",
                            fmt::format("Too long: may not be more than {} bytes", size_max)});
    if (!before || !flag_at(*before, "/immutable")) return;
    const std::string why = "field is immutable when `immutable` is set";
    if (!flag_at(map, "/immutable")) forbidden_field(problems, "immutable", why);
    for (const char* part : {"data", "binaryData"}) {
        const std::string pointer = std::string{"/"} + part;
        if (object_at(map, pointer) != object_at(*before, pointer))
            forbidden_field(problems, part, why);
    }
}

}  // namespace sluice::sim
