#include <fmt/format.h>

#include "api/fields.hpp"
#include "api/phased_rollout/spec.hpp"

namespace sluice::api::phased_rollout {
namespace {

// The bounds of deploy/crds/phasedrollouts.sts.plus.yaml.
constexpr Range deadline_range{1, 2'592'000};  // 30 days

Spec read_fields(const Fields& fields, SuccessOn unsaid) {
    Spec spec;
    spec.target = fields.name("targetRef", required);
    const auto skip = fields.flag("skipCheck");
    const auto other_name = fields.flag("standardRollingUpdate");
    if (skip && other_name && *skip != *other_name)
        fields.fault("standardRollingUpdate",
                     "is another name of skipCheck, and the two contradict each other; leave one "
                     "of them out");
    spec.skip_check = skip.value_or(other_name.value_or(false));
    spec.on_failure = static_cast<OnFailure>(fields.choice("onFailure", {"Hold", "Rollback"}));
    if (fields.find("deletionPolicy"))
        spec.deletion_policy =
            static_cast<DeletionPolicy>(fields.choice("deletionPolicy", {"Freeze", "Open"}));
    if (const auto deadline = fields.number("progressDeadlineSeconds", deadline_range))
        spec.progress_deadline = std::chrono::seconds{*deadline};
    const auto check = fields.object("check", required);
    if (!check) return spec;
    spec.check = metrics::read_check(*check, unsaid);
    const Duration needed =
        spec.check.initial_delay + (spec.check.success_threshold - 1) * spec.check.period;
    if (spec.progress_deadline && *spec.progress_deadline <= needed)
        fields.fault("progressDeadlineSeconds",
                     fmt::format("must be more than {}, which the initial delay and {} checks "
                                 "take, or no pod could ever pass",
                                 needed / 1s, spec.check.success_threshold));
    return spec;
}

}  // namespace

std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object, SuccessOn unsaid) {
    return read_part(object.spec, "spec",
                     [&](const Fields& fields) { return read_fields(fields, unsaid); });
}

}  // namespace sluice::api::phased_rollout
