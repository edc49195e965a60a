#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/extended_job/spec.hpp"
#include "api/fields.hpp"
#include "api/jobs/job.hpp"
#include "base/names.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_job {

const model::Resource resource{"fissile.cloudfoundry.org", "v1alpha1", "extendedjobs",
                               "ExtendedJob"};

namespace {

namespace json = boost::json;

// The bounds of deploy/crds/extendedjobs.fissile.cloudfoundry.org.yaml.
constexpr std::size_t template_max = 64u << 10;
constexpr std::size_t terms_max = 32;
constexpr std::size_t labels_max = 32;
constexpr std::size_t label_key_max = 317;  // a prefix of 253 characters, a slash, a name of 63
constexpr std::size_t prefix_max = 180;     // with the name of a container it is that of a Secret

constexpr std::string_view strategies[] = {"manual", "now", "once", "podstate", "done"};

// A term that cannot be read would find nothing, and nobody would know why.
void check_selector(const Fields& selector) {
    selector.texts("matchLabels", labels_max, label_bytes_max);
    for (const Fields& term : selector.list("matchExpressions", terms_max)) {
        term.text("key", label_key_max, required);
        term.text("operator", label_key_max, required);
        const std::size_t op = term.choice("operator", {"In", "NotIn", "Exists", "DoesNotExist"});
        const json::value* values = term.find("values");
        const bool has_values = values && values->is_array() && !values->get_array().empty();
        if (op < 2 && !has_values) term.fault("values", "is required with In and NotIn");
        if (op >= 2 && has_values)
            term.fault("values", "says nothing with Exists and DoesNotExist");
        if (values && values->is_array() &&
            !std::ranges::all_of(values->get_array(), &json::value::is_string))
            term.fault("values", "must be a list of texts");
    }
}

void read_pods(const Fields& at, Spec& spec) {
    if (!at.has("when")) return at.fault("when", "is required with the strategy podstate");
    spec.when =
        static_cast<PodState>(at.choice("when", {"ready", "notready", "created", "deleted"}));
    const auto selector = at.object("selector", !required);
    if (!selector) return;
    check_selector(*selector);
    spec.selector = selector->json();
}

// The original's definition has `when` and `selector` at the trigger, its code under `podstate`.
void read_trigger(const Fields& trigger, Spec& spec) {
    if (!trigger.has("strategy")) trigger.fault("strategy", "is required");
    spec.strategy = static_cast<Strategy>(
        trigger.choice("strategy", {"manual", "now", "once", "podstate", "done"}));
    const auto podstate = trigger.object("podstate", !required);
    if (podstate && (trigger.has("when") || trigger.has("selector")))
        trigger.fault("podstate", "says what when and selector beside it say; leave one out");
    if (spec.strategy == Strategy::PodState) read_pods(podstate ? *podstate : trigger, spec);
}

void read_template(const Fields& templated, Spec& spec) {
    spec.pod_template = templated.json();
    for (const Fields& one : jobs::containers_in(templated))
        spec.containers.push_back(one.text("name", label_bytes_max, required));
}

Output read_output(const Fields& fields, const std::vector<std::string>& containers) {
    Output output;
    output.prefix = fields.text("namePrefix", prefix_max, required);
    fields.choice("outputType", {"json"});
    output.labels = fields.texts("secretLabels", labels_max, label_bytes_max);
    output.on_failure = fields.flag("writeOnFailure").value_or(false);
    for (const std::string& container : containers)
        if (!output.prefix.empty() && !is_dns_subdomain(output.prefix + container)) {
            fields.fault("namePrefix",
                         "must begin the name of a Secret: a-z, 0-9, - and ., as in web-");
            break;
        }
    return output;
}

Spec read_fields(const Fields& fields) {
    Spec spec;
    if (const auto trigger = fields.object("trigger", required)) read_trigger(*trigger, spec);
    spec.pod_template = fields.json("template", template_max, required);
    if (const auto templated = fields.object("template", !required))
        read_template(*templated, spec);
    if (const auto output = fields.object("output", !required))
        spec.output = read_output(*output, spec.containers);
    spec.wants_config_changes = fields.flag("updateOnConfigChange").value_or(false);
    return spec;
}

}  // namespace

std::string_view to_text(Strategy strategy) {
    return strategies[static_cast<std::size_t>(strategy)];
}

std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object) {
    return read_part(object.spec, "spec", read_fields);
}

}  // namespace sluice::api::extended_job
