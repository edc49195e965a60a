// What a client on the wire sees of the API server: its objects, and around them discovery,
// OpenAPI documents, health checks, and tables where the client would rather have tables.
#pragma once

#include <string>

#include "sim/api/api_server.hpp"

namespace sluice::sim {

Response serve_client(ApiServer& server, const Request& request, Instant now);

// One event of a watch as it goes over the wire: a line of JSON, in the version of the API and the
// form that the client asked for.
std::string watch_line(const ApiServer& server, const Watch& watch, const WatchedEvent& event,
                       Instant now);

}  // namespace sluice::sim
