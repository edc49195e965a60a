#include "api/extended_stateful_set/references.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <span>

#include "api/extended_stateful_set/spec.hpp"
#include "base/names.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;

// Where a name stands, from what holds it.
struct Naming {
    const char* object;  // the path to whatever names it
    const char* name;    // in there
    const model::Resource* resource;
};
constexpr Naming in_variables[] = {
    {"/valueFrom/configMapKeyRef", "/name", &model::config_map_contents},
    {"/valueFrom/secretKeyRef", "/name", &model::secret_contents}};
constexpr Naming in_environments[] = {{"/configMapRef", "/name", &model::config_map_contents},
                                      {"/secretRef", "/name", &model::secret_contents}};
constexpr Naming in_volumes[] = {{"/configMap", "/name", &model::config_map_contents},
                                 {"/secret", "/secretName", &model::secret_contents}};
constexpr Naming in_sources[] = {{"/configMap", "/name", &model::config_map_contents},
                                 {"/secret", "/name", &model::secret_contents}};

// The entries of a list; nothing where there is none.
const json::array& list_at(const json::value& whole, const char* path) {
    static const json::array nothing;
    const json::value* found = model::value_at(whole, path);
    return found && found->is_array() ? found->get_array() : nothing;
}

class References {
  public:
    explicit References(const std::string& ns) : ns_(ns) {}

    void read(const json::value& pod) {
        for (const char* kind : {"/containers", "/initContainers", "/ephemeralContainers"})
            for (const json::value& container : list_at(pod, kind)) {
                for (const json::value& one : list_at(container, "/env"))
                    add(one, in_variables);
                for (const json::value& one : list_at(container, "/envFrom"))
                    add(one, in_environments);
            }
        for (const json::value& volume : list_at(pod, "/volumes")) {
            add(volume, in_volumes);
            for (const json::value& source : list_at(volume, "/projected/sources"))
                add(source, in_sources);
        }
    }

    std::vector<Reference> take() && {
        std::ranges::sort(found_, {}, &Reference::ref);
        return std::move(found_);
    }

  private:
    void add(const json::value& holder, std::span<const Naming> places) {
        for (const Naming& place : places) {
            const json::value* names = model::value_at(holder, place.object);
            if (!names || !names->is_object()) continue;
            const std::string name{model::text_at(*names, place.name)};
            if (!is_dns_subdomain(name)) continue;  // the API server refuses it
            const json::value* optional = model::value_at(*names, "/optional");
            add({place.resource, ns_, name}, optional && *optional == json::value(true));
        }
    }
    void add(const model::Ref& ref, bool is_optional) {
        const auto known = std::ranges::find(found_, ref, &Reference::ref);
        if (known != found_.end())
            known->is_optional = known->is_optional && is_optional;
        else if (found_.size() <= references_max)
            found_.push_back({ref, is_optional});
    }

    const std::string& ns_;
    std::vector<Reference> found_;
};

std::vector<model::Ref> names_in(const json::value& spec, const std::string& ns) {
    std::vector<model::Ref> names;
    if (const json::value* set = model::value_at(spec, "/template"))
        for (Reference& one : references_in(*set, ns))
            names.push_back(std::move(one.ref));
    return names;
}

}  // namespace

std::vector<Reference> references_in(const json::value& set, const std::string& ns) {
    References all{ns};
    if (const json::value* pod = model::value_at(set, "/spec/template/spec")) all.read(*pod);
    return std::move(all).take();
}

std::vector<model::Ref> named_in_template(const model::CustomObject& object) {
    return names_in(model::parse_json(object.spec), object.meta.key.ns);
}

// Most objects want nothing of the kind, and are not taken apart for it.
std::vector<model::Ref> named_by(const model::CustomObject& object) {
    if (!object.spec.contains("updateOn")) return {};
    const json::value spec = model::parse_json(object.spec);
    const bool is_wanted = std::ranges::any_of(config_fields, [&](const char* field) {
        const json::value* said = spec.is_object() ? spec.get_object().if_contains(field) : nullptr;
        return said && *said == json::value(true);
    });
    return is_wanted ? names_in(spec, object.meta.key.ns) : std::vector<model::Ref>{};
}

}  // namespace sluice::api::extended_stateful_set
