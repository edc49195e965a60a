// What holds for the spec of a pod, alone or in the template of a workload.
#include <fmt/format.h>

#include <set>

#include "sim/api/problems.hpp"

namespace sluice::sim {
namespace {

constexpr std::string_view pull_policies[] = {"Always", "IfNotPresent", "Never"};
constexpr std::string_view restart_policies[] = {"Always", "OnFailure", "Never"};
constexpr std::string_view dns_policies[] = {"ClusterFirstWithHostNet", "ClusterFirst", "Default",
                                             "None"};

void check_ports(Problems& problems, const json::object& container, const std::string& field) {
    const json::array& ports = array_at(container, "/ports");
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const json::object* port = ports[i].if_object();
        const std::string at = fmt::format("{}.ports[{}].containerPort", field, i);
        const std::int64_t number = port ? number_at(*port, "/containerPort") : 0;
        if (number == 0)
            required(problems, at);
        else if (number < 1 || number > 65535)
            invalid_value(problems, at, std::to_string(number),
                          "must be between 1 and 65535, inclusive");
    }
}

void check_env(Problems& problems, const json::object& container, const std::string& field) {
    const json::array& variables = array_at(container, "/env");
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const json::object* variable = variables[i].if_object();
        if (!variable || text_at(*variable, "/name").empty())
            required(problems, fmt::format("{}.env[{}].name", field, i));
    }
}

void check_mounts(Problems& problems, const json::object& container, const std::string& field,
                  const std::set<std::string>& volumes) {
    const json::array& mounts = array_at(container, "/volumeMounts");
    for (std::size_t i = 0; i < mounts.size(); ++i) {
        const std::string name =
            mounts[i].is_object() ? text_at(mounts[i].get_object(), "/name") : "";
        if (!volumes.contains(name))
            problems.push_back({fmt::format("{}.volumeMounts[{}].name", field, i),
                                "FieldValueNotFound", fmt::format("Not found: \"{}\"", name)});
    }
}

void check_container(Problems& problems, const json::object& container, const std::string& field,
                     const std::set<std::string>& volumes, std::set<std::string>& names) {
    const std::string name = text_at(container, "/name");
    if (name.empty())
        required(problems, field + ".name");
    else if (const std::string fault = fault_of_label(name); !fault.empty())
        invalid_value(problems, field + ".name", fmt::format("\"{}\"", name), fault);
    else if (!names.insert(name).second)
        problems.push_back(
            {field + ".name", "FieldValueDuplicate", fmt::format("Duplicate value: \"{}\"", name)});
    if (text_at(container, "/image").empty()) required(problems, field + ".image");
    check_ports(problems, container, field);
    check_env(problems, container, field);
    check_mounts(problems, container, field, volumes);
    check_supported(problems, field + ".imagePullPolicy", text_at(container, "/imagePullPolicy"),
                    pull_policies);
}

// A pod's volumes, and those that a StatefulSet makes of its claims.
std::set<std::string> volumes_of(const json::object& object, const json::object& spec) {
    std::set<std::string> names;
    for (const json::value& volume : array_at(spec, "/volumes"))
        if (volume.is_object()) names.insert(text_at(volume.get_object(), "/name"));
    for (const json::value& claim : array_at(object, "/spec/volumeClaimTemplates"))
        if (claim.is_object()) names.insert(text_at(claim.get_object(), "/metadata/name"));
    return names;
}

}  // namespace

void check_pod_spec(Problems& problems, const json::object& object, const std::string& field) {
    const json::object& spec = object_at(object, pointer_to(field));
    const std::set<std::string> volumes = volumes_of(object, spec);
    std::set<std::string> names;
    const json::array& containers = array_at(spec, "/containers");
    if (containers.empty()) required(problems, field + ".containers");
    for (const char* list : {"containers", "initContainers"}) {
        const json::array& entries = array_at(spec, std::string{"/"} + list);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            static const json::object nothing;
            const json::object* one = entries[i].if_object();
            check_container(problems, one ? *one : nothing,
                            fmt::format("{}.{}[{}]", field, list, i), volumes, names);
        }
    }
    check_supported(problems, object, field + ".restartPolicy", restart_policies);
    check_supported(problems, object, field + ".dnsPolicy", dns_policies);
}

}  // namespace sluice::sim
