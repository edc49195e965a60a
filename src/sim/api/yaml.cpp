#include "sim/api/yaml.hpp"

#include "model/yaml.hpp"

namespace sluice::sim {

constexpr int yaml_depth_max = 100;

std::expected<std::vector<json::value>, std::string> parse_documents(const std::string& text) {
    auto documents = model::read_yaml(text, {.depth_max = yaml_depth_max});
    if (!documents)
        return std::unexpected("error converting YAML to JSON: " + documents.error().what);
    std::erase_if(*documents, [](const json::value& one) { return one.is_null(); });
    return *std::move(documents);
}

std::expected<json::value, std::string> parse_document(const std::string& text) {
    boost::system::error_code failed;
    json::parse_options options;
    options.max_depth = yaml_depth_max;
    json::value value = json::parse(text, failed, {}, options);
    if (!failed) return value;
    auto documents = parse_documents(text);
    if (!documents) return std::unexpected(documents.error());
    if (documents->size() != 1) return std::unexpected("one document is expected");
    return std::move(documents->front());
}

}  // namespace sluice::sim
