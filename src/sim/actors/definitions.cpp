#include "sim/actors/definitions.hpp"

#include <vector>

#include "base/assert.hpp"
#include "deploy/embedded.hpp"
#include "sim/api/yaml.hpp"

namespace sluice::sim {
namespace {

// Read once: thousands of worlds are made from the same text.
const std::vector<json::object>& definitions() {
    static const std::vector<json::object> all = [] {
        std::vector<json::object> found;
        for (const deploy::EmbeddedManifest& file : deploy::embedded_manifests()) {
            if (!file.path.starts_with("crds/")) continue;
            const auto documents = parse_documents(std::string{file.text});
            SLUICE_ASSERT(documents.has_value());
            for (const json::value& document : *documents)
                found.push_back(document.as_object());
        }
        return found;
    }();
    return all;
}

}  // namespace

void install_definitions(Cluster& cluster) {
    for (const json::object& definition : definitions()) {
        const Response made = cluster.api().create(definition, admin, cluster.now());
        SLUICE_ASSERT(made.status == 201);
    }
}

}  // namespace sluice::sim
