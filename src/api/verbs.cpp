#include "api/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/registry.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "model/annotations.hpp"

namespace sluice::api {
namespace {

std::string title_of(const Dialect& dialect, const std::string& name) {
    return fmt::format("{}/{}", dialect.names.front(), name);
}

}  // namespace

std::span<const Dialect* const> dialects() {
    static const std::vector<const Dialect*> all = [] {
        std::vector<const Dialect*> found;
        for (const Api& api : apis())
            if (api.dialect) found.push_back(api.dialect);
        std::ranges::sort(found, {}, &Dialect::api);
        return found;
    }();
    return all;
}

const Dialect* find_dialect(std::string_view kind) {
    const std::string word = in_lower_case(kind);
    for (const Dialect* dialect : dialects()) {
        std::string_view name = word;
        const std::size_t dot = name.find('.');
        const bool is_qualified = dot != std::string_view::npos;
        if (is_qualified && name.substr(dot + 1) != dialect->resource->group) continue;
        if (is_qualified) name = name.substr(0, dot);
        const bool is_known = std::ranges::find(dialect->names, name) != dialect->names.end();
        if (is_known || name == dialect->resource->plural) return dialect;
    }
    return nullptr;
}

std::string kinds_text() {
    std::string text;
    for (const Dialect* dialect : dialects())
        for (const std::string_view name : dialect->names)
            text += (text.empty() ? "" : ", ") + std::string{name};
    return text;
}

bool is_of_workload(const Dialect& dialect) {
    return dialect.resource == &model::statefulsets;
}

Result<Steered> read_steered(const Dialect& dialect, const boost::json::object& object) {
    Steered steered;
    if (is_of_workload(dialect)) {
        auto workload = read_workload(object);
        if (!workload) return std::unexpected(workload.error());
        steered.object.meta = workload->set.meta;
        steered.object.annotations = workload->set.annotations;
        steered.object.created = workload->created;
        steered.workload = std::move(*workload);
    } else {
        auto read = model::decode_custom_object(boost::json::serialize(object), kept());
        if (!read) return std::unexpected(read.error());
        steered.object = std::move(*read);
    }
    steered.title = title_of(dialect, steered.object.meta.key.name);
    return steered;
}

void add_history(const Dialect& dialect, const std::vector<boost::json::object>& objects,
                 Steered& steered) {
    for (const boost::json::object& object : objects) {
        auto read = model::decode_custom_object(boost::json::serialize(object), kept(),
                                                dialect.history.resource->content);
        if (read) steered.history.push_back(std::move(*read));
    }
}

Reply reply(const Dialect& dialect, Verb verb, const Steered& steered, Instant now) {
    if (steered.object.meta.deleting) return decline("{} is being deleted.", steered.title);
    return dialect.replies[static_cast<std::size_t>(verb)](steered, now);
}

std::string why_not_steered(const Workload& workload) {
    const model::StatefulSet& set = workload.set;
    const std::string& claim = annotation(set, model::key::claim);
    if (!claim.empty())
        return fmt::format(
            "StatefulSet {} says that {} steers it, and that is not there; see \"Breaking the "
            "glass\" in docs/operations.md.",
            set.meta.key.name, printable(claim, 64));
    std::string labels;
    for (const Dialect* dialect : dialects())
        if (!dialect->label.empty())
            labels += fmt::format("it has no label {}, and ", dialect->label);
    return fmt::format("StatefulSet {} is not steered: {}no object that is steered names it.",
                       set.meta.key.name, labels);
}

}  // namespace sluice::api
