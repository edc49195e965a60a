#include "api/extended_stateful_set/services.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>

#include "api/claims.hpp"
#include "api/extended_stateful_set/spec.hpp"
#include "base/json_pointer.hpp"
#include "base/names.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;

json::object selector_of(const model::CustomObject& service) {
    const json::value spec = model::parse_json(service.spec);
    const json::value* selector = model::value_at(spec, "/selector");
    return selector && selector->is_object() ? selector->get_object() : json::object{};
}

}  // namespace

model::Ref followed_by(const model::CustomObject& service) {
    const std::string& name = annotation_of(service, std::string{serves_key});
    if (!is_dns_subdomain(name)) return {};
    return {&resource, service.meta.key.ns, name};
}

void trim_service(model::CustomObject& service) {
    service.labels.clear();
    service.status.clear();
    const bool follows = !followed_by(service).name.empty();
    const json::object selector = follows ? selector_of(service) : json::object{};
    service.spec =
        selector.empty() ? std::string{} : json::serialize(json::object{{"selector", selector}});
}

bool has_selector(const model::CustomObject& service) {
    return !selector_of(service).empty();
}

bool selects(const model::CustomObject& service, int version) {
    const json::object selector = selector_of(service);
    const json::value* selected = selector.if_contains(version_key);
    return selected && *selected == json::string(std::to_string(version));
}

engine::Action switch_to(const model::CustomObject& service, int version) {
    const std::string path = fmt::format("/spec/selector/{}", pointer_token(version_key));
    const json::array operations{
        json::object{{"op", "test"}, {"path", "/spec/selector"}, {"value", selector_of(service)}},
        json::object{{"op", "add"}, {"path", path}, {"value", std::to_string(version)}}};
    engine::Action action =
        write_to(subject_of(model::services, service), false, json::serialize(operations));
    action.notices.push_back({engine::Reason::ServiceSwitched,
                              fmt::format("It selects the pods of {} now.", revision_of(version))});
    return action;
}

}  // namespace sluice::api::extended_stateful_set
