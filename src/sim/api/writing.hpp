// One write: from the object that somebody sends to the version that is stored, or to a refusal.
#pragma once

#include <string>

#include "sim/api/api_server.hpp"

namespace sluice::sim {

// Core events and those of events.k8s.io are the same objects.
std::string storage_id(const Resource& resource);

// The core form of an event of events.k8s.io.
json::object to_core_event(json::object event);
// An object as this version of the API shows it.
json::object shown_as(const Resource& resource, json::object object);

class Writing {
  public:
    Writing(ApiServer& server, const Resource& resource, std::string user, Instant now)
        : server_(server), resource_(resource), user_(std::move(user)), now_(now) {}

    std::string manager = {};  // fieldManager
    bool is_dry = false;
    bool is_applied = false;  // by server-side apply, which kept its own record of fields
    bool is_patched = false;  // what is wrong with it is then wrong with the object
    bool is_scaled = false;   // through the scale subresource, which admission has seen

    Response create(const std::string& ns, json::object object);
    // `object` is what is to be stored in the place of `before`.
    Response update(const ObjectPtr& before, json::object object, const std::string& subresource);
    Response remove(const ObjectPtr& before, const Deletion& wanted);

  private:
    Place place_of(const json::object& object) const;
    Response check_namespace(const std::string& ns, const std::string& name) const;
    Response stored(const Place& place, json::object object, int status,
                    std::vector<std::string> warnings);
    json::object merged_status(const json::object& before, const json::object& object) const;
    void keep_server_fields(const json::object& before, json::object& object) const;
    bool moves_generation(const json::object& before, const json::object& after) const;
    Response marked(const ObjectPtr& before, json::object object, std::int64_t grace);
    Response removed(const ObjectPtr& before, const Deletion& how);
    Response gone(const Place& place, json::object last);
    bool waits_for_grace(const json::object& object, const Deletion& how,
                         std::int64_t& grace) const;

    ApiServer& server_;
    const Resource& resource_;
    std::string user_;
    Instant now_;
};

}  // namespace sluice::sim
