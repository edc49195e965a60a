#include "kube/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <boost/json.hpp>
#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace sluice::kube {
namespace {

namespace json = boost::json;

// A kubeconfig is five levels deep and has a dozen values per cluster.
constexpr std::size_t depth_max = 32;
constexpr std::size_t values_max = 50'000;

// yaml-cpp calls back from its own recursion; the only way out of it is to throw.
struct Refusal {
    Error error;
};

[[noreturn]] void refuse(ErrorKind kind, const YAML::Mark& mark, std::string_view what) {
    throw Refusal{{kind, fmt::format("line {}: {}", mark.line + 1, what)}};
}

template <class T>
std::optional<T> whole_number(const std::string& text) {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc{} || stop != end) return std::nullopt;
    return value;
}

bool starts_like_number(const std::string& text) {
    const char first = text.empty() ? ' ' : text.front();
    return (first >= '0' && first <= '9') || first == '-' || first == '.';
}

json::value plain_scalar(const std::string& text) {
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
        return nullptr;
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    if (starts_like_number(text)) {
        if (const auto integer = whole_number<std::int64_t>(text)) return *integer;
        if (const auto real = whole_number<double>(text)) return *real;
    }
    return json::value(text);
}

class Builder final : public YAML::EventHandler {
  public:
    json::value take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(mark, nullptr); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        refuse(ErrorKind::Invalid, mark, "a YAML alias is not supported here; write the value out");
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  const std::string& value) override {
        if (tag == "?") return add(mark, plain_scalar(value));
        if (tag == "!" || tag == "tag:yaml.org,2002:str") return add(mark, json::value(value));
        refuse(ErrorKind::Invalid, mark, "a YAML tag is not supported here; write a plain value");
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        open(mark, json::array());
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        open(mark, json::object());
    }
    void OnMapEnd() override { close(); }

  private:
    struct Level {
        YAML::Mark mark;
        json::value value;
        std::optional<std::string> key;  // of a mapping whose value comes next
    };

    void count(const YAML::Mark& mark) {
        if (++values_ > values_max)
            refuse(ErrorKind::TooLarge, mark,
                   fmt::format("the file has more than {} values", values_max));
    }

    void open(const YAML::Mark& mark, json::value empty) {
        count(mark);
        if (levels_.size() == depth_max)
            refuse(ErrorKind::TooLarge, mark,
                   fmt::format("values are nested deeper than {} levels", depth_max));
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
            root_ = std::move(value);
            return;
        }
        Level& top = levels_.back();
        if (top.value.is_array()) {
            top.value.get_array().push_back(std::move(value));
        } else if (top.key) {
            const bool is_new = top.value.get_object().emplace(*top.key, std::move(value)).second;
            if (!is_new) refuse(ErrorKind::Malformed, mark, "a key appears twice in one mapping");
            top.key.reset();
        } else {
            if (!value.is_string()) refuse(ErrorKind::Malformed, mark, "a key is not a string");
            top.key = std::string(value.get_string());
        }
    }

    json::value root_;
    std::vector<Level> levels_;
    std::size_t values_ = 0;
};

// yaml-cpp's own words up to the colon behind which it quotes the text.
std::string_view reason(const YAML::Exception& failed) {
    const std::string_view words = failed.msg;
    return words.substr(0, words.find(':'));
}

}  // namespace

Result<json::value> parse_yaml(std::string_view text) {
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        Builder builder;
        parser.HandleNextDocument(builder);
        return builder.take();
    } catch (const Refusal& refusal) {
        return std::unexpected(refusal.error);
    } catch (const YAML::Exception& failed) {
        return failure(ErrorKind::Malformed, fmt::format("line {}: not valid YAML ({})",
                                                         failed.mark.line + 1, reason(failed)));
    }
}

}  // namespace sluice::kube
