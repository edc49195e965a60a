#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
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

template <Pointer type>
json::value node_address(Object node, Instant) {
    for (const json::value& entry : array_at(node, "/status/addresses")) {
        if (text_at(as_object(entry), "/type") == type.characters)
            return text(text_at(as_object(entry), "/address"));
    }
    return "<none>";
}

json::value data_size(Object object, Instant) {
    return object_at(object, "/data").size() + object_at(object, "/binaryData").size();
}

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

json::value capacity(Object claim, Instant) {
    const bool is_bound = !text_at(claim, "/spec/volumeName").empty();
    return text(is_bound ? text_at(claim, "/status/capacity/storage") : "");
}

json::value claim_modes(Object claim, Instant) {
    const bool is_bound = !text_at(claim, "/spec/volumeName").empty();
    return text(is_bound ? access_modes(array_at(claim, "/status/accessModes")) : "");
}

json::value volume_modes(Object volume, Instant) {
    return text(access_modes(array_at(volume, "/spec/accessModes")));
}

json::value claim_of(Object volume, Instant) {
    const std::string ns = text_at(volume, "/spec/claimRef/namespace");
    return text(ns.empty() ? "" : ns + "/" + text_at(volume, "/spec/claimRef/name"));
}

constexpr Column storage_class_column{"StorageClass", text_cell<"/spec/storageClassName">};
constexpr Column attributes_class_column{"VolumeAttributesClass",
                                         text_or<"/spec/volumeAttributesClassName", "<unset>">};
constexpr Column volume_mode_column{"VolumeMode", text_or<"/spec/volumeMode", "<unset>">, wide};

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

json::value event_object(Object event, Instant) {
    const std::string target = text_at(event, "/involvedObject/name");
    const std::string kind = in_lower_case(text_at(event, "/involvedObject/kind"));
    return text(target.empty() ? kind : kind + "/" + target);
}

json::value event_count(Object event, Instant) {
    const auto count = number_at(event, "/series/count", number_at(event, "/count"));
    return std::max<std::int64_t>(count, 1);
}

json::value class_name(Object storage, Instant) {
    const std::string mark = "/metadata/annotations/storageclass.kubernetes.io~1is-default-class";
    const bool is_default = text_at(storage, mark) == "true";
    return text(text_at(storage, "/metadata/name") + (is_default ? " (default)" : ""));
}

json::value allows_expansion(Object storage, Instant) {
    return flag_at(storage, "/allowVolumeExpansion");
}

}  // namespace

Columns other_columns() {
    return {
        {"", {name_column, age_column}},
        {"nodes",
         {name_column,
          {"Status", node_status},
          {"Roles", node_roles},
          age_column,
          {"Version", text_cell<"/status/nodeInfo/kubeletVersion">},
          {"Internal-IP", node_address<"InternalIP">, wide},
          {"External-IP", node_address<"ExternalIP">, wide},
          {"OS-Image", text_or<"/status/nodeInfo/osImage", "<unknown>">, wide},
          {"Kernel-Version", text_or<"/status/nodeInfo/kernelVersion", "<unknown>">, wide},
          {"Container-Runtime", text_or<"/status/nodeInfo/containerRuntimeVersion", "<unknown>">,
           wide}}},
        {"namespaces", {name_column, {"Status", text_cell<"/status/phase">}, age_column}},
        {"configmaps", {name_column, {"Data", data_size}, age_column}},
        {"secrets", {name_column, {"Type", text_cell<"/type">}, {"Data", data_size}, age_column}},
        {"services",
         {name_column,
          {"Type", text_cell<"/spec/type">},
          {"Cluster-IP", text_or<"/spec/clusterIP">},
          {"External-IP", external_ip},
          {"Port(s)", service_ports},
          age_column,
          {"Selector", labels_cell<"/spec/selector">, wide}}},
        {"persistentvolumeclaims",
         {name_column,
          {"Status", phase_or_terminating},
          {"Volume", text_cell<"/spec/volumeName">},
          {"Capacity", capacity},
          {"Access Modes", claim_modes},
          storage_class_column,
          attributes_class_column,
          age_column,
          volume_mode_column}},
        {"persistentvolumes",
         {name_column,
          {"Capacity", text_cell<"/spec/capacity/storage">},
          {"Access Modes", volume_modes},
          {"Reclaim Policy", text_cell<"/spec/persistentVolumeReclaimPolicy">},
          {"Status", phase_or_terminating},
          {"Claim", claim_of},
          storage_class_column,
          attributes_class_column,
          {"Reason", text_cell<"/status/reason">},
          age_column,
          volume_mode_column}},
        {"events",
         {{"Last Seen", event_last_seen},
          {"Type", text_cell<"/type">},
          {"Reason", text_cell<"/reason">},
          {"Object", event_object},
          {"Subobject", text_cell<"/involvedObject/fieldPath">, wide},
          {"Source", event_source, wide},
          {"Message", text_cell<"/message">},
          {"First Seen", event_first_seen, wide},
          {"Count", event_count, wide},
          {"Name", name, wide, "string", "name"}}},
        {"leases", {name_column, {"Holder", text_cell<"/spec/holderIdentity">}, age_column}},
        {"customresourcedefinitions",
         {name_column, {"Created At", text_cell<"/metadata/creationTimestamp">, 0, "date"}}},
        {"storageclasses",
         {{"Name", class_name, 0, "string", "name"},
          {"Provisioner", text_cell<"/provisioner">},
          {"ReclaimPolicy", text_or<"/reclaimPolicy", "Delete">},
          {"VolumeBindingMode", text_or<"/volumeBindingMode", "Immediate">},
          {"AllowVolumeExpansion", allows_expansion},
          age_column}},
    };
}

}  // namespace sluice::sim
