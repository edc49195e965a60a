// The OpenAPI documents of the server: for every group version its paths and the schemas of its
// kinds. The schema of a custom resource is whole; of a built-in one it names the fields that
// people look up, and leaves the rest open.
//
// kubectl uses them twice. Before it applies, it looks whether PATCH has the parameter
// fieldValidation, and if so leaves the validation to the server. Then it computes its patch: for
// built-in kinds from these schemas if PATCH takes a strategic merge patch here, else from the
// types compiled into kubectl. Our schemas have no merge keys, so PATCH must not say that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/kubectl/discovery.hpp"

namespace sluice::sim {

// Whether this GET belongs here.
bool is_openapi_path(std::string_view path);

inline const std::string openapi_v2_protobuf_type =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

// The answer to GET `path`; nothing if there is no such document.
std::optional<Response> openapi(const Resources& resources, std::string_view path,
                                std::string_view accept);

}  // namespace sluice::sim
