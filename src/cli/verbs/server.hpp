// The API server for a person who waits: one request after the other, each with its answer or a
// sentence about what went wrong.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kube/api_client.hpp"
#include "model/custom_object.hpp"

namespace sluice::cli {

enum class Output : std::uint8_t { Text, Wide, Json };

// What a person typed behind a verb.
struct Asked {
    std::string program = "sluice";  // as it was called: also "kubectl sluice"
    std::string kubeconfig;
    std::string context;
    std::string ns;  // empty: that of the context
    bool all_namespaces = false;
    std::string name;      // "name" or "kind/name"; empty: all
    std::string revision;  // to go back to; empty: the one before
    Output output = Output::Text;
};

class Server {
  public:
    static Result<std::unique_ptr<Server>> open(const Asked& asked);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Where we look: the namespace that was asked for, or that of the context.
    const std::string& ns() const { return ns_; }

    // All objects of a kind; `ns` empty: in all namespaces; `labels`: only those with these.
    // NotFound: there is no such kind.
    Result<std::vector<boost::json::object>> list(const model::Resource& resource,
                                                  const std::string& ns,
                                                  std::string_view labels = {});
    Result<std::vector<boost::json::object>> list_pods(const std::string& ns,
                                                       const std::string& selector);
    Result<std::vector<boost::json::object>> list_events(const std::string& ns,
                                                         const std::string& uid);
    // The object as it is then.
    Result<boost::json::object> merge_patch(const std::string& path,
                                            const boost::json::object& body);

  private:
    Server() = default;
    Result<boost::json::object> send(kube::ApiRequest request);
    template <class Path>
    Result<std::vector<boost::json::object>> collect(Path path_of);

    boost::asio::io_context loop_{1};
    std::unique_ptr<kube::ApiClient> client_;
    std::string ns_;
};

}  // namespace sluice::cli
