#include "api/stateful_cluster/in_place.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "model/annotations.hpp"
#include "model/json_text.hpp"

namespace sluice::api::stateful_cluster {

const model::Resource whole_pods{"", "v1", "pods", "Pod"};

namespace {

namespace json = boost::json;

json::array* containers_in(json::value& pod, const char* pointer) {
    boost::system::error_code none;
    json::value* found = pod.find_pointer(pointer, none);
    return found ? found->if_array() : nullptr;
}

// The images of its containers by name, which are taken out of it.
std::vector<ImageChange> take_images(json::value& pod_template) {
    std::vector<ImageChange> images;
    json::array* containers = containers_in(pod_template, "/spec/containers");
    if (!containers) return images;
    for (json::value& one : *containers) {
        json::object* container = one.if_object();
        if (!container) continue;
        const json::value* name = container->if_contains("name");
        const json::value* image = container->if_contains("image");
        const bool is_known = name && name->is_string() && image && image->is_string();
        if (!is_known) continue;
        images.push_back({std::string{name->get_string()}, std::string{image->get_string()}});
        container->erase("image");
    }
    return images;
}

json::object operation(const char* op, std::string path, json::value value) {
    return {{"op", op}, {"path", std::move(path)}, {"value", std::move(value)}};
}

}  // namespace

std::optional<std::vector<ImageChange>> image_changes(const std::string& from,
                                                      const std::string& to) {
    json::value before = model::parse_json(from);
    json::value after = model::parse_json(to);
    const std::vector<ImageChange> old = take_images(before);
    const std::vector<ImageChange> wanted = take_images(after);
    if (before != after || old.size() != wanted.size()) return std::nullopt;
    std::vector<ImageChange> changes;
    for (std::size_t i = 0; i < old.size(); ++i)
        if (old[i].image != wanted[i].image) changes.push_back(wanted[i]);
    if (changes.empty()) return std::nullopt;
    return changes;
}

std::optional<engine::Action> in_place_update(const model::Pod& pod, const std::string& pod_spec,
                                              const std::vector<ImageChange>& changes,
                                              const std::string& revision) {
    const json::value spec = model::parse_json(pod_spec);
    const json::value* containers = model::value_at(spec, "/containers");
    if (!containers || !containers->is_array()) return std::nullopt;
    json::array patch{operation("test", "/metadata/uid", json::string(pod.meta.uid))};
    const std::string label = "/metadata/labels/controller-revision-hash";
    patch.push_back(operation("test", label, json::string(pod.revision)));
    for (const ImageChange& change : changes) {
        const json::array& all = containers->get_array();
        const auto found = std::ranges::find_if(all, [&](const json::value& one) {
            const json::value* name = model::value_at(one, "/name");
            return name && *name == json::value(change.container);
        });
        if (found == all.end()) return std::nullopt;
        const std::string path = fmt::format("/spec/containers/{}", found - all.begin());
        patch.push_back(operation("test", path + "/name", json::string(change.container)));
        patch.push_back(operation("replace", path + "/image", json::string(change.image)));
    }
    const auto restarts = pod.restarts + static_cast<int>(changes.size());
    patch.push_back(operation("replace", label, json::string(revision)));
    patch.push_back(operation("add", "/metadata/annotations/sluice.dev~1restarts",
                              json::string(std::to_string(restarts))));
    return engine::Action{.object = {ref_to(model::pods, pod.meta.key), pod.meta.uid},
                          .body = json::serialize(patch),
                          .lets_pods_go = true};
}

}  // namespace sluice::api::stateful_cluster
