// An object of a custom resource. Its spec and status are kept as the JSON texts that the server
// sent: the folder of the API that owns their words reads them. Everything else is dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/kept.hpp"
#include "model/object.hpp"
#include "model/ref.hpp"
#include "model/statefulset.hpp"

namespace sluice::model {

struct CustomObject {
    ObjectMeta meta;
    Instant created;    // the oldest claimant of a workload wins
    Texts labels;       // all of them; an API server bounds their length
    Texts annotations;  // those that are Kept, cut
    std::vector<std::string> finalizers;
    std::string owner;      // the object that controls it, by name; empty: none
    std::string owner_uid;  // and by UID
    std::string owner_kind;
    std::string spec;    // JSON, of its resource's content; empty if there is none
    std::string status;  // the same

    friend bool operator==(const CustomObject&, const CustomObject&) = default;
};

// Total: any byte string gives an object with a name and a UID, or an Error.
Result<CustomObject> decode_custom_object(std::string text, const Kept& kept = {},
                                          std::string_view content = "spec");

bool has_finalizer(const CustomObject& object, std::string_view finalizer);

}  // namespace sluice::model
