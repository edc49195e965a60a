#include "api/pilot/hooks/yaml_fields.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <optional>
#include <sstream>
#include <utility>

#include "api/inquiry/text.hpp"

namespace sluice::api::pilot {

namespace {

constexpr std::size_t document_bytes_max = 64u << 10;
constexpr int depth_max = 8;
constexpr std::size_t fields_max = 64;  // four are known; the rest are only there to be named
constexpr std::size_t key_bytes_max = 64;

// Listens to the parser and keeps the flat mapping. Unlike a tree of nodes it sees repeated keys
// and aliases. The first thing that is wrong is thrown, so that nothing after it is parsed.
class FieldListener : public YAML::EventHandler {
  public:
    void OnDocumentStart(const YAML::Mark&) override {
        if (std::exchange(in_document_, true)) fault("holds more than one YAML document");
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark&, YAML::anchor_t) override { scalar(nullptr); }
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override { fault("aliases are not allowed"); }
    void OnAnchor(const YAML::Mark&, const std::string&) override {
        fault("anchors are not allowed");
    }
    void OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                  const std::string& value) override {
        refuse_tag(tag);
        scalar(&value);
    }
    void OnSequenceStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        refuse_tag(tag);
        open(false);
    }
    void OnSequenceEnd() override { --depth_; }
    void OnMapStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        refuse_tag(tag);
        open(true);
    }
    void OnMapEnd() override { --depth_; }

    Fields fields;
    bool is_mapping = false;

  private:
    [[noreturn]] static void fault(std::string what) { throw FieldError{"", std::move(what)}; }
    [[noreturn]] static void fault(const std::string& key, std::string what) {
        throw FieldError{printable(key, key_bytes_max), std::move(what)};
    }
    // "?" and "!" are what the parser calls a plain and a quoted text.
    static void refuse_tag(const std::string& tag) {
        const bool plain = tag.empty() || tag == "?" || tag == "!";
        if (!plain && tag != "tag:yaml.org,2002:str") fault("tags are not allowed");
    }
    void open(bool mapping) {
        if (depth_ == 0) is_mapping = mapping;
        if (depth_ == 1 && key_) fault(*key_, "must be a text, not a list or a mapping");
        if (depth_ == 1 && is_mapping) fault("a key must be a text");
        if (++depth_ > depth_max) fault("is nested deeper than 8 levels");
    }
    // Null is the YAML value null.
    void scalar(const std::string* value) {
        if (depth_ != 1 || !is_mapping) return;
        if (!key_ && !value) fault("a key must be a text");
        if (!key_) return begin_field(*value);
        if (!value) fault(*key_, "must not be empty");
        fields.emplace(*key_, *value);
        key_.reset();
    }
    void begin_field(const std::string& key) {
        if (fields.contains(key)) fault(key, "is given twice");
        if (fields.size() >= fields_max) fault("has more than 64 fields");
        key_ = key;
    }

    bool in_document_ = false;
    int depth_ = 0;
    std::optional<std::string> key_;
};

// The parser's own words are about its insides; the place is what helps.
std::string where_broken(const YAML::Exception& broken) {
    if (broken.mark.is_null()) return "is not YAML";
    return "is not YAML: see line " + std::to_string(broken.mark.line + 1) + ", column " +
           std::to_string(broken.mark.column + 1);
}

}  // namespace

std::expected<Fields, FieldError> read_yaml_fields(const std::string& text) {
    const auto wrong = [](std::string what) {
        return std::unexpected(FieldError{"", std::move(what)});
    };
    if (text.size() > document_bytes_max) return wrong("is larger than 64 KiB");
    FieldListener listener;
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(listener)) {
        }
    } catch (const FieldError& error) {
        return std::unexpected(error);
    } catch (const YAML::Exception& broken) {
        return wrong(where_broken(broken));
    }
    if (!listener.is_mapping) return wrong("must be a mapping with the field url");
    return std::move(listener.fields);
}

}  // namespace sluice::api::pilot
