// libcurl's result codes as sentences for a tired person: who was not reached, and why.
#pragma once

#include <curl/curl.h>

#include <string>

#include "base/result.hpp"

namespace sluice::net {

struct CurlFailure {
    CURLcode code = CURLE_OK;
    std::string where;      // "host:port"
    std::string detail;     // libcurl's error text; peers can influence it
    int os_error = 0;       // errno of a failed socket or connect; zero: none
    long proxy_status = 0;  // what a proxy answered to CONNECT; zero: not asked
    bool was_sent = false;  // the request went out, as far as we know
    bool in_http2 = false;  // nothing else would have been understood
};

Error explain(const CurlFailure& failed);

}  // namespace sluice::net
