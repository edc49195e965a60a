#include "runtime/store.hpp"

#include <algorithm>
#include <charconv>

#include "base/assert.hpp"

namespace sluice::runtime {
namespace {

// "123e4567-e89b-12d3-a456-426614174000" in two words; any other text by FNV-1a, twice.
PackedUid pack_uid(const std::string& text) {
    PackedUid uid;
    std::size_t digits = 0;
    for (const char c : text) {
        if (c == '-') continue;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0 || digits == 32) {
            digits = 0;
            break;
        }
        uid.words[digits / 16] = uid.words[digits / 16] << 4 | static_cast<std::uint64_t>(digit);
        ++digits;
    }
    if (digits == 32 && text.size() == 36) return uid;
    uid.words = {0xcbf29ce484222325, 0x84222325cbf29ce4};
    for (const char c : text)
        for (auto& word : uid.words)
            word = (word ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return uid;
}

std::string unpack_uid(const PackedUid& uid) {
    constexpr char hex[] = "0123456789abcdef";
    std::string text;
    text.reserve(36);
    for (std::size_t digit = 0; digit < 32; ++digit) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text += '-';
        text += hex[uid.words[digit / 16] >> (60 - digit % 16 * 4) & 0xF];
    }
    return text;
}

std::string set_key(const model::ObjectKey& key) {
    return key.ns + "/" + key.name;
}

}  // namespace

struct Store::PackedSet {
    Symbol ns;
    Symbol current_revision;
    Symbol update_revision;
    Symbol partition_owner;
    PackedUid uid;
    std::uint64_t version = 0;
    std::int64_t generation = 0;
    std::int64_t observed_generation = 0;
    std::uint64_t template_hash = 0;
    std::int32_t replicas = 0;
    std::int32_t start = 0;
    std::int32_t min_ready_s = 0;
    std::int32_t partition = -1;  // -1: there is no rollingUpdate block
    model::UpdateStrategy strategy{};
    bool deleting = false;
    bool has_annotations = false;
    bool limits_unavailable = false;
    bool listed = false;
    std::unique_ptr<std::pair<model::Texts, model::Texts>> texts;  // only where there are any
};

struct Store::PackedPod {
    PackedUid uid;
    std::uint64_t version = 0;
    Instant ready_since;
    Symbol revision;
    std::int32_t ordinal = 0;
    bool running = false;
    bool ready = false;
    bool never_ready = false;
    bool deleting = false;
    bool listed = false;
};

// The pods of one owner. Their names are the owner's and a number.
struct Store::PodGroup {
    Symbol ns;
    Symbol owner_name;
    std::vector<PackedPod> pods;
};

struct Store::Tables {
    InternPool pool;
    std::unordered_map<std::string, PackedSet> sets;                // by "namespace/name"
    std::unordered_map<PackedUid, PodGroup, PackedUidHash> groups;  // by owner
    std::size_t pods = 0;

    static bool in_scope(const Symbol& owner_ns, const std::string& ns) {
        return ns.empty() || owner_ns.text() == ns;
    }
};

Store::Store() : tables_(std::make_unique<Tables>()) {}
Store::~Store() = default;

Touched Store::put(const model::StatefulSet& set) {
    if (set.meta.resource_version == 0) return {};  // no server sends that
    InternPool& pool = tables_->pool;
    PackedSet& packed = tables_->sets[set_key(set.meta.key)];
    packed.listed = true;
    if (packed.version >= set.meta.resource_version) return {};
    packed.ns = pool.intern(set.meta.key.ns);
    packed.current_revision = pool.intern(set.current_revision);
    packed.update_revision = pool.intern(set.update_revision);
    packed.partition_owner = pool.intern(set.partition_owner);
    packed.uid = pack_uid(set.meta.uid);
    packed.version = set.meta.resource_version;
    packed.generation = set.meta.generation;
    packed.observed_generation = set.observed_generation;
    packed.template_hash = set.template_hash;
    packed.replicas = set.replicas.value;
    packed.start = set.start.value;
    packed.min_ready_s = static_cast<std::int32_t>(set.min_ready / 1s);
    packed.partition = set.partition ? set.partition->value : -1;
    packed.strategy = set.strategy;
    packed.deleting = set.meta.deleting;
    packed.has_annotations = set.has_annotations;
    packed.limits_unavailable = set.limits_unavailable;
    packed.texts.reset();
    if (!set.labels.empty() || !set.annotations.empty())
        packed.texts =
            std::make_unique<std::pair<model::Texts, model::Texts>>(set.labels, set.annotations);
    return {ref_to(model::statefulsets, set.meta.key)};
}

Touched Store::put(const model::Pod& pod) {
    const auto ordinal = model::ordinal_of(pod);
    if (pod.meta.resource_version == 0 || pod.owner_uid.empty() || !ordinal) return {};
    const std::string& name = pod.meta.key.name;
    PodGroup& group = tables_->groups[pack_uid(pod.owner_uid)];
    if (group.pods.empty()) {
        group.ns = tables_->pool.intern(pod.meta.key.ns);
        group.owner_name = tables_->pool.intern(name.substr(0, name.rfind('-')));
    }
    const PackedUid uid = pack_uid(pod.meta.uid);
    auto found = std::ranges::find(group.pods, uid, &PackedPod::uid);
    if (found == group.pods.end()) {
        group.pods.push_back({});
        found = std::prev(group.pods.end());
        found->uid = uid;
        ++tables_->pods;
    }
    found->listed = true;
    if (found->version >= pod.meta.resource_version) return {};
    found->version = pod.meta.resource_version;
    found->ready_since = pod.ready_since;
    found->revision = tables_->pool.intern(pod.revision);
    found->ordinal = ordinal->value;
    found->running = pod.running;
    found->ready = pod.ready;
    found->never_ready = pod.never_ready;
    found->deleting = pod.meta.deleting;
    return {{&model::statefulsets, pod.meta.key.ns, group.owner_name.text()}};
}

Touched Store::remove(const model::StatefulSet& set) {
    const auto found = tables_->sets.find(set_key(set.meta.key));
    if (found == tables_->sets.end() || found->second.uid != pack_uid(set.meta.uid)) return {};
    tables_->sets.erase(found);
    return {ref_to(model::statefulsets, set.meta.key)};
}

Touched Store::remove(const model::Pod& pod) {
    const auto group = tables_->groups.find(pack_uid(pod.owner_uid));
    if (group == tables_->groups.end()) return {};
    const model::Ref owner{&model::statefulsets, pod.meta.key.ns, group->second.owner_name.text()};
    const PackedUid uid = pack_uid(pod.meta.uid);
    const auto gone =
        std::erase_if(group->second.pods, [&](const PackedPod& one) { return one.uid == uid; });
    tables_->pods -= gone;
    if (group->second.pods.empty()) tables_->groups.erase(group);
    return gone ? Touched{owner} : Touched{};
}

void Store::begin_list_of_sets(const std::string& ns) {
    for (auto& [key, set] : tables_->sets)
        if (Tables::in_scope(set.ns, ns)) set.listed = false;
}

void Store::begin_list_of_pods(const std::string& ns) {
    for (auto& [owner, group] : tables_->groups)
        if (Tables::in_scope(group.ns, ns))
            for (PackedPod& pod : group.pods)
                pod.listed = false;
}

Touched Store::drop_unlisted_sets(const std::string& ns, std::uint64_t version) {
    Touched touched;
    std::erase_if(tables_->sets, [&](const auto& one) {
        const PackedSet& set = one.second;
        if (!Tables::in_scope(set.ns, ns) || set.listed || set.version > version) return false;
        touched.push_back(
            {&model::statefulsets, set.ns.text(), one.first.substr(set.ns.text().size() + 1)});
        return true;
    });
    return touched;
}

Touched Store::drop_unlisted_pods(const std::string& ns, std::uint64_t version) {
    Touched touched;
    for (auto group = tables_->groups.begin(); group != tables_->groups.end();) {
        PodGroup& one = group->second;
        const auto gone =
            !Tables::in_scope(one.ns, ns) ? 0 : std::erase_if(one.pods, [&](const PackedPod& pod) {
                return !pod.listed && pod.version <= version;
            });
        tables_->pods -= gone;
        if (gone) touched.push_back({&model::statefulsets, one.ns.text(), one.owner_name.text()});
        group = one.pods.empty() ? tables_->groups.erase(group) : std::next(group);
    }
    return touched;
}

std::uint64_t Store::version_of(const model::StatefulSet& set) const {
    const auto found = tables_->sets.find(set_key(set.meta.key));
    const bool is_known =
        found != tables_->sets.end() && found->second.uid == pack_uid(set.meta.uid);
    return is_known ? found->second.version : 0;
}

std::uint64_t Store::version_of(const model::Pod& pod) const {
    const auto group = tables_->groups.find(pack_uid(pod.owner_uid));
    if (group == tables_->groups.end()) return 0;
    const auto found =
        std::ranges::find(group->second.pods, pack_uid(pod.meta.uid), &PackedPod::uid);
    return found == group->second.pods.end() ? 0 : found->version;
}

std::optional<model::StatefulSet> Store::statefulset(const model::ObjectKey& key) const {
    const auto found = tables_->sets.find(set_key(key));
    if (found == tables_->sets.end()) return std::nullopt;
    const PackedSet& packed = found->second;
    model::StatefulSet set;
    set.meta = {key, unpack_uid(packed.uid), packed.version, packed.generation, packed.deleting};
    if (packed.texts) std::tie(set.labels, set.annotations) = *packed.texts;
    set.has_annotations = packed.has_annotations;
    set.limits_unavailable = packed.limits_unavailable;
    set.template_hash = packed.template_hash;
    set.replicas = PodCount{packed.replicas};
    set.start = Ordinal{packed.start};
    set.min_ready = std::chrono::seconds{packed.min_ready_s};
    set.strategy = packed.strategy;
    if (packed.partition >= 0) set.partition = Partition{packed.partition};
    set.observed_generation = packed.observed_generation;
    set.partition_owner = packed.partition_owner.text();
    set.current_revision = packed.current_revision.text();
    set.update_revision = packed.update_revision.text();
    return set;
}

std::vector<model::Pod> Store::pods_of(const model::StatefulSet& set) const {
    std::vector<model::Pod> pods;
    const auto group = tables_->groups.find(pack_uid(set.meta.uid));
    if (group == tables_->groups.end()) return pods;
    for (const PackedPod& packed : group->second.pods) {
        model::Pod pod;
        pod.meta = {{set.meta.key.ns, set.meta.key.name + "-" + std::to_string(packed.ordinal)},
                    unpack_uid(packed.uid),
                    packed.version,
                    0,
                    packed.deleting};
        pod.owner_uid = set.meta.uid;
        pod.revision = packed.revision.text();
        pod.running = packed.running;
        pod.ready = packed.ready;
        pod.never_ready = packed.never_ready;
        pod.ready_since = packed.ready_since;
        pods.push_back(std::move(pod));
    }
    return pods;
}

Touched Store::sets() const {
    Touched refs;
    for (const auto& [text, set] : tables_->sets)
        refs.push_back(
            {&model::statefulsets, set.ns.text(), text.substr(set.ns.text().size() + 1)});
    return refs;
}

std::size_t Store::set_count() const {
    return tables_->sets.size();
}

std::size_t Store::pod_count() const {
    return tables_->pods;
}

}  // namespace sluice::runtime
