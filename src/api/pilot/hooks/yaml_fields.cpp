#include "api/pilot/hooks/yaml_fields.hpp"

#include <optional>
#include <utility>

#include "api/inquiry/strict_yaml.hpp"
#include "api/inquiry/text.hpp"

namespace sluice::api::pilot {

namespace {

constexpr int depth_max = 8;
constexpr std::size_t fields_max = 64;  // four are known; the rest are only there to be named
constexpr std::size_t key_bytes_max = 64;

// Keeps the flat mapping.
class FieldListener final : public StrictListener {
  public:
    Fields fields;
    bool is_mapping = false;

  private:
    [[noreturn]] static void fault_in(const std::string& key, std::string what) {
        throw FieldError{printable(key, key_bytes_max), std::move(what)};
    }
    void open_list() override { open(false); }
    void close_list() override { --depth_; }
    void open_map() override { open(true); }
    void close_map() override { --depth_; }
    void open(bool mapping) {
        if (depth_ == 0) is_mapping = mapping;
        if (depth_ == 1 && key_) fault_in(*key_, "must be a text, not a list or a mapping");
        if (depth_ == 1 && is_mapping) fault("a key must be a text");
        if (++depth_ > depth_max) fault("is nested deeper than 8 levels");
    }
    void scalar(const std::string* value) override {
        if (depth_ != 1 || !is_mapping) return;
        if (!key_ && !value) fault("a key must be a text");
        if (!key_) return begin_field(*value);
        if (!value) fault_in(*key_, "must not be empty");
        fields.emplace(*key_, *value);
        key_.reset();
    }
    void begin_field(const std::string& key) {
        if (fields.contains(key)) fault_in(key, "is given twice");
        if (fields.size() >= fields_max) fault("has more than 64 fields");
        key_ = key;
    }

    int depth_ = 0;
    std::optional<std::string> key_;
};

}  // namespace

std::expected<Fields, FieldError> read_yaml_fields(const std::string& text) {
    FieldListener listener;
    const auto read = read_strictly(text, listener);
    if (!read) return std::unexpected(read.error());
    if (!listener.is_mapping)
        return std::unexpected(FieldError{"", "must be a mapping with the field url"});
    return std::move(listener.fields);
}

}  // namespace sluice::api::pilot
