// Requests to one API server, with credentials. Translates: a status code becomes an Error with
// the sentence that the server gave (its Status message, capped, control characters stripped), and
// a 403 names the verb and resource that is missing. Decides nothing and retries nothing, except
// one repetition after a 401, once the credentials were read anew.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kube/credentials.hpp"
#include "kube/lead.hpp"
#include "net/http_client.hpp"
#include "wire/request.hpp"

namespace sluice::kube {

using ApiRequest = wire::Request;

struct ApiResponse {
    int status = 0;
    std::string body{};
};

// What failed, with what the retry logic needs beside the sentence.
struct ApiError {
    Error error;
    int status = 0;           // zero: no answer at all
    Duration retry_after{0};  // from Retry-After, clamped to 1..60 s; zero if absent
    std::string reason{};     // of the server's Status: "AlreadyExists", "Expired"; may be empty
};

template <class T>
using ApiResult = std::expected<T, ApiError>;

class ApiClient {
  public:
    using Done = std::function<void(ApiResult<ApiResponse>)>;
    using Chunk = net::HttpClient::Chunk;

    ApiClient(boost::asio::io_context& loop, std::shared_ptr<Credentials> credentials,
              std::size_t connections_max);
    ~ApiClient();  // outstanding requests end without a call of `done`; also from inside one
    ApiClient(const ApiClient&) = delete;
    ApiClient& operator=(const ApiClient&) = delete;

    // One call of `done`, on the loop, never from inside send(). The deadline covers the wait for
    // credentials and the repetition after a 401.
    net::TransferId send(ApiRequest request, Done done);
    // A watch: no deadline of ours (the server's timeoutSeconds ends it), silence bounded by
    // idle_timeout; 2xx bytes go to `chunk`.
    net::TransferId watch(ApiRequest request, Duration idle_timeout, Chunk chunk, Done done);
    void cancel(net::TransferId id);
    // Lets go of connections that wait for the next request, unless one is under way; each takes
    // some 70 kB.
    void rest();

    // What is not a GET is sent only while this says that we lead, as of the moment before the
    // request leaves, and is given up before anybody else can lead.
    Lead lead;
    // Where the addresses of the API server are noted; null: nowhere.
    std::shared_ptr<net::KnownAddresses> addresses;
    // Called after each answer: method, path, status (0 for none), time taken. For metrics.
    std::function<void(const std::string&, const std::string&, int, Duration)> on_answer;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice::kube
