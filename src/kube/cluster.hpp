// The controller's effects as requests, and the answers as its inputs. Decides nothing: what fails
// is handed back with its status, and the pure half says what that means.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/effect.hpp"
#include "controller/input.hpp"
#include "kube/api_client.hpp"
#include "kube/policies.hpp"
#include "model/lease.hpp"

namespace sluice::kube {

template <class T>
using Answer = controller::Answer<T>;

class Cluster {
  public:
    // `warn` is told about objects that could not be read and were left out.
    Cluster(ApiClient& client, std::function<void(std::string)> warn);
    ~Cluster();

    void list(const runtime::WatchScope& scope, const runtime::ListRequest& request,
              std::function<void(Answer<model::ListPage>)> done);
    // `ended` gets nothing when the server closed the watch in good order.
    net::TransferId watch(const runtime::WatchScope& scope, const runtime::WatchRequest& request,
                          std::function<void(std::vector<model::WatchEvent>)> events,
                          std::function<void(std::optional<runtime::RequestFailure>)> ended);
    void cancel(net::TransferId id);

    // The subject and its pods, if it is a set, and then those of these objects that exist; a set
    // that does not is one without a UID. A failure of one is a failure of all.
    void read_workload(const model::Ref& subject, std::vector<model::Ref> objects,
                       std::function<void(Answer<controller::LiveWorkload>)> done);
    void patch_workload(const model::ObjectKey& key, const std::string& patch,
                        std::function<void(Answer<model::StatefulSet>)> done);
    // Of the object itself or of its status subresource; the answer is the object.
    void patch_object(const model::Ref& object, bool of_status, const std::string& patch,
                      std::function<void(Answer<model::CustomObject>)> done);
    // The answer is the object as it was made; one of that name that is there already is a 409.
    void create_object(const model::Resource& resource, const std::string& ns,
                       const std::string& body,
                       std::function<void(Answer<model::CustomObject>)> done);
    // This very object: a namesake with another UID stays (409). What it owns goes some time later.
    void delete_object(const model::Ref& object, const std::string& uid,
                       std::function<void(Answer<void>)> done);
    // This very pod, with the grace that it asks for: a namesake with another UID stays (409), and
    // so does one that is not of this version any more, unless that is 0.
    void delete_pod(const model::ObjectKey& key, const std::string& uid, std::uint64_t version,
                    std::function<void(Answer<void>)> done);
    void post_event(const controller::PostEvent& event, const std::string& instance,
                    std::function<void(Answer<void>)> done);
    // Which of these are missing, or are not as they should be, for a person; one that could not be
    // looked at makes an error of it all.
    void check_policies(std::vector<WantedPolicy> wanted,
                        std::function<void(Answer<std::vector<std::string>>)> done);

  private:
    struct State;
    std::shared_ptr<State> state_;
};

// The lease, on a connection of its own.
class LeaseKeeper {
  public:
    LeaseKeeper(ApiClient& client, std::string ns, std::string name);
    void read(std::function<void(Result<model::Lease>)> done);
    void write(const model::Lease& lease, Instant acquired, Instant now,
               std::function<void(Result<model::Lease>)> done);

  private:
    ApiClient& client_;
    std::string ns_;
    std::string name_;
};

}  // namespace sluice::kube
