#include "api/inquiry/strict_yaml.hpp"

#include "base/printable.hpp"
#include "model/yaml.hpp"

namespace sluice::api {
namespace {

constexpr std::size_t document_bytes_max = 64u << 10;
constexpr std::size_t field_bytes_max = 128;
constexpr model::YamlRules rules{.depth_max = 8, .scalars = model::YamlRules::Scalars::Texts};

}  // namespace

std::expected<boost::json::value, FieldError> read_strictly(const std::string& text) {
    if (text.size() > document_bytes_max) return wrong("", "is larger than 64 KiB");
    auto documents = model::read_yaml(text, rules);
    if (!documents)
        return wrong(printable(documents.error().field, field_bytes_max), documents.error().what);
    if (documents->size() > 1) return wrong("", "holds more than one YAML document");
    return documents->empty() ? boost::json::value(nullptr) : std::move(documents->front());
}

}  // namespace sluice::api
