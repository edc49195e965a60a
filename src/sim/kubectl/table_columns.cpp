#include "sim/kubectl/table_columns.hpp"

#include "sim/kubectl/table_cells.hpp"

namespace sluice::sim {
namespace {

constexpr Column name_and_age[] = {cell::name_column, cell::age_column};

}  // namespace

std::span<const Column> columns_of(const Resource& resource) {
    // "statefulsets" of "apps"; no plural of one group has another one's columns.
    const auto of_workload = workload_columns(resource.plural);
    if (!of_workload.empty()) return of_workload;
    const auto of_other = other_columns(resource.plural);
    return of_other.empty() ? std::span<const Column>{name_and_age} : of_other;
}

json::array row_conditions(const Resource& resource, const json::object& object) {
    if (resource.id() != "pods") return {};
    const std::string phase = text_at(object, "/status/phase");
    if (phase != "Succeeded" && phase != "Failed") return {};
    const char* message =
        phase == "Failed" ? "The pod failed." : "The pod has completed successfully.";
    return {json::object{
        {"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}}};
}

}  // namespace sluice::sim
