// Posts core/v1 Events about an object. The same news about the same object again raises the
// count of the event that is there. Events of everybody are forgotten after an hour, as on a real
// server.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "sim/actors/controller.hpp"

namespace sluice::sim {

struct News {
    std::string type;  // Normal or Warning
    std::string reason;
    std::string message;
};

class Recorder {
  public:
    Recorder(Surroundings at, std::string component, std::string user)
        : at_(at), component_(std::move(component)), user_(std::move(user)) {}
    void post(const json::object& about, const News& news);

  private:
    void count(const ObjectPtr& event);

    Surroundings at_;
    std::string component_;
    std::string user_;
    // By the UID, reason and message: the name of the event. Entries of events that are gone are
    // replaced when they are met; the bound keeps a chatty set from growing it for ever.
    std::map<std::tuple<std::string, std::string, std::string>, std::string> known_;
};

// Removes events an hour after they were last counted.
class EventExpiry {
  public:
    explicit EventExpiry(Surroundings at) : at_(at) {}
    void on_change(const Change& change);

  private:
    void expire(const Place& place);
    Surroundings at_;
};

}  // namespace sluice::sim
