#include "model/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <boost/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "base/text.hpp"

namespace sluice::model {
namespace {

namespace json = boost::json;

bool is_null(const std::string& text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

json::value plain_scalar(const std::string& text) {
    if (is_null(text)) return nullptr;
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    if (text.find_first_not_of("+-.0123456789eE") == std::string::npos) {
        if (const auto integer = whole_number<std::int64_t>(text)) return *integer;
        if (const auto real = whole_number<double>(text)) return *real;
    }
    return json::value(text);
}

std::string with_place(std::string_view what, const YAML::Mark& mark) {
    if (mark.is_null()) return std::string{what};
    return fmt::format("{}: see line {}, column {}", what, mark.line + 1, mark.column + 1);
}

// yaml-cpp calls back from its own recursion; the only way out of it is to throw.
class Builder final : public YAML::EventHandler {
  public:
    explicit Builder(const YamlRules& rules) : rules_(rules) {}
    std::vector<json::value> take() { return std::move(documents_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(mark, nullptr); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        refuse(mark, "aliases are not allowed");
    }
    void OnAnchor(const YAML::Mark& mark, const std::string&) override {
        refuse(mark, "anchors are not allowed");
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  const std::string& value) override {
        refuse_tag(mark, tag);
        if (tag != "?") return add(mark, json::value(value));
        const bool is_text = rules_.scalars == YamlRules::Scalars::Texts && !is_null(value);
        add(mark, is_text ? json::value(value) : plain_scalar(value));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        refuse_tag(mark, tag);
        open(mark, json::array());
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        refuse_tag(mark, tag);
        open(mark, json::object());
    }
    void OnMapEnd() override { close(); }

  private:
    struct Level {
        YAML::Mark mark;
        json::value value;
        std::optional<std::string> key;  // of a mapping whose value comes next
    };

    std::string field() const {
        std::string path;
        for (const Level& level : levels_) {
            if (level.key) path += (path.empty() ? "" : ".") + *level.key;
            if (level.value.is_array()) path += fmt::format("[{}]", level.value.get_array().size());
        }
        return path;
    }

    [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view what) const {
        throw FieldError{field(), with_place(what, mark)};
    }

    // "?" and "!" are what the parser calls a plain and a quoted text.
    void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
        const bool plain = tag.empty() || tag == "?" || tag == "!";
        if (!plain && tag != "tag:yaml.org,2002:str") refuse(mark, "tags are not allowed");
    }

    void count(const YAML::Mark& mark) {
        if (++values_ > rules_.values_max)
            refuse(mark, fmt::format("there are more than {} values", rules_.values_max));
    }

    void open(const YAML::Mark& mark, json::value empty) {
        count(mark);
        if (levels_.size() == rules_.depth_max)
            refuse(mark, fmt::format("is nested deeper than {} levels", rules_.depth_max));
        levels_.push_back({mark, std::move(empty), std::nullopt});
    }

    void close() {
        Level done = std::move(levels_.back());
        levels_.pop_back();
        place(done.mark, std::move(done.value));
    }

    void add(const YAML::Mark& mark, json::value value) {
        count(mark);
        place(mark, std::move(value));
    }

    void place(const YAML::Mark& mark, json::value value) {
        if (levels_.empty()) {
            documents_.push_back(std::move(value));
            return;
        }
        Level& top = levels_.back();
        if (top.value.is_array()) {
            top.value.get_array().push_back(std::move(value));
        } else if (top.key) {
            top.value.get_object().emplace(*top.key, std::move(value));
            top.key.reset();
        } else {
            begin(mark, top, value);
        }
    }

    void begin(const YAML::Mark& mark, Level& mapping, const json::value& key) const {
        if (!key.is_string()) refuse(mark, "a key must be a text");
        mapping.key = std::string(key.get_string());
        if (mapping.value.get_object().contains(*mapping.key))
            refuse(mark, "the key is given twice");
    }

    YamlRules rules_;
    std::vector<json::value> documents_;
    std::vector<Level> levels_;
    std::size_t values_ = 0;
};

}  // namespace

std::expected<std::vector<json::value>, FieldError> read_yaml(std::string_view text,
                                                              const YamlRules& rules) {
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        Builder builder(rules);
        while (parser.HandleNextDocument(builder)) {
        }
        return builder.take();
    } catch (const FieldError& refused) {
        return std::unexpected(refused);
    } catch (const YAML::Exception& broken) {
        // The parser's own words quote the text.
        return std::unexpected(FieldError{"", with_place("is not YAML", broken.mark)});
    }
}

}  // namespace sluice::model
