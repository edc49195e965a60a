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

json::array array_at(const json::value& value, const char* pointer) {
    const json::value* found = model::value_at(value, pointer);
    return found && found->is_array() ? found->get_array() : json::array{};
}

// Its place in a list; nothing: it is not in it.
std::optional<std::size_t> place_of(const std::string& container, const json::array& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const json::value* name = model::value_at(all[i], "/name");
            name && *name == json::value(container))
            return i;
    return std::nullopt;
}

int restarts_of(const json::value& report) {
    const json::value* count = model::value_at(report, "/restartCount");
    return count && count->is_int64() ? static_cast<int>(count->get_int64()) : 0;
}

// Waiting for its first start, for an image perhaps that nobody has.
bool was_never_started(const json::value& report) {
    return model::value_at(report, "/state/waiting") && restarts_of(report) == 0 &&
           !model::value_at(report, "/lastState/terminated");
}

// What must still be so if a container is to start with the new image at once, which is no restart;
// nothing: it was started before.
std::optional<json::object> not_started(const json::value& status, const std::string& container) {
    const json::array reports = array_at(status, "/containerStatuses");
    const auto place = place_of(container, reports);
    if (!place) {
        const json::value* phase = model::value_at(status, "/phase");
        return operation("test", "/status/phase", phase ? *phase : json::value("Pending"));
    }
    if (!was_never_started(reports[*place])) return std::nullopt;
    return operation("test", fmt::format("/status/containerStatuses/{}/state", *place),
                     reports[*place].at("state"));
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

std::optional<engine::Action> in_place_update(const model::Pod& pod,
                                              const model::CustomObject& whole,
                                              const std::vector<ImageChange>& changes,
                                              const std::string& revision) {
    const json::array containers = array_at(model::parse_json(whole.spec), "/containers");
    const json::value status = model::parse_json(whole.status);
    json::array patch{operation("test", "/metadata/uid", json::string(pod.meta.uid))};
    const std::string label = "/metadata/labels/controller-revision-hash";
    patch.push_back(operation("test", label, json::string(pod.revision)));
    int restarts = 0;
    for (const json::value& report : array_at(status, "/containerStatuses"))
        restarts += restarts_of(report);
    for (const ImageChange& change : changes) {
        const auto place = place_of(change.container, containers);
        if (!place) return std::nullopt;
        const std::string path = fmt::format("/spec/containers/{}", *place);
        patch.push_back(operation("test", path + "/name", json::string(change.container)));
        if (auto first = not_started(status, change.container))
            patch.push_back(std::move(*first));
        else
            ++restarts;
        patch.push_back(operation("replace", path + "/image", json::string(change.image)));
    }
    patch.push_back(operation("replace", label, json::string(revision)));
    patch.push_back(operation("add", "/metadata/annotations/sluice.dev~1restarts",
                              json::string(std::to_string(restarts))));
    return engine::Action{.object = {ref_to(model::pods, pod.meta.key), pod.meta.uid},
                          .body = json::serialize(patch),
                          .lets_pods_go = true};
}

}  // namespace sluice::api::stateful_cluster
