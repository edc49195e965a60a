// A Kubernetes API server in memory. Answers the requests that kubectl, the operator and tests
// make, with the statuses and words of the real one; test_conformance.py compares the two.
//
// No clock and no randomness of its own: time is passed in, UIDs come from the seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/dice.hpp"
#include "base/time.hpp"
#include "sim/api/resource.hpp"
#include "sim/api/storage.hpp"

namespace sluice::sim {

inline const std::string admin = "kubernetes-admin";

struct Request {
    std::string method = "GET";
    std::string path;  // without its query, still percent-encoded
    std::map<std::string, std::string> query = {};
    std::string content_type = "application/json";
    std::string accept = "application/json";
    std::string body = {};
    std::string user = admin;
    std::string user_agent = {};
};

// The path and query of a request line, taken apart.
Request to_request(std::string method, std::string_view target);

// A watch that was granted: where it stands. Ask watch_events() for what is new.
struct Watch {
    std::string resource;
    std::string ns;
    std::string label_selector;
    std::string field_selector;
    std::uint64_t version = 0;
    bool bookmarks = false;
    bool sends_initial = false;  // the objects of now first, then a bookmark
    bool as_table = false;
    bool as_metadata = false;
    std::string api_version = {};
    Duration timeout = 30min;
};

struct Response {
    int status = 200;
    json::value body = nullptr;
    std::string text = {};  // instead of a body: what is not JSON
    std::string content_type = "application/json";
    std::vector<std::string> warnings = {};
    Duration retry_after{0};
    std::optional<Watch> watch = {};  // the answer is a stream
};

// How an object leaves.
struct Deletion {
    std::string propagation = {};  // Background, Foreground, Orphan; if empty as it is usual
    std::optional<std::int64_t> grace = {};
    std::string uid = {};               // precondition, if not empty
    std::string resource_version = {};  // the same
};

struct WatchedEvent {
    std::string type;  // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
    ObjectPtr object;
};

class ApiServer {
  public:
    // `tracks_fields`: whether objects carry managedFields, which costs time and is read by people
    // and by server-side apply only.
    explicit ApiServer(std::uint64_t seed, bool tracks_fields = false);

    Response serve(const Request& request, Instant now);
    // What happened since the watch last looked, and moves it on. An ERROR event (410) ends it.
    std::vector<WatchedEvent> watch_events(Watch& watch) const;

    // For the controllers of the cluster itself. Reads are of now; what is not there is null.
    const Storage& storage() const { return storage_; }
    ObjectPtr find(const std::string& resource, const std::string& ns,
                   const std::string& name) const;
    std::vector<ObjectPtr> list(const std::string& resource, const std::string& ns = {}) const;
    // The object's apiVersion and kind say where it goes. Status 2xx if it went.
    Response create(json::object object, const std::string& user, Instant now);
    // With the resourceVersion that was read: 409 if somebody else was faster.
    Response update(json::object object, const std::string& user, Instant now,
                    const std::string& subresource = {});
    Response remove(const std::string& resource, const std::string& ns, const std::string& name,
                    const std::string& user, Instant now, const Deletion& how = {});

    void on_change(std::function<void(const Change&)> listener);
    void compact(std::uint64_t version) { storage_.compact(version); }
    void renumber() { storage_.renumber(); }
    const Resource* resource(const std::string& id) const;           // of its preferred version
    const Resource* resource_for(const json::object& object) const;  // by apiVersion and kind
    std::vector<const Resource*> resources() const;

  private:
    friend class Handling;  // one request: handling.cpp
    friend class Writing;   // one write: writing.cpp
    std::vector<WatchedEvent> whole_events(Watch& watch) const;
    std::string next_uid();
    std::string next_suffix();
    void learn_definition(const std::string& name);

    Storage storage_;
    Dice dice_;
    bool tracks_fields_;
    std::map<std::string, std::vector<Resource>> custom_;  // by the name of their definition
};

}  // namespace sluice::sim
