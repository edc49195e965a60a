// YAML as JSON values: what people write into files and ConfigMaps, and our own manifests. What
// makes YAML dangerous or ambiguous is refused: anchors, aliases, tags, keys that are not texts,
// keys that are given twice. Bounds hold while it is read, so that a hostile or damaged text costs
// no more than its size; nothing behind the first thing that is wrong is parsed.
#pragma once

#include <boost/json/value.hpp>
#include <expected>
#include <string_view>
#include <vector>

#include "base/field_error.hpp"

namespace sluice::model {

struct YamlRules {
    std::size_t depth_max = 32;       // a kubeconfig is five levels deep
    std::size_t values_max = 50'000;  // and has a dozen values per cluster
    // Plain scalars mean what YAML 1.2 says: null, true, false, numbers; everything else, and
    // everything in quotes, is a text. Texts: all but null is.
    enum class Scalars { Typed, Texts } scalars = Scalars::Typed;
};

// Every document. What is wrong is told with its place and never quotes a value: it may be a
// secret. The field of the error is a path within the document, in the writer's own words.
std::expected<std::vector<boost::json::value>, FieldError> read_yaml(std::string_view text,
                                                                     const YamlRules& rules = {});

}  // namespace sluice::model
