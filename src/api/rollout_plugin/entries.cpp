#include "api/rollout_plugin/entries.hpp"

#include <utility>

#include "api/inquiry/strict_yaml.hpp"
#include "api/inquiry/text.hpp"

namespace sluice::api::rollout_plugin {

namespace {

constexpr std::size_t list_max = 64;  // people declare three plugins with two arguments
constexpr std::size_t key_bytes_max = 64;

// Keeps the list.
class EntryListener final : public StrictListener {
  public:
    std::vector<Entry> entries;

  private:
    enum class Place { Outside, List, Key, Value, Texts };

    void open_list() override {
        switch (place_) {
            case Place::Outside: place_ = Place::List; return;
            case Place::List: fault("must be a mapping");
            case Place::Key: fault("a key must be a text");
            case Place::Value:
                value() = std::vector<std::string>{};
                place_ = Place::Texts;
                return;
            case Place::Texts: fault("must be a list of texts");
        }
    }
    void close_list() override {
        place_ = place_ == Place::Texts ? Place::Key : Place::Outside;
        key_.clear();
    }
    void open_map() override {
        switch (place_) {
            case Place::Outside: fault("must be a list");
            case Place::List:
                if (entries.size() >= list_max) fault("has more than 64 entries");
                entries.emplace_back();
                place_ = Place::Key;
                return;
            case Place::Key: fault("a key must be a text");
            case Place::Value: fault("must be a text or a list of texts");
            case Place::Texts: fault("must be a list of texts");
        }
    }
    void close_map() override { place_ = Place::List; }

    std::string place() const override {
        if (place_ == Place::Outside || entries.empty()) return {};
        std::string where = "[" + std::to_string(entries.size() - 1) + "]";
        if (!key_.empty()) where += "." + printable(key_, key_bytes_max);
        return where;
    }
    EntryValue& value() { return entries.back()[key_]; }

    void scalar(const std::string* text) override {
        switch (place_) {
            case Place::Outside:
                if (text) fault("must be a list");
                return;
            case Place::List: fault("must be a mapping");
            case Place::Key: return begin_field(text);
            case Place::Value:
                if (!text) fault("must not be empty");
                value() = *text;
                place_ = Place::Key;
                key_.clear();
                return;
            case Place::Texts: {
                auto& texts = std::get<std::vector<std::string>>(value());
                if (!text) fault("must be a list of texts");
                if (texts.size() >= list_max) fault("has more than 64 texts");
                texts.push_back(*text);
            }
        }
    }
    void begin_field(const std::string* key) {
        if (!key || key->empty()) fault("a key must be a text");
        if (entries.back().contains(*key)) {
            key_ = *key;
            fault("is given twice");
        }
        if (entries.back().size() >= list_max) fault("has more than 64 fields");
        key_ = *key;
        place_ = Place::Value;
    }

    Place place_ = Place::Outside;
    std::string key_;
};

}  // namespace

std::expected<std::vector<Entry>, FieldError> read_entries(const std::string& text) {
    EntryListener listener;
    const auto read = read_strictly(text, listener);
    if (!read) return std::unexpected(read.error());
    return std::move(listener.entries);
}

}  // namespace sluice::api::rollout_plugin
