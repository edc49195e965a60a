#include "deploy/embedded.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace sluice::deploy {

std::string_view embedded_manifest(std::string_view path) {
    const auto files = embedded_manifests();
    const auto found = std::ranges::find(files, path, &EmbeddedManifest::path);
    SLUICE_ASSERT(found != files.end());
    return found->text;
}

}  // namespace sluice::deploy
