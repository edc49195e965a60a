#include "sim/api/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>

namespace sluice::sim {
namespace {

constexpr int depth_max = 100;

json::value scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    if (node.Tag() == "!") return json::value(text);  // it stood in quotes
    if (text == "true" || text == "false") return json::value(text == "true");
    if (text.empty() || text == "~" || text == "null") return nullptr;
    std::int64_t whole = 0;
    const char* const end = text.data() + text.size();
    if (const auto [stop, bad] = std::from_chars(text.data(), end, whole);
        bad == std::errc{} && stop == end)
        return whole;
    const bool numeric = text.find_first_not_of("+-.0123456789eE") == std::string::npos;
    double real = 0;
    if (const auto [stop, bad] = std::from_chars(text.data(), end, real);
        numeric && bad == std::errc{} && stop == end)
        return real;
    return json::value(text);
}

json::value to_json(const YAML::Node& node, int depth) {
    if (depth > depth_max) throw YAML::Exception(node.Mark(), "nested too deeply");
    if (node.IsSequence()) {
        json::array array;
        for (const YAML::Node& one : node)
            array.push_back(to_json(one, depth + 1));
        return array;
    }
    if (node.IsMap()) {
        json::object object;
        for (const auto& entry : node)
            object[entry.first.Scalar()] = to_json(entry.second, depth + 1);
        return object;
    }
    return node.IsScalar() ? scalar(node) : json::value(nullptr);
}

}  // namespace

std::expected<std::vector<json::value>, std::string> parse_documents(const std::string& text) {
    std::vector<json::value> documents;
    try {
        for (const YAML::Node& node : YAML::LoadAll(text))
            if (!node.IsNull()) documents.push_back(to_json(node, 0));
    } catch (const std::exception& wrong) {
        return std::unexpected(fmt::format("error converting YAML to JSON: {}", wrong.what()));
    }
    return documents;
}

std::expected<json::value, std::string> parse_document(const std::string& text) {
    boost::system::error_code failed;
    json::parse_options options;
    options.max_depth = depth_max;
    json::value value = json::parse(text, failed, {}, options);
    if (!failed) return value;
    auto documents = parse_documents(text);
    if (!documents) return std::unexpected(documents.error());
    if (documents->size() != 1) return std::unexpected("one document is expected");
    return std::move(documents->front());
}

}  // namespace sluice::sim
