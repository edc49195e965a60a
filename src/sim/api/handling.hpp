// One request: finds out what it is about, and answers it.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/api_server.hpp"
#include "sim/api/writing.hpp"

namespace sluice::sim {

// "/apis/apps/v1/namespaces/shop/statefulsets/web/scale", taken apart.
struct Target {
    const Resource* resource = nullptr;
    std::string ns;
    std::string name;
    std::string subresource;
};

class Handling {
  public:
    Handling(ApiServer& server, const Request& request, Instant now)
        : server_(server), request_(request), now_(now) {}

    Response answer();

  private:
    bool find_target();
    bool is_served_group() const;
    std::optional<Response> wrong_options() const;
    std::optional<Response> wrong_selectors() const;
    std::expected<json::object, Response> wanted_scale(const json::object& now) const;
    std::optional<Response> other_kind(const std::string& version, const std::string& kind) const;
    std::optional<Response> unknown_in(const json::object& object) const;
    Response refused_body_type() const;
    Response refused_kind(const std::string& kind) const;
    Response get();
    Response list();
    Response watch();
    Response create();
    Response replace();
    Response patch();
    Response apply(const ObjectPtr& before);
    Response remove();
    Response remove_all();
    Response scale();
    Response finalize();

    std::expected<json::object, Response> body() const;
    std::expected<json::object, Response> own_body() const;
    std::expected<std::vector<ObjectPtr>, Response> selected(std::vector<ObjectPtr> all) const;
    ObjectPtr current() const;
    json::object listed(const json::object& object) const;
    Response shown_as_asked(Response response) const;
    std::string query(const std::string& name) const;
    bool asks_for(std::string_view form) const;
    Writing writing() const;

    ApiServer& server_;
    const Request& request_;
    Instant now_;
    Target target_;
    mutable std::vector<std::string> warnings_;
};

}  // namespace sluice::sim
