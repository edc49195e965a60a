#include <unordered_map>

#include "base/assert.hpp"
#include "runtime/packed_uid.hpp"
#include "runtime/table.hpp"

namespace sluice::runtime {
namespace {

// Labels or annotations, of which many objects have the same keys.
class SharedKeys {
  public:
    SharedKeys(const model::Texts& texts, InternPool& pool) {
        all_.reserve(texts.size());
        for (const auto& [key, value] : texts)
            all_.emplace_back(pool.intern(key), value);
    }
    model::Texts unpacked() const {
        model::Texts texts;
        for (const auto& [key, value] : all_)
            texts.emplace_hint(texts.end(), key.text(), value);
        return texts;
    }

  private:
    std::vector<std::pair<Symbol, std::string>> all_;
};

// A row has ns, uid, version and listed, which the table keeps, and packs whatever else there is to
// an object.
struct StatefulSetRow {
    using Model = model::StatefulSet;
    void pack(const Model& set, InternPool& pool);
    Model unpack() const;
    // Who controls it; an empty name: nobody.
    std::pair<std::string, PackedUid> controller() const {
        return rare ? std::pair{rare->owner.text(), rare->owner_uid}
                    : std::pair<std::string, PackedUid>{};
    }

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
    bool annotates_pods = false;
    bool listed = false;
    struct Rare {
        SharedKeys labels;
        SharedKeys annotations;
        Symbol owner;
        Symbol owner_kind;
        PackedUid owner_uid;
    };
    std::unique_ptr<Rare> rare;  // only where there is any of it
};

void StatefulSetRow::pack(const model::StatefulSet& set, InternPool& pool) {
    current_revision = pool.intern(set.current_revision);
    update_revision = pool.intern(set.update_revision);
    partition_owner = pool.intern(set.partition_owner);
    generation = set.meta.generation;
    observed_generation = set.observed_generation;
    template_hash = set.template_hash;
    replicas = set.replicas.value;
    start = set.start.value;
    min_ready_s = static_cast<std::int32_t>(set.min_ready / 1s);
    partition = set.partition ? set.partition->value : -1;
    strategy = set.strategy;
    deleting = set.meta.deleting;
    has_annotations = set.has_annotations;
    limits_unavailable = set.limits_unavailable;
    annotates_pods = set.annotates_pods;
    rare.reset();
    if (!set.labels.empty() || !set.annotations.empty() || !set.owner_uid.empty())
        rare = std::make_unique<Rare>(SharedKeys{set.labels, pool},
                                      SharedKeys{set.annotations, pool}, pool.intern(set.owner),
                                      pool.intern(set.owner_kind), pack_uid(set.owner_uid));
}

model::StatefulSet StatefulSetRow::unpack() const {
    model::StatefulSet set;
    set.meta.generation = generation;
    set.meta.deleting = deleting;
    if (rare) {
        set.labels = rare->labels.unpacked();
        set.annotations = rare->annotations.unpacked();
        set.owner = rare->owner.text();
        set.owner_kind = rare->owner_kind.text();
        if (!set.owner.empty()) set.owner_uid = unpack_uid(rare->owner_uid);
    }
    set.has_annotations = has_annotations;
    set.limits_unavailable = limits_unavailable;
    set.annotates_pods = annotates_pods;
    set.template_hash = template_hash;
    set.replicas = PodCount{replicas};
    set.start = Ordinal{start};
    set.min_ready = std::chrono::seconds{min_ready_s};
    set.strategy = strategy;
    if (partition >= 0) set.partition = Partition{partition};
    set.observed_generation = observed_generation;
    set.partition_owner = partition_owner.text();
    set.current_revision = current_revision.text();
    set.update_revision = update_revision.text();
    return set;
}

struct ConfigMapRow {
    using Model = model::ConfigMap;
    void pack(const Model& map, InternPool&) { data = map.data; }
    Model unpack() const { return {{}, data}; }
    std::pair<std::string, PackedUid> controller() const { return {}; }

    Symbol ns;
    PackedUid uid;
    std::uint64_t version = 0;
    std::map<std::string, std::string> data;
    bool listed = false;
};

struct ContentRow {
    using Model = model::CustomObject;
    void pack(const Model& object, InternPool& pool) { owners = pool.intern(object.status); }
    Model unpack() const {
        Model object;
        object.status = owners.text();
        return object;
    }
    std::pair<std::string, PackedUid> controller() const { return {}; }

    Symbol ns;
    Symbol owners;  // of most nothing
    PackedUid uid;
    std::uint64_t version = 0;
    bool listed = false;
};

template <class Row>
class KeyedTable final : public Table {
  public:
    explicit KeyedTable(InternPool& pool) : pool_(&pool) {}

    Affected put(const model::Object& object) override {
        const model::ObjectMeta& meta = model::meta_of(object);
        if (meta.resource_version == 0) return {};  // no server sends that
        Row& row = rows_[to_text(meta.key)];
        row.listed = true;
        if (row.version >= meta.resource_version) return {};
        Affected affected{.objects = {meta.key}};
        disown(meta.key, row, affected);
        row.ns = pool_->intern(meta.key.ns);
        row.uid = pack_uid(meta.uid);
        row.version = meta.resource_version;
        row.pack(std::get<typename Row::Model>(object), *pool_);
        const auto [owner, uid] = row.controller();
        if (owner.empty()) return affected;
        owned_[uid].push_back(meta.key.name);
        affected.owners.push_back({meta.key.ns, owner});
        return affected;
    }

    Affected remove(const model::Object& object) override {
        const auto found = row_of(object);
        if (found == rows_.end()) return {};
        const model::ObjectKey& key = model::meta_of(object).key;
        Affected affected{.objects = {key}};
        disown(key, found->second, affected);
        rows_.erase(found);
        return affected;
    }

    void begin_list(const std::string& ns) override {
        for (auto& [text, row] : rows_)
            if (ns.empty() || row.ns.text() == ns) row.listed = false;
    }

    Affected drop_unlisted(const std::string& ns, std::uint64_t version) override {
        Affected gone;
        std::erase_if(rows_, [&](const auto& one) {
            const Row& row = one.second;
            const bool is_in = ns.empty() || row.ns.text() == ns;
            if (!is_in || row.listed || row.version > version) return false;
            gone.objects.push_back(key_of(one));
            disown(gone.objects.back(), row, gone);
            return true;
        });
        return gone;
    }

    std::uint64_t version_of(const model::Object& object) const override {
        const auto found = row_of(object);
        return found == rows_.end() ? 0 : found->second.version;
    }

    std::optional<model::Object> find(const model::ObjectKey& key) const override {
        const auto found = rows_.find(to_text(key));
        if (found == rows_.end()) return std::nullopt;
        auto object = found->second.unpack();
        object.meta.key = key;
        object.meta.uid = unpack_uid(found->second.uid);
        object.meta.resource_version = found->second.version;
        return object;
    }

    std::vector<model::Object> owned_by(const model::ObjectMeta& owner) const override {
        std::vector<model::Object> objects;
        const auto names = owned_.find(pack_uid(owner.uid));
        if (names == owned_.end()) return objects;
        for (const std::string& name : names->second)
            if (auto found = find({owner.key.ns, name})) objects.push_back(std::move(*found));
        return objects;
    }

    Affected all() const override {
        Affected rows;
        for (const auto& one : rows_)
            rows.objects.push_back(key_of(one));
        return rows;
    }

    std::size_t size() const override { return rows_.size(); }

  private:
    using Rows = std::unordered_map<std::string, Row>;  // by "namespace/name"

    static model::ObjectKey key_of(const typename Rows::value_type& one) {
        const std::string& ns = one.second.ns.text();
        return {ns, one.first.substr(ns.size() + 1)};
    }
    // That of this very object.
    typename Rows::const_iterator row_of(const model::Object& object) const {
        const model::ObjectMeta& meta = model::meta_of(object);
        const auto found = rows_.find(to_text(meta.key));
        const bool is_it = found != rows_.end() && found->second.uid == pack_uid(meta.uid);
        return is_it ? found : rows_.end();
    }

    // The object is gone, or about to be read anew.
    void disown(const model::ObjectKey& key, const Row& row, Affected& affected) {
        const auto [owner, uid] = row.controller();
        const auto names = owner.empty() ? owned_.end() : owned_.find(uid);
        if (names == owned_.end()) return;
        std::erase(names->second, key.name);
        if (names->second.empty()) owned_.erase(names);
        affected.owners.push_back({key.ns, owner});
    }

    InternPool* pool_;
    Rows rows_;
    // The names of those that somebody controls, in the namespace of the owner.
    std::unordered_map<PackedUid, std::vector<std::string>, PackedUidHash> owned_;
};

}  // namespace

std::unique_ptr<Table> make_keyed_table(model::Form form, InternPool& pool) {
    if (form == model::Form::StatefulSet) return std::make_unique<KeyedTable<StatefulSetRow>>(pool);
    if (form == model::Form::Content) return std::make_unique<KeyedTable<ContentRow>>(pool);
    SLUICE_ASSERT(form == model::Form::ConfigMap);
    return std::make_unique<KeyedTable<ConfigMapRow>>(pool);
}

}  // namespace sluice::runtime
