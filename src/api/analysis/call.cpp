#include "api/analysis/call.hpp"

#include <boost/json.hpp>

#include "api/analysis/parts.hpp"
#include "base/names.hpp"

namespace sluice::api::analysis {
namespace {

// The bounds of deploy/crds.
constexpr std::size_t call_args_max = 32;
constexpr std::size_t labels_max = 32;
constexpr std::size_t annotation_max = 4096;

CallArgument read_call_argument(const Fields& fields) {
    CallArgument argument;
    argument.name = fields.text("name", label_max, required);
    argument.value = fields.text("value", argument_max, !required);
    const auto from = fields.object("valueFrom", !required);
    if (!from) return argument;
    if (fields.has("value"))
        fields.fault("valueFrom", "and value exclude each other; leave one of them out");
    const auto field = from->object("fieldRef", !required);
    if (from->has("podTemplateHashValue") == from->has("fieldRef"))
        from->fault_here("must have exactly one of podTemplateHashValue and fieldRef");
    else if (field)
        argument.value = FieldPath{field->text("fieldPath", path_max, required)};
    else
        argument.value =
            static_cast<RevisionOf>(from->choice("podTemplateHashValue", {"Stable", "Latest"}));
    return argument;
}

}  // namespace

AnalysisCall read_call(const Fields& fields) {
    AnalysisCall call;
    const boost::json::value* templates = fields.find("templates", required);
    if (templates && templates->is_array() && templates->get_array().empty())
        fields.fault("templates", "must have at least one entry");
    call.templates = read_references(fields);
    call.args = read_named(fields, "args", call_args_max, read_call_argument);
    call.dry_run = read_dry_run(fields);
    call.retention = read_retention(fields);
    if (const auto metadata = fields.object("analysisRunMetadata", !required)) {
        call.labels = metadata->texts("labels", labels_max, label_bytes_max);
        call.annotations = metadata->texts("annotations", labels_max, annotation_max);
    }
    return call;
}

}  // namespace sluice::api::analysis
