// The manifests of deploy/, carried inside the binary as they stand there.
#pragma once

#include <span>
#include <string_view>

namespace sluice::deploy {

struct EmbeddedManifest {
    std::string_view path;  // below deploy/, for example "rbac/core.yaml"
    std::string_view text;
};

// Sorted by path. Defined in a source that cmake/embed.cmake generates.
std::span<const EmbeddedManifest> embedded_manifests();

// The files are ours: one that is not there is our mistake.
std::string_view embedded_manifest(std::string_view path);

}  // namespace sluice::deploy
