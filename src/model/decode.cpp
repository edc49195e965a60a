#include "model/decode.hpp"

#include <fmt/format.h>

#include <map>
#include <span>

#include "base/hash.hpp"
#include "base/keyed_hash.hpp"
#include "base/text.hpp"
#include "model/annotations.hpp"
#include "model/json_fields.hpp"

namespace sluice::model {
namespace {

using namespace simdjson;
using namespace wire;

// Lists of more items than this come from no API server that was asked for pages.
constexpr std::size_t items_max = 100'000;
constexpr std::size_t message_max = 256;
constexpr std::size_t owners_max = 4u << 10;

UpdateStrategy strategy_of(std::string_view name) {
    if (name == "RollingUpdate") return UpdateStrategy::RollingUpdate;
    if (name == "OnDelete") return UpdateStrategy::OnDelete;
    return UpdateStrategy::Unknown;
}

void read_update_strategy(Value value, StatefulSet& set) {
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "type") set.strategy = strategy_of(field.get_string());
        if (key != "rollingUpdate" || is_null(field)) return;
        set.partition = Partition{0};
        each_field(field, [&](std::string_view inner, Value number) {
            if (inner == "partition") set.partition = Partition{int32_of(number)};
            if (inner == "maxUnavailable") set.limits_unavailable = true;
        });
    });
}

void read_template(Value value, StatefulSet& set) {
    ondemand::object pods = value.get_object();
    set.template_hash = fnv1a(pods.raw_json());
    pods.reset();
    for (auto field : pods) {
        if (field.unescaped_key().value() != "metadata") continue;
        each_field(field.value().value(), [&](std::string_view key, Value inner) {
            if (key == "annotations") set.annotates_pods = !is_null(inner);
        });
    }
}

void read_spec(Value value, StatefulSet& set) {
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "replicas")
            set.replicas = PodCount{int32_of(field)};
        else if (key == "minReadySeconds")
            set.min_ready = std::chrono::seconds{int32_of(field)};
        else if (key == "updateStrategy")
            read_update_strategy(field, set);
        else if (key == "template")
            read_template(field, set);
        else if (key == "ordinals")
            each_field(field, [&](std::string_view inner, Value number) {
                if (inner == "start") set.start = Ordinal{int32_of(number)};
            });
    });
}

void read_status(Value value, StatefulSet& set) {
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "observedGeneration")
            set.observed_generation = field.get_int64();
        else if (key == "currentRevision")
            set.current_revision = text_of(field);
        else if (key == "updateRevision")
            set.update_revision = text_of(field);
    });
}

bool has_path(Value value, std::span<const std::string_view> path) {
    bool found = path.empty();
    if (found) return true;
    each_field(value, [&](std::string_view key, Value field) {
        if (key == path.front()) found = has_path(field, path.subspan(1));
    });
    return found;
}

// Of several owners one that applies: it will say the same again.
void read_managers(Value entries, StatefulSet& set) {
    constexpr std::string_view path[] = {"f:spec", "f:updateStrategy", "f:rollingUpdate",
                                         "f:partition"};
    if (is_null(entries)) return;
    for (auto entry : entries.get_array()) {
        std::string manager;
        bool applies = false;
        bool owns = false;
        each_field(entry.value(), [&](std::string_view key, Value field) {
            if (key == "manager") manager = text_of(field);
            if (key == "operation") applies = field.get_string().value() == "Apply";
            if (key == "fieldsV1") owns = has_path(field, path);
        });
        const bool is_better = applies || set.partition_owner.empty();
        if (owns && is_better && manager != field_manager) set.partition_owner = manager;
    }
}

Object read_statefulset(Value value, const Kept& kept) {
    StatefulSet set;
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "metadata")
            read_meta(field, set.meta, [&](std::string_view name, Value texts) {
                if (name == "labels") read_kept(texts, set.labels, kept.labels);
                if (name == "managedFields") read_managers(texts, set);
                if (name == "ownerReferences") read_owner(texts, set);
                if (name != "annotations") return;
                set.has_annotations = !is_null(texts);
                read_kept(texts, set.annotations, kept.annotations);
            });
        else if (key == "spec")
            read_spec(field, set);
        else if (key == "status")
            read_status(field, set);
    });
    if (annotation(set, key::claim).empty()) set.partition_owner.clear();
    return set;
}

void read_label(std::string_view label, Value text, Pod& pod) {
    if (label == "controller-revision-hash") pod.revision = text_of(text);
    if (label == "topology.kubernetes.io/zone") pod.zone = text_of(text);
    if (label == "sluice.dev/claims-of") pod.claims = text_of(text);
}

// How often its containers were started again, all of them together.
int restarts_in(Value containers) {
    int restarts = 0;
    if (is_null(containers)) return restarts;
    for (auto container : containers.get_array())
        each_field(container.value(), [&](std::string_view key, Value field) {
            if (key == "restartCount") restarts += int32_of(field);
        });
    return restarts;
}

void read_phase(std::string_view phase, Pod& pod) {
    pod.running = phase == "Running";
    pod.ended = phase == "Succeeded" || phase == "Failed";
}

// Whether there is a word about its readiness.
bool read_conditions(Value conditions, Pod& pod) {
    bool is_told = false;
    if (is_null(conditions)) return is_told;
    for (auto condition : conditions.get_array()) {
        std::string type, status;
        Instant since;
        each_field(condition.value(), [&](std::string_view key, Value field) {
            if (key == "type")
                type = text_of(field);
            else if (key == "status")
                status = text_of(field);
            else if (key == "lastTransitionTime" && !is_null(field))
                since = time_of(field);
        });
        if (type != "Ready") continue;
        pod.ready = status == "True";
        pod.ready_since = since;
        is_told = true;
    }
    return is_told;
}

// A pod that never was ready has not turned since the kubelet took it up; both times are the
// kubelet's own, in whole seconds. Of one that no kubelet has taken up there is no word at all.
bool was_never_ready(const Pod& pod, bool is_told, Instant started) {
    if (!is_told) return true;
    const bool is_known = started > Instant{} && pod.ready_since > Instant{};
    return !pod.ready && is_known && pod.ready_since <= started + 1s;
}

Object read_pod(Value value, const Kept&) {
    Pod pod;
    Instant started;
    bool is_told = false;
    int restarts_awaited = 0;
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "metadata")
            read_meta(field, pod.meta, [&](std::string_view name, Value inner) {
                if (name == "ownerReferences") read_owner(inner, pod);
                if (name == "creationTimestamp" && !is_null(inner)) pod.created = time_of(inner);
                if (name == "labels")
                    each_field(inner, [&](std::string_view label, Value text) {
                        read_label(label, text, pod);
                    });
                if (name == "annotations")
                    each_field(inner, [&](std::string_view annotation, Value text) {
                        if (annotation == key::goes_first)
                            pod.goes_first = text.get_string().value() == "true";
                        if (annotation == key::restarts)
                            restarts_awaited =
                                whole_number<int>(text.get_string().value()).value_or(0);
                    });
            });
        else if (key == "spec")
            each_field(field, [&](std::string_view name, Value inner) {
                if (name == "nodeName") pod.node = text_of(inner);
            });
        else if (key == "status")
            each_field(field, [&](std::string_view name, Value inner) {
                if (name == "conditions") is_told = read_conditions(inner, pod);
                if (name == "phase") read_phase(inner.get_string(), pod);
                if (name == "startTime" && !is_null(inner)) started = time_of(inner);
                if (name == "containerStatuses") pod.restarts = restarts_in(inner);
            });
    });
    pod.never_ready = was_never_ready(pod, is_told, started);
    if (!is_told) pod.ready_since = pod.created;
    if (pod.restarts < restarts_awaited) pod.ready = false;
    return pod;
}

Object read_config_map(Value value, const Kept&) {
    ConfigMap map;
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "metadata")
            read_meta(field, map.meta, [](std::string_view, Value) {});
        else if (key == "data")
            read_texts(field, map.data);
    });
    return map;
}

// No byte of it is kept. Servers write keys in an order of their own.
std::string checksum_of(Value entries) {
    static constexpr HashKey no_key{};
    std::map<std::string, std::string> sums;
    each_field(entries, [&](std::string_view key, Value field) {
        std::string name{key};
        sums[std::move(name)] = sluice::to_text(keyed_hash(no_key, field.get_string().value()));
    });
    std::string all;
    for (const auto& [key, sum] : sums)
        all += fmt::format("{}:{}={};", key.size(), key, sum);
    return sluice::to_text(keyed_hash(no_key, all));
}

std::string owners_in(Value value) {
    if (is_null(value)) return {};
    const std::string_view text = value.get_array().value().raw_json();
    return text.size() > owners_max ? "?" : std::string{text.substr(0, text.rfind(']') + 1)};
}

Object read_content(Value value, const Kept&) {
    CustomObject object;
    std::map<std::string, std::string> sums;
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "metadata")
            read_meta(field, object.meta, [&](std::string_view name, Value inner) {
                if (name == "ownerReferences") object.status = owners_in(inner);
            });
        const bool is_content = key == "data" || key == "binaryData";
        if (is_content && !is_null(field)) sums[std::string{key}] = checksum_of(field);
    });
    for (const auto& [key, sum] : sums)
        object.spec += fmt::format("{}={};", key, sum);
    return object;
}

using Read = Object (*)(Value, const Kept&);
// In the order of Form.
constexpr Read readers[] = {read_statefulset, read_pod, read_config_map, read_content};

Object read_named(const Resource& resource, const Kept& kept, Value value) {
    Object object = resource.form == Form::Custom
                        ? read_custom_object(value, kept, resource.content)
                        : readers[static_cast<std::size_t>(resource.form)](value, kept);
    const ObjectMeta& meta = meta_of(object);
    if (meta.key.name.empty() || meta.uid.empty()) throw simdjson_error(NO_SUCH_FIELD);
    return object;
}

Bookmark read_bookmark(Value value) {
    Bookmark bookmark;
    each_field(value, [&](std::string_view key, Value field) {
        if (key != "metadata") return;
        each_field(field, [&](std::string_view name, Value inner) {
            if (name == "resourceVersion") bookmark.resource_version = text_of(inner);
            if (name == "annotations")
                each_field(inner, [&](std::string_view annotation, Value text) {
                    if (annotation == "k8s.io/initial-events-end")
                        bookmark.initial_events_end = text.get_string().value() == "true";
                });
        });
    });
    return bookmark;
}

WatchFailed read_failure(Value value) {
    WatchFailed failed;
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "code") failed.code = int32_of(field);
        if (key == "message") failed.message = text_of(field).substr(0, message_max);
    });
    return failed;
}

WatchEvent read_event(const Resource& resource, const Kept& kept, std::string_view type,
                      Value value) {
    if (type == "BOOKMARK") return read_bookmark(value);
    if (type == "ERROR") return read_failure(value);
    if (type == "DELETED") return Deleted{read_named(resource, kept, value)};
    if (type == "ADDED" || type == "MODIFIED") return Changed{read_named(resource, kept, value)};
    throw simdjson_error(INCORRECT_TYPE);
}

void read_key(std::string_view name, Value field, ObjectKey& key) {
    if (name != "metadata") return;
    each_field(field, [&](std::string_view inner, Value text) {
        if (inner == "name") key.name = text_of(text);
        if (inner == "namespace") key.ns = text_of(text);
    });
}

// The key of an object of which all else may be beyond reading, or of the event about it. An API
// server writes the metadata first, so what comes after it does not matter.
ObjectKey key_in(std::string text) {
    ObjectKey key;
    try {
        ondemand::parser parser;
        ondemand::document document = document_of(parser, text);
        each_field(document.get_value(), [&](std::string_view name, Value field) {
            read_key(name, field, key);
            if (name != "object") return;  // of an event
            each_field(field,
                       [&](std::string_view inner, Value part) { read_key(inner, part, key); });
        });
    } catch (const simdjson_error&) {
        if (key.name.empty()) return {};
    }
    return key;
}

// Apart from the list, so that what is wrong with it ends with it.
void read_custom_item(const Resource& resource, Value value, const Kept& kept, ListPage& page) {
    std::string text{to_json_string(value).value()};
    Result<CustomObject> object = decode_custom_object(text, kept, resource.content);
    if (object)
        page.items.emplace_back(std::move(*object));
    else
        page.left_out.push_back({key_in(std::move(text)), std::move(object.error().message)});
}

ListPage read_list(const Resource& resource, const Kept& kept, ondemand::object list) {
    ListPage page;
    for (auto field : list) {
        const std::string_view key = field.unescaped_key();
        Value value = field.value();
        if (key == "metadata")
            each_field(value, [&](std::string_view name, Value text) {
                if (name == "resourceVersion") page.resource_version = text_of(text);
                if (name == "continue") page.next = text_of(text);
            });
        if (key != "items" || is_null(value)) continue;
        for (auto item : value.get_array()) {
            if (page.items.size() + page.left_out.size() == items_max)
                throw simdjson_error(CAPACITY);
            if (resource.form == Form::Custom)
                read_custom_item(resource, item.value(), kept, page);
            else
                page.items.push_back(read_named(resource, kept, item.value()));
        }
    }
    return page;
}

}  // namespace

const ObjectMeta& meta_of(const Object& object) {
    return std::visit([](const auto& some) -> const ObjectMeta& { return some.meta; }, object);
}

struct Decoder::State {
    Kept kept;
    ondemand::parser parser{};

    Result<WatchEvent> event(const Resource& resource, std::string& text);
};

Decoder::Decoder(Kept kept) : state_(std::make_unique<State>(std::move(kept))) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Result<Object> Decoder::object(const Resource& resource, std::string text) {
    return parse(state_->parser, text, [&](ondemand::document document) {
        return read_named(resource, state_->kept, document.get_value());
    });
}

Result<ListPage> Decoder::list(const Resource& resource, std::string text) {
    return parse(state_->parser, text, [&](ondemand::document document) {
        return read_list(resource, state_->kept, document.get_object());
    });
}

Result<WatchEvent> Decoder::watch_event(const Resource& resource, std::string text) {
    return state_->event(resource, text);
}

WatchEvent Decoder::watch_event_or_key(const Resource& resource, std::string text) {
    auto read = state_->event(resource, text);
    if (read) return std::move(*read);
    return LeftOut{key_in(std::move(text)), std::move(read.error().message)};
}

Result<WatchEvent> Decoder::State::event(const Resource& resource, std::string& text) {
    return parse(parser, text, [&](ondemand::document document) {
        std::string type;
        std::optional<WatchEvent> event;
        for (auto field : document.get_object()) {
            const std::string_view key = field.unescaped_key();
            Value value = field.value();
            if (key == "type") type = text_of(value);
            // The server writes the type first; an object without one cannot be read.
            if (key == "object") event = read_event(resource, kept, type, value);
        }
        if (!event) throw simdjson_error(NO_SUCH_FIELD);
        return std::move(*event);
    });
}

}  // namespace sluice::model
