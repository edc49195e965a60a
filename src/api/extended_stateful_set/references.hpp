// The ConfigMaps and Secrets that the pods of a template read: in their environment and in their
// volumes. What their images are pulled with is none of it.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "model/custom_object.hpp"

namespace sluice::api::extended_stateful_set {

// Twice so many can be looked at together (controller/carry_out.cpp), beside the key of their
// digest: those that a template names, and those that it has named before.
inline constexpr std::size_t references_max = 60;

struct Reference {
    model::Ref ref;
    bool is_optional = true;  // wherever it is named
    friend bool operator==(const Reference&, const Reference&) = default;
};

// Of a StatefulSet in this namespace: sorted, and each once. Total, and of very many the first, one
// more than are allowed.
std::vector<Reference> references_in(const boost::json::value& set, const std::string& ns);

// The same of the template of an ExtendedStatefulSet.
std::vector<model::Ref> named_in_template(const model::CustomObject& object);
// The same of one that wants its pods restarted when these change; of all others
// nothing.
std::vector<model::Ref> named_by(const model::CustomObject& object);

}  // namespace sluice::api::extended_stateful_set
