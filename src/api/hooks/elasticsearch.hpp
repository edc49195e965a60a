// How the elasticsearch hook reaches the cluster of one StatefulSet. Annotations of the set say
// so: sluice.dev/elasticsearch-scheme (http or https; http), -port (9200) and -secret.
//
// Requests go to the pod's IP address, so with https that address is what the certificate must
// name (a subjectAltName of type IP), whether it is checked against ca.crt or the system's store.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "api/hooks/hook.hpp"

namespace sluice::api::hooks {

inline constexpr std::string_view elasticsearch_annotations[] = {"sluice.dev/elasticsearch-scheme",
                                                                 "sluice.dev/elasticsearch-port",
                                                                 "sluice.dev/elasticsearch-secret"};

struct ElasticsearchAccess {
    std::string scheme = "http";
    std::string port = "9200";
    Redacted authorization;  // value of the Authorization header; empty: none
    std::string ca_pem;      // empty: system trust store
};

// Instead of the access, the step that must come first: the Secret, or a refusal that names the
// annotation or the Secret and its keys, never a value.
std::expected<ElasticsearchAccess, HookStep> elasticsearch_access(const Transition& transition,
                                                                  const Learnt& learnt);

}  // namespace sluice::api::hooks
