// A document that is JSON or YAML, as a JSON value. Total: what cannot be read is an error, with a
// bound on depth and without aliases.
#pragma once

#include <expected>
#include <string>

#include "sim/api/json.hpp"

namespace sluice::sim {

std::expected<json::value, std::string> parse_document(const std::string& text);
// Every document of a YAML stream.
std::expected<std::vector<json::value>, std::string> parse_documents(const std::string& text);

}  // namespace sluice::sim
