// A definition of deploy/crds, as the embedded cluster reads it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "sim/api/schema.hpp"
#include "sim/api/yaml.hpp"

namespace sluice::cli::testing {

inline boost::json::object schema_in(const std::string& file) {
    std::ifstream on_disk{"deploy/crds/" + file};
    EXPECT_TRUE(on_disk) << file;
    std::ostringstream text;
    text << on_disk.rdbuf();
    const auto documents = sim::parse_documents(text.str());
    for (const boost::json::value& document : documents.value())
        if (document.is_object())
            return document.at_pointer("/spec/versions/0/schema/openAPIV3Schema").as_object();
    ADD_FAILURE() << file << " holds no definition";
    return {};
}

// What the schema has against an object with this spec and status, a line for each field.
inline std::string problems_of(const boost::json::object& schema, const std::string& spec,
                               const std::string& status = "{}") {
    const boost::json::object object{{"metadata", boost::json::object{{"name", "web"}}},
                                     {"spec", boost::json::parse(spec)},
                                     {"status", boost::json::parse(status)}};
    std::string text;
    for (const sim::FieldProblem& problem : sim::problems(sim::Schema{schema}, object))
        text += problem.field + ": " + problem.message + "\n";
    return text;
}

// Whether the schema knows every field of this part.
inline bool is_known(const boost::json::object& schema, const std::string& part,
                     const std::string& text) {
    const boost::json::object whole{{part, boost::json::parse(text)}};
    return sim::pruned(schema, whole).at(part) == whole.at(part);
}

}  // namespace sluice::cli::testing
