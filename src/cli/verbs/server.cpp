#include "cli/verbs/server.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <optional>

#include "base/percent.hpp"
#include "operator/identity.hpp"
#include "wire/paths.hpp"
#include "wire/requests.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;

constexpr int page = 500;
constexpr std::size_t page_bytes_max = 64u << 20;
// Nobody reads a table of more than this; and it bounds what a server can make us keep.
constexpr std::size_t objects_max = 50'000;
constexpr std::size_t depth_max = 64;

Error worded(const kube::ApiError& error) {
    if (error.status == 0)
        return {error.error.kind, "the cluster cannot be reached: " + error.error.message};
    return error.error;
}

Result<json::object> parse_object(const std::string& body) {
    json::parse_options options;
    options.max_depth = depth_max;
    boost::system::error_code wrong;
    json::value value = json::parse(body, wrong, {}, options);
    if (wrong || !value.is_object())
        return failure(ErrorKind::Malformed, "the server's answer cannot be read as JSON");
    return std::move(value.get_object());
}

std::string next_of(const json::object& list) {
    boost::system::error_code missing;
    const json::value whole(list);
    const json::value* next = whole.find_pointer("/metadata/continue", missing);
    return next && next->is_string() ? std::string{next->get_string()} : std::string{};
}

}  // namespace

Result<std::unique_ptr<Server>> Server::open(const Asked& asked) {
    std::unique_ptr<Server> server{new Server};
    auto credentials =
        operators::find_user_credentials(server->loop_, asked.kubeconfig, asked.context);
    if (!credentials) return std::unexpected(credentials.error());
    server->ns_ = asked.ns.empty() ? (*credentials)->default_namespace() : asked.ns;
    server->client_ = std::make_unique<kube::ApiClient>(server->loop_, std::move(*credentials), 4);
    return server;
}

Result<json::object> Server::send(kube::ApiRequest request) {
    std::optional<kube::ApiResult<kube::ApiResponse>> answer;
    request.body_max = page_bytes_max;
    client_->send(std::move(request),
                  [&](kube::ApiResult<kube::ApiResponse> got) { answer = std::move(got); });
    loop_.restart();
    while (!answer && loop_.run_one() > 0) {
    }
    if (!answer) return failure(ErrorKind::Unreachable, "the request came to no end");
    if (!*answer) return std::unexpected(worded(answer->error()));
    return parse_object((*answer)->body);
}

template <class Path>
Result<std::vector<json::object>> Server::collect(Path path_of) {
    std::vector<json::object> objects;
    std::string next;
    do {
        auto list = send({.path = path_of(next)});
        if (!list) return std::unexpected(list.error());
        next = next_of(*list);
        json::value* items = list->if_contains("items");
        if (!items || !items->is_array()) continue;
        for (json::value& item : items->get_array())
            if (item.is_object()) objects.push_back(std::move(item.get_object()));
        if (objects.size() > objects_max)
            return failure(ErrorKind::TooLarge,
                           fmt::format("there are more than {} objects; name a namespace with -n",
                                       objects_max));
    } while (!next.empty());
    return objects;
}

Result<std::vector<json::object>> Server::list(const model::Resource& resource,
                                               const std::string& ns, std::string_view labels) {
    const runtime::WatchScope scope{&resource, ns, {.labels = labels}};
    return collect([&](const std::string& next) { return wire::list_path(scope, {next, page}); });
}

Result<std::vector<json::object>> Server::list_pods(const std::string& ns,
                                                    const std::string& selector) {
    return collect([&](const std::string& next) { return wire::pods_path(ns, selector, next); });
}

Result<std::vector<json::object>> Server::list_events(const std::string& ns,
                                                      const std::string& uid) {
    return collect([&](const std::string& next) {
        return wire::events_about_path(ns, uid) +
               (next.empty() ? "" : "&continue=" + percent_encoded(next));
    });
}

Result<json::object> Server::merge_patch(const std::string& path, const json::object& body) {
    return send(wire::merge_patch(path, json::serialize(body)));
}

}  // namespace sluice::cli
