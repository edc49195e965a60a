// Keeps one resource in one scope in view: list, then watch, then watch again, for ever. A state
// machine without I/O: it says what to request, is told what came, and says what that means.
//
// Promises: at most one request of a session is under way; a list that was cut short removes
// nothing, and one with an object that could not be read removes not that one, or nothing if it
// cannot be told which that is; pages that are too large become smaller until they are not; a list
// that is older than what was seen before, or that says of an object what was over before, means
// that the cluster was restored: everything is forgotten and listed anew; 410 leads to a fresh
// list; every failure waits longer than the last; the world is listed anew now and then even if all
// seems well, for a watch is a hint and not a proof. A custom resource whose definition is not
// installed (404) is waited for, and holds nobody up; one that we may not read, or that fails again
// and again, is tried for ever, and after a while holds nobody up either.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/dice.hpp"
#include "base/time.hpp"
#include "model/decode.hpp"
#include "model/watch.hpp"
#include "runtime/backoff.hpp"

namespace sluice::runtime {

// What to watch: objects of a resource in a namespace (empty: in all).
struct WatchScope {
    const model::Resource* resource;
    std::string ns;
    model::Selector selector = {};
    // What is seen there concerns every namespace: it is in the operator's own.
    bool is_of_operator() const { return !selector.name.empty(); }
    bool is_custom() const { return resource->form == model::Form::Custom; }
};

struct ListRequest {
    std::string next;  // continue token; empty for the first page
    int limit = 250;
};
struct WatchRequest {
    std::string resource_version;  // empty with initial_events
    bool initial_events = false;   // a streaming list: the objects first, then a bookmark
    Duration timeout = 5min;       // after which the server ends it
};
using SessionRequest = std::variant<ListRequest, WatchRequest>;

// How a request went wrong: the HTTP status (0: no answer) and what Retry-After said.
struct RequestFailure {
    int status = 0;
    Duration retry_after{0};
    std::string message;
    bool too_large = false;   // the answer was longer than we read
    std::string said = {};    // of the message, what the server said itself
    bool unreadable = false;  // there was an answer, and it could not be understood
    bool exists = false;      // of a creation: there is one of that name
};

struct SeenObject {
    model::Object object;
    bool is_gone = false;
};

// What an answer means for the store: objects in the order in which they changed.
struct Seen {
    std::vector<SeenObject> objects;
    std::vector<model::ObjectKey> kept;  // there, but they could not be read
    // A list is complete: what it did not bring is gone, up to this version.
    std::optional<std::uint64_t> complete_at;
    bool is_list = false;    // they are of a list, not news
    bool went_back = false;  // what is known is of a history that never was; a list follows
    bool is_synced = false;  // now, and was not before
};

class WatchSession {
  public:
    WatchSession(WatchScope scope, std::uint64_t seed);

    const WatchScope& scope() const { return scope_; }
    // The whole scope has been seen at least once, or there is no such resource, or nobody minds.
    bool is_synced() const { return synced_ || absent_ || dormant_; }
    // A custom resource that the server does not know, when it was asked last. What was seen of it
    // before is not taken back.
    bool is_absent() const { return absent_; }
    // It has not been seen, and who does not need it need not wait for it: we may not read it, or
    // it failed several times in a row.
    bool is_given_up() const;
    bool is_in_flight() const { return in_flight_; }
    int restarts() const { return restarts_; }
    const std::string& last_failure() const { return last_failure_; }

    // Nobody minds what is there, until somebody does.
    void sleep() { dormant_ = true; }
    void rouse() { dormant_ = false; }

    // The request to make now, if any; the caller makes it and reports how it goes.
    std::optional<SessionRequest> poll(Instant now);
    // When to poll again though nothing came.
    std::optional<Instant> wake_at() const;
    // True if the request under way should be given up: it is time to list anew.
    bool should_cancel(Instant now) const;
    void cancelled();

    // The list under way has an object in an older version than this one, in which it is known.
    void contradict(std::uint64_t known) { contradiction_ = std::min(contradiction_, known); }
    // A list of this version should have had it in the newer one.
    bool is_contradicted(std::uint64_t version) const { return contradiction_ <= version; }
    // Everything is to be listed anew, and nothing that is known counts.
    void forget(Instant now);

    Seen on_page(model::ListPage page, Instant now);
    Seen on_events(std::vector<model::WatchEvent> events, Instant now);
    void on_end(Instant now);  // the server closed a watch in good order
    void on_failure(const RequestFailure& failure, Instant now);

  private:
    enum class State { ListFirst, ListNext, Stream, Watch };  // who watches is in sync
    void relist();
    void schedule(Duration delay, Instant now);
    void completed(const std::string& version, Seen& seen, Instant now);
    void begin_list();
    void on_bookmark(const std::string& version, Instant now);
    void leave_out(const model::LeftOut& object, Seen& seen);

    WatchScope scope_;
    Dice dice_;
    Backoff backoff_;
    State state_ = State::Stream;
    bool in_flight_ = false;
    bool streaming_works_ = true;
    bool synced_ = false;
    bool absent_ = false;
    bool dormant_ = false;
    bool left_out_ = false;  // something of this list could not be read, not even its name
    int page_size_ = ListRequest{}.limit;
    std::string next_;           // continue token
    std::string version_;        // where to watch from
    std::uint64_t reached_ = 0;  // the highest version that was seen of anything
    std::uint64_t contradiction_ = std::numeric_limits<std::uint64_t>::max();
    Instant not_before_;
    Instant started_;  // the request under way
    Instant relist_at_;
    int restarts_ = 0;
    int failures_ = 0;        // in a row
    bool forbidden_ = false;  // the last of them
    std::string last_failure_;
};

}  // namespace sluice::runtime
