#include <algorithm>
#include <map>

#include "runtime/packed_uid.hpp"
#include "runtime/table.hpp"

namespace sluice::runtime {
namespace {

class MemberTable final : public Table {
  public:
    MemberTable(InternPool& pool, std::string_view kind) : pool_(&pool), kind_(kind) {}

    Affected put(const model::Object& object) override {
        const auto& pod = std::get<model::Pod>(object);
        const model::ObjectMeta& meta = pod.meta;
        if (meta.resource_version == 0) return {};
        if (pod.owner_uid.empty() || pod.owner_kind != kind_) return let_go(pod);
        Row& row = rows_[meta.key];
        row.listed = true;
        if (row.version >= meta.resource_version) return {};
        Affected affected{.objects = {meta.key}, .owners = {}};
        const bool is_new = row.version == 0;
        if (!is_new && !(row.owner_uid == pack_uid(pod.owner_uid))) {
            affected.owners.push_back({meta.key.ns, row.owner.text()});
            forget(meta.key, row);
        }
        if (is_new || !(row.owner_uid == pack_uid(pod.owner_uid)))
            owned_[pack_uid(pod.owner_uid)].push_back(meta.key);
        row.pack(pod, *pool_);
        affected.owners.push_back({meta.key.ns, pod.owner});
        return affected;
    }

    Affected remove(const model::Object& object) override {
        const model::ObjectMeta& meta = model::meta_of(object);
        const auto found = rows_.find(meta.key);
        if (found == rows_.end() || !(found->second.uid == pack_uid(meta.uid))) return {};
        Affected affected;
        erase(found, affected);
        return affected;
    }

    void begin_list(const std::string& ns) override {
        for (auto& [key, row] : rows_)
            if (ns.empty() || key.ns == ns) row.listed = false;
    }

    Affected drop_unlisted(const std::string& ns, std::uint64_t version) override {
        Affected affected;
        auto one = rows_.lower_bound({ns, {}});
        while (one != rows_.end() && (ns.empty() || one->first.ns == ns)) {
            const bool stays = one->second.listed || one->second.version > version;
            one = stays ? std::next(one) : erase(one, affected);
        }
        return affected;
    }

    std::uint64_t version_of(const model::Object& object) const override {
        const model::ObjectMeta& meta = model::meta_of(object);
        const auto found = rows_.find(meta.key);
        const bool is_it = found != rows_.end() && found->second.uid == pack_uid(meta.uid);
        return is_it ? found->second.version : 0;
    }

    std::optional<model::Object> find(const model::ObjectKey& key) const override {
        const auto found = rows_.find(key);
        if (found == rows_.end()) return std::nullopt;
        return found->second.unpack(key);
    }

    std::vector<model::Object> owned_by(const model::ObjectMeta& owner) const override {
        std::vector<model::Object> pods;
        const auto keys = owned_.find(pack_uid(owner.uid));
        if (keys == owned_.end()) return pods;
        for (const model::ObjectKey& key : keys->second)
            pods.emplace_back(rows_.find(key)->second.unpack(key));
        return pods;
    }

    std::size_t size() const override { return rows_.size(); }

  private:
    struct Row {
        void pack(const model::Pod& pod, InternPool& pool);
        model::Pod unpack(const model::ObjectKey& key) const;

        PackedUid uid;
        PackedUid owner_uid;
        Symbol owner;
        Symbol owner_kind;
        Symbol revision;
        Symbol claims;
        Symbol node;
        Symbol zone;
        std::uint64_t version = 0;
        Instant created;
        Instant ready_since;
        std::int32_t restarts = 0;
        bool running = false;
        bool ended = false;
        bool ready = false;
        bool never_ready = false;
        bool goes_first = false;
        bool deleting = false;
        bool listed = false;
    };
    using Rows = std::map<model::ObjectKey, Row>;

    // None of them owns it, or none any more.
    Affected let_go(const model::Pod& pod) {
        Affected affected;
        const auto found = rows_.find(pod.meta.key);
        if (found != rows_.end() && found->second.version < pod.meta.resource_version)
            erase(found, affected);
        return affected;
    }
    void forget(const model::ObjectKey& key, const Row& row) {
        const auto keys = owned_.find(row.owner_uid);
        std::erase(keys->second, key);
        if (keys->second.empty()) owned_.erase(keys);
    }
    Rows::iterator erase(Rows::iterator one, Affected& affected) {
        affected.objects.push_back(one->first);
        affected.owners.push_back({one->first.ns, one->second.owner.text()});
        forget(one->first, one->second);
        return rows_.erase(one);
    }

    InternPool* pool_;
    std::string_view kind_;
    Rows rows_;
    std::unordered_map<PackedUid, std::vector<model::ObjectKey>, PackedUidHash> owned_;
};

void MemberTable::Row::pack(const model::Pod& pod, InternPool& pool) {
    uid = pack_uid(pod.meta.uid);
    owner_uid = pack_uid(pod.owner_uid);
    owner = pool.intern(pod.owner);
    owner_kind = pool.intern(pod.owner_kind);
    revision = pool.intern(pod.revision);
    claims = pool.intern(pod.claims);
    node = pool.intern(pod.node);
    zone = pool.intern(pod.zone);
    version = pod.meta.resource_version;
    created = pod.created;
    ready_since = pod.ready_since;
    restarts = pod.restarts;
    running = pod.running;
    ended = pod.ended;
    ready = pod.ready;
    never_ready = pod.never_ready;
    goes_first = pod.goes_first;
    deleting = pod.meta.deleting;
}

model::Pod MemberTable::Row::unpack(const model::ObjectKey& key) const {
    return {.meta = {key, unpack_uid(uid), version, 0, deleting},
            .owner = owner.text(),
            .owner_uid = unpack_uid(owner_uid),
            .owner_kind = owner_kind.text(),
            .revision = revision.text(),
            .claims = claims.text(),
            .node = node.text(),
            .zone = zone.text(),
            .created = created,
            .running = running,
            .ended = ended,
            .ready = ready,
            .ready_since = ready_since,
            .never_ready = never_ready,
            .goes_first = goes_first,
            .restarts = restarts};
}

}  // namespace

std::unique_ptr<Table> make_member_table(InternPool& pool, std::string_view kind) {
    return std::make_unique<MemberTable>(pool, kind);
}

}  // namespace sluice::runtime
