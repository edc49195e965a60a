#include <algorithm>
#include <unordered_map>

#include "runtime/packed_uid.hpp"
#include "runtime/table.hpp"

namespace sluice::runtime {
namespace {

model::ObjectKey key_of(const model::ObjectKey& owner, std::int32_t ordinal) {
    return {owner.ns, owner.name + "-" + std::to_string(ordinal)};
}

class PodTable final : public Table {
  public:
    explicit PodTable(InternPool& pool) : pool_(&pool) {}

    Affected put(const model::Object& object) override {
        const auto& pod = std::get<model::Pod>(object);
        const auto ordinal = model::ordinal_of(pod);
        const bool is_of_set = !pod.owner_uid.empty() && pod.owner_kind == model::statefulsets.kind;
        if (pod.meta.resource_version == 0 || !is_of_set || !ordinal) return {};
        const std::string& name = pod.meta.key.name;
        Group& group = groups_[pack_uid(pod.owner_uid)];
        if (group.rows.empty()) {
            group.ns = pool_->intern(pod.meta.key.ns);
            group.owner = pool_->intern(name.substr(0, name.rfind('-')));
        }
        const PackedUid uid = pack_uid(pod.meta.uid);
        auto found = std::ranges::find(group.rows, uid, &Row::uid);
        if (found == group.rows.end()) {
            group.rows.push_back({});
            found = std::prev(group.rows.end());
            found->uid = uid;
            ++size_;
        }
        found->listed = true;
        if (found->version >= pod.meta.resource_version) return {};
        found->version = pod.meta.resource_version;
        found->ready_since = pod.ready_since;
        found->revision = pool_->intern(pod.revision);
        found->ordinal = ordinal->value;
        found->running = pod.running;
        found->ready = pod.ready;
        found->never_ready = pod.never_ready;
        found->deleting = pod.meta.deleting;
        return {.objects = {pod.meta.key}, .owners = {group.key()}};
    }

    Affected remove(const model::Object& object) override {
        const auto& pod = std::get<model::Pod>(object);
        const auto group = groups_.find(pack_uid(pod.owner_uid));
        if (group == groups_.end()) return {};
        const model::ObjectKey owner = group->second.key();
        const PackedUid uid = pack_uid(pod.meta.uid);
        const auto gone =
            std::erase_if(group->second.rows, [&](const Row& one) { return one.uid == uid; });
        size_ -= gone;
        if (group->second.rows.empty()) groups_.erase(group);
        return gone ? Affected{.objects = {pod.meta.key}, .owners = {owner}} : Affected{};
    }

    void begin_list(const std::string& ns) override {
        for (auto& [uid, group] : groups_)
            if (group.is_in(ns))
                for (Row& row : group.rows)
                    row.listed = false;
    }

    Affected drop_unlisted(const std::string& ns, std::uint64_t version) override {
        Affected affected;
        for (auto one = groups_.begin(); one != groups_.end();) {
            Group& group = one->second;
            const std::size_t before = affected.objects.size();
            if (group.is_in(ns))
                std::erase_if(group.rows, [&](const Row& row) {
                    const bool goes = !row.listed && row.version <= version;
                    if (goes) affected.objects.push_back(key_of(group.key(), row.ordinal));
                    return goes;
                });
            size_ -= affected.objects.size() - before;
            if (affected.objects.size() > before) affected.owners.push_back(group.key());
            one = group.rows.empty() ? groups_.erase(one) : std::next(one);
        }
        return affected;
    }

    std::uint64_t version_of(const model::Object& object) const override {
        const auto& pod = std::get<model::Pod>(object);
        const auto group = groups_.find(pack_uid(pod.owner_uid));
        if (group == groups_.end()) return 0;
        const auto found = std::ranges::find(group->second.rows, pack_uid(pod.meta.uid), &Row::uid);
        return found == group->second.rows.end() ? 0 : found->version;
    }

    std::vector<model::Object> owned_by(const model::ObjectMeta& owner) const override {
        std::vector<model::Object> pods;
        const auto group = groups_.find(pack_uid(owner.uid));
        if (group == groups_.end()) return pods;
        for (const Row& row : group->second.rows) {
            model::Pod pod;
            pod.meta = {key_of(owner.key, row.ordinal), unpack_uid(row.uid), row.version, 0,
                        row.deleting};
            pod.owner_uid = owner.uid;
            pod.owner_kind = model::statefulsets.kind;
            pod.revision = row.revision.text();
            pod.running = row.running;
            pod.ready = row.ready;
            pod.never_ready = row.never_ready;
            pod.ready_since = row.ready_since;
            pods.emplace_back(std::move(pod));
        }
        return pods;
    }

    std::size_t size() const override { return size_; }

  private:
    struct Row {
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
    struct Group {  // of one owner
        Symbol ns;
        Symbol owner;
        std::vector<Row> rows;

        model::ObjectKey key() const { return {ns.text(), owner.text()}; }
        bool is_in(const std::string& some) const { return some.empty() || ns.text() == some; }
    };

    InternPool* pool_;
    std::unordered_map<PackedUid, Group, PackedUidHash> groups_;
    std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<Table> make_pod_table(InternPool& pool) {
    return std::make_unique<PodTable>(pool);
}

}  // namespace sluice::runtime
