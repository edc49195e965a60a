// What owners keep of the templates that they had, one ControllerRevision each: how one is made,
// which of them go, and how a person gets one back. Who keeps them writes their names down, the
// oldest first; a name that stands there for nothing does no harm.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_parts.hpp"
#include "api/verb.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"
#include "model/custom_object.hpp"

namespace sluice::api {

extern const model::Resource revisions;

// How many an owner may have.
inline constexpr int revisions_max = 100;
// So many names a status holds: those, and what is in use.
inline constexpr std::size_t revision_names_max = 128;

// Who controls what an object of this kind makes.
boost::json::array controlled_by(const model::Resource& resource,
                                 const model::CustomObject& object);

// `spec`: what is kept, of the spec of its owner.
struct Revision {
    std::string name;
    std::int64_t number = 0;
    boost::json::object labels;
    boost::json::object spec;
};
std::string revision_body(const model::Resource& resource, const model::CustomObject& owner,
                          Revision revision);
// The spec in the data of a revision; null: there is none.
boost::json::value spec_in(const std::string& data);

// Of revisions that nobody uses `kept` stay. Of more, the oldest is deleted and its name struck
// out: true, also if it must be looked at first. False: there are not so many.
bool trim_revisions(engine::Decision& decision, const engine::Snapshot& seen,
                    std::vector<std::string>& names, const std::vector<std::string>& used,
                    int kept);

// In place of the spec as it is: of these fields nothing else stays. Nothing: they are so already.
std::optional<Change> put_back(const Steered& steered, const boost::json::object& fields,
                               std::span<const std::string_view> of, std::string done);

// The names in a status, of a reader and of a writer.
std::vector<std::string> read_revisions(JsonReader& reader);
void write_revisions(JsonWriter& writer, const std::vector<std::string>& names);

}  // namespace sluice::api
