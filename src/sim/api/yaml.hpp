// A document that is JSON or YAML, as a JSON value. Total: what cannot be read is an error, with
// the bounds of model/yaml.hpp.
#pragma once

#include <expected>
#include <string>

#include "sim/api/json.hpp"

namespace sluice::sim {

std::expected<json::value, std::string> parse_document(const std::string& text);
// Every document of a YAML stream that has something in it.
std::expected<std::vector<json::value>, std::string> parse_documents(const std::string& text);

}  // namespace sluice::sim
