#include <fmt/format.h>

#include <vector>

#include "sim/kubectl/table_cells.hpp"
#include "sim/kubectl/table_columns.hpp"

namespace sluice::sim {

using namespace cell;

namespace {

json::value node_status(Object node, Instant) {
    const bool known = condition(object_at(node, "/status"), "Ready") != nullptr;
    std::string status = has_condition(node, "Ready") ? "Ready" : known ? "NotReady" : "Unknown";
    if (flag_at(node, "/spec/unschedulable")) status += ",SchedulingDisabled";
    return text(status);
}

json::value node_roles(Object node, Instant) {
    const std::string prefix = "node-role.kubernetes.io/";
    std::vector<std::string> roles;
    for (const auto& [key, value] : object_at(node, "/metadata/labels")) {
        if (std::string_view{key}.starts_with(prefix))
            roles.push_back(std::string{key}.substr(prefix.size()));
    }
    std::ranges::sort(roles);
    return text(roles.empty() ? "<none>" : fmt::format("{}", fmt::join(roles, ",")));
}

std::string node_address(Object node, std::string_view type) {
    for (const json::value& entry : array_at(node, "/status/addresses")) {
        if (text_at(as_object(entry), "/type") == type)
            return text_at(as_object(entry), "/address");
    }
    return "<none>";
}

constexpr Column nodes[] = {
    name_column,
    {"Status", "string", 0, node_status},
    {"Roles", "string", 0, node_roles},
    age_column,
    {"Version", "string", 0, text_cell<"/status/nodeInfo/kubeletVersion">},
    {"Internal-IP", "string", 1,
     [](Object node, Instant) { return text(node_address(node, "InternalIP")); }},
    {"External-IP", "string", 1,
     [](Object node, Instant) { return text(node_address(node, "ExternalIP")); }},
    {"OS-Image", "string", 1, text_or<"/status/nodeInfo/osImage", "<unknown>">},
    {"Kernel-Version", "string", 1, text_or<"/status/nodeInfo/kernelVersion", "<unknown>">},
    {"Container-Runtime", "string", 1,
     text_or<"/status/nodeInfo/containerRuntimeVersion", "<unknown>">},
};

constexpr Column namespaces[] = {
    name_column,
    {"Status", "string", 0, text_cell<"/status/phase">},
    age_column,
};

constexpr Column configmaps[] = {
    name_column,
    {"Data", "string", 0,
     [](Object map, Instant) -> json::value {
         return static_cast<std::int64_t>(object_at(map, "/data").size() +
                                          object_at(map, "/binaryData").size());
     }},
    age_column,
};

constexpr Column secrets[] = {
    name_column,
    {"Type", "string", 0, text_cell<"/type">},
    {"Data", "string", 0,
     [](Object secret, Instant) -> json::value {
         return static_cast<std::int64_t>(object_at(secret, "/data").size());
     }},
    age_column,
};

json::value external_ip(Object service, Instant) {
    const std::string type = or_else(text_at(service, "/spec/type"), "ClusterIP");
    if (type == "ExternalName") return text(text_at(service, "/spec/externalName"));
    std::string all = joined(array_at(service, "/status/loadBalancer/ingress"), "/ip");
    const std::string more = joined(array_at(service, "/spec/externalIPs"));
    if (!all.empty() && !more.empty()) all += ',';
    all += more;
    return text(or_else(all, type == "LoadBalancer" ? "<pending>" : "<none>"));
}

json::value service_ports(Object service, Instant) {
    std::string line;
    for (const json::value& entry : array_at(service, "/spec/ports")) {
        const json::object& port = as_object(entry);
        if (!line.empty()) line += ',';
        line += std::to_string(number_at(port, "/port"));
        if (const auto node_port = number_at(port, "/nodePort"); node_port > 0)
            line += ":" + std::to_string(node_port);
        line += "/" + or_else(text_at(port, "/protocol"), "TCP");
    }
    return text(or_else(line, "<none>"));
}

constexpr Column services[] = {
    name_column,
    {"Type", "string", 0, text_cell<"/spec/type">},
    {"Cluster-IP", "string", 0, text_or<"/spec/clusterIP">},
    {"External-IP", "string", 0, external_ip},
    {"Port(s)", "string", 0, service_ports},
    age_column,
    {"Selector", "string", 1,
     [](Object service, Instant) { return text(labels(object_at(service, "/spec/selector"))); }},
};

// "RWO,ROX".
std::string access_modes(const json::array& modes) {
    const std::map<std::string, std::string> shorts{{"ReadWriteOnce", "RWO"},
                                                    {"ReadOnlyMany", "ROX"},
                                                    {"ReadWriteMany", "RWX"},
                                                    {"ReadWriteOncePod", "RWOP"}};
    std::string line;
    for (const json::value& mode : modes) {
        const auto found = shorts.find(mode.is_string() ? std::string{mode.get_string()} : "");
        if (found != shorts.end()) line += (line.empty() ? "" : ",") + found->second;
    }
    return line;
}

json::value phase_or_terminating(Object object, Instant) {
    return is_terminating(object) ? json::value("Terminating")
                                  : text(text_at(object, "/status/phase"));
}

constexpr Column storage_class_column{"StorageClass", "string", 0,
                                      text_cell<"/spec/storageClassName">};
constexpr Column attributes_class_column{"VolumeAttributesClass", "string", 0,
                                         text_or<"/spec/volumeAttributesClassName", "<unset>">};
constexpr Column volume_mode_column{"VolumeMode", "string", 1,
                                    text_or<"/spec/volumeMode", "<unset>">};

constexpr Column persistentvolumeclaims[] = {
    name_column,
    {"Status", "string", 0, phase_or_terminating},
    {"Volume", "string", 0, text_cell<"/spec/volumeName">},
    {"Capacity", "string", 0,
     [](Object claim, Instant) {
         const bool is_bound = !text_at(claim, "/spec/volumeName").empty();
         return text(is_bound ? text_at(claim, "/status/capacity/storage") : "");
     }},
    {"Access Modes", "string", 0,
     [](Object claim, Instant) {
         const bool is_bound = !text_at(claim, "/spec/volumeName").empty();
         return text(is_bound ? access_modes(array_at(claim, "/status/accessModes")) : "");
     }},
    storage_class_column,
    attributes_class_column,
    age_column,
    volume_mode_column,
};

constexpr Column persistentvolumes[] = {
    name_column,
    {"Capacity", "string", 0, text_cell<"/spec/capacity/storage">},
    {"Access Modes", "string", 0,
     [](Object volume, Instant) {
         return text(access_modes(array_at(volume, "/spec/accessModes")));
     }},
    {"Reclaim Policy", "string", 0, text_cell<"/spec/persistentVolumeReclaimPolicy">},
    {"Status", "string", 0, phase_or_terminating},
    {"Claim", "string", 0,
     [](Object volume, Instant) {
         const std::string ns = text_at(volume, "/spec/claimRef/namespace");
         return text(ns.empty() ? "" : ns + "/" + text_at(volume, "/spec/claimRef/name"));
     }},
    storage_class_column,
    attributes_class_column,
    {"Reason", "string", 0, text_cell<"/status/reason">},
    age_column,
    volume_mode_column,
};

json::value event_first_seen(Object event, Instant now) {
    const std::string first = text_at(event, "/firstTimestamp");
    return text(age_since(first.empty() ? text_at(event, "/eventTime") : first, now));
}

json::value event_last_seen(Object event, Instant now) {
    const std::string repeated = text_at(event, "/series/lastObservedTime");
    if (!repeated.empty()) return text(age_since(repeated, now));
    const std::string last = text_at(event, "/lastTimestamp");
    return last.empty() ? event_first_seen(event, now) : text(age_since(last, now));
}

json::value event_source(Object event, Instant) {
    std::string source = text_at(event, "/source/component");
    if (source.empty()) source = text_at(event, "/reportingComponent");
    std::string instance = text_at(event, "/source/host");
    if (instance.empty()) instance = text_at(event, "/reportingInstance");
    return text(instance.empty() ? source : source + ", " + instance);
}

constexpr Column events[] = {
    {"Last Seen", "string", 0, event_last_seen},
    {"Type", "string", 0, text_cell<"/type">},
    {"Reason", "string", 0, text_cell<"/reason">},
    {"Object", "string", 0,
     [](Object event, Instant) {
         const std::string target = text_at(event, "/involvedObject/name");
         const std::string kind = lower(text_at(event, "/involvedObject/kind"));
         return text(target.empty() ? kind : kind + "/" + target);
     }},
    {"Subobject", "string", 1, text_cell<"/involvedObject/fieldPath">},
    {"Source", "string", 1, event_source},
    {"Message", "string", 0, text_cell<"/message">},
    {"First Seen", "string", 1, event_first_seen},
    {"Count", "string", 1,
     [](Object event, Instant) -> json::value {
         const auto count = number_at(event, "/series/count", number_at(event, "/count"));
         return std::max<std::int64_t>(count, 1);
     }},
    {"Name", "string", 1, name, "name"},
};

constexpr Column leases[] = {
    name_column,
    {"Holder", "string", 0, text_cell<"/spec/holderIdentity">},
    age_column,
};

constexpr Column customresourcedefinitions[] = {
    name_column,
    {"Created At", "date", 0, text_cell<"/metadata/creationTimestamp">},
};

constexpr Column storageclasses[] = {
    {"Name", "string", 0,
     [](Object storage, Instant) {
         const bool is_default =
             text_at(storage,
                     "/metadata/annotations/storageclass.kubernetes.io~1is-default-class") ==
             "true";
         return text(text_at(storage, "/metadata/name") + (is_default ? " (default)" : ""));
     },
     "name"},
    {"Provisioner", "string", 0, text_cell<"/provisioner">},
    {"ReclaimPolicy", "string", 0, text_or<"/reclaimPolicy", "Delete">},
    {"VolumeBindingMode", "string", 0, text_or<"/volumeBindingMode", "Immediate">},
    {"AllowVolumeExpansion", "string", 0,
     [](Object storage, Instant) -> json::value {
         return flag_at(storage, "/allowVolumeExpansion");
     }},
    age_column,
};

}  // namespace

std::span<const Column> other_columns(std::string_view plural) {
    if (plural == "nodes") return nodes;
    if (plural == "namespaces") return namespaces;
    if (plural == "configmaps") return configmaps;
    if (plural == "secrets") return secrets;
    if (plural == "services") return services;
    if (plural == "persistentvolumeclaims") return persistentvolumeclaims;
    if (plural == "persistentvolumes") return persistentvolumes;
    if (plural == "events") return events;
    if (plural == "leases") return leases;
    if (plural == "customresourcedefinitions") return customresourcedefinitions;
    if (plural == "storageclasses") return storageclasses;
    return {};
}

}  // namespace sluice::sim
