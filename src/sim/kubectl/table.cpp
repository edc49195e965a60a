#include "sim/kubectl/table.hpp"

#include <fmt/format.h>

#include "language/json_path.hpp"
#include "sim/api/split.hpp"
#include "sim/kubectl/table_columns.hpp"

namespace sluice::sim {
namespace {

// A cell of a custom resource: what the column's path finds, if it is of the column's type.
json::value custom_cell(const json::object& column, const json::object& object, Instant now) {
    const json::value* found = at_path(object, text_at(column, "/jsonPath"));
    if (!found || found->is_null()) return nullptr;
    const std::string type = text_at(column, "/type");
    if (type == "date") {
        return found->is_string() ? json::value(age_since(found->get_string(), now)) : nullptr;
    }
    if (type == "string") {
        if (found->is_string()) return *found;
        return json::value(json::serialize(*found));
    }
    if (type == "boolean") return found->is_bool() ? *found : nullptr;
    if (!found->is_number()) return nullptr;
    if (type == "integer") return found->to_number<std::int64_t>();
    return found->to_number<double>();
}

json::object definition(std::string_view name, std::string_view type, std::string_view format,
                        std::int64_t priority, std::string_view description) {
    return {{"name", name},
            {"type", type},
            {"format", format},
            {"description", description},
            {"priority", priority}};
}

// Of a built-in resource; name and age if it has no columns of its own.
const std::vector<Column>& columns_of(const Resource& resource) {
    static const Columns all = [] {
        Columns both = workload_columns();
        both.merge(other_columns());
        return both;
    }();
    const auto found = all.find(resource.plural);
    return found == all.end() ? all.at("") : found->second;
}

// What a row says about its object as a whole: of a pod, that it has ended.
json::array row_conditions(const Resource& resource, const json::object& object) {
    if (resource.id() != "pods") return {};
    const std::string phase = text_at(object, "/status/phase");
    if (phase != "Succeeded" && phase != "Failed") return {};
    const char* message =
        phase == "Failed" ? "The pod failed." : "The pod has completed successfully.";
    return {json::object{
        {"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}}};
}

// Without columns of its own a custom resource has its age.
const json::array& custom_columns(const Resource& resource) {
    static const json::array only_age{json::object{
        {"name", "Age"}, {"type", "date"}, {"jsonPath", ".metadata.creationTimestamp"}}};
    return resource.columns.empty() ? only_age : resource.columns;
}

json::array definitions(const Resource& resource) {
    json::array list;
    if (!resource.is_custom()) {
        for (const Column& column : columns_of(resource))
            list.push_back(
                definition(column.name, column.type, column.format, column.priority, ""));
        return list;
    }
    list.push_back(definition("Name", "string", "name", 0, ""));
    for (const json::value& entry : custom_columns(resource)) {
        const json::object* column = entry.if_object();
        if (!column) continue;
        list.push_back(definition(text_at(*column, "/name"), text_at(*column, "/type"),
                                  text_at(*column, "/format"), number_at(*column, "/priority"),
                                  text_at(*column, "/description")));
    }
    return list;
}

json::array cells(const Resource& resource, const json::object& object, Instant now) {
    json::array row;
    if (!resource.is_custom()) {
        for (const Column& column : columns_of(resource))
            row.push_back(column.cell(object, now));
        return row;
    }
    row.push_back(json::value(text_at(object, "/metadata/name")));
    for (const json::value& entry : custom_columns(resource)) {
        if (const json::object* column = entry.if_object())
            row.push_back(custom_cell(*column, object, now));
    }
    return row;
}

json::value carried_object(const json::object& object, RowObject carried) {
    if (carried == RowObject::None) return nullptr;
    if (carried == RowObject::Object) return object;
    return json::object{{"kind", "PartialObjectMetadata"},
                        {"apiVersion", "meta.k8s.io/v1"},
                        {"metadata", object_at(object, "/metadata")}};
}

}  // namespace

const json::value* at_path(const json::object& in, std::string_view path) {
    using language::JsonPath;
    const auto parsed = JsonPath::parsed(path);
    const auto begin = parsed ? parsed->begin() : std::nullopt;
    if (!begin) return nullptr;
    const json::value* member = in.if_contains(begin->name);
    if (!member) return nullptr;
    const auto found = begin->rest.found(*member, JsonPath::Missing::Nothing);
    return found && !found->empty() ? found->front() : nullptr;
}

json::object table(const Resource& resource, const std::vector<ObjectPtr>& objects, Instant now,
                   RowObject carried) {
    json::array rows;
    for (const ObjectPtr& stored : objects) {
        const json::object& object = stored->object();
        json::object row{{"cells", cells(resource, object, now)}};
        if (auto conditions = row_conditions(resource, object); !conditions.empty())
            row["conditions"] = std::move(conditions);
        row["object"] = carried_object(object, carried);
        rows.push_back(std::move(row));
    }
    return {{"kind", "Table"},
            {"apiVersion", "meta.k8s.io/v1"},
            {"metadata", json::object{}},
            {"columnDefinitions", definitions(resource)},
            {"rows", std::move(rows)}};
}

// The client names what it understands in the order of its liking.
bool wants_table(std::string_view accept) {
    for (const std::string_view one : parts_of(accept, ',')) {
        if (one.find("json") == one.npos) continue;
        const bool is_table = one.find("as=Table") != one.npos;
        if (is_table && one.find("v=v1beta1") != one.npos) continue;
        return is_table;
    }
    return false;
}

RowObject row_object(std::string_view include_object) {
    if (include_object == "None") return RowObject::None;
    return include_object == "Object" ? RowObject::Object : RowObject::Metadata;
}

std::string age(Duration duration) {
    const auto seconds = duration.count() / 1000;
    if (seconds < -1) return "<invalid>";
    if (seconds < 0) return "0s";
    if (seconds < 120) return fmt::format("{}s", seconds);
    const auto two = [](auto large, char unit, auto small, char small_unit) {
        return small == 0 ? fmt::format("{}{}", large, unit)
                          : fmt::format("{}{}{}{}", large, unit, small, small_unit);
    };
    const auto minutes = seconds / 60;
    if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
    if (minutes < 180) return fmt::format("{}m", minutes);
    const auto hours = minutes / 60;
    if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
    if (hours < 48) return fmt::format("{}h", hours);
    const auto days = hours / 24;
    if (days < 8) return two(days, 'd', hours % 24, 'h');
    if (days < 730) return fmt::format("{}d", days);
    if (days < 2920) return two(days / 365, 'y', days % 365, 'd');
    return fmt::format("{}y", days / 365);
}

std::string age_since(std::string_view timestamp, Instant now) {
    const auto then = parse_rfc3339(timestamp);
    return then ? age(now - *then) : "<unknown>";
}

}  // namespace sluice::sim
