#include "sim/actors/definitions.hpp"

#include "base/assert.hpp"
#include "deploy/embedded.hpp"
#include "sim/api/yaml.hpp"

namespace sluice::sim {

void install_definitions(Cluster& cluster) {
    for (const deploy::EmbeddedManifest& file : deploy::embedded_manifests()) {
        if (!file.path.starts_with("crds/")) continue;
        const auto documents = parse_documents(std::string{file.text});
        SLUICE_ASSERT(documents.has_value());
        for (const json::value& document : *documents) {
            const Response made = cluster.api().create(document.as_object(), admin, cluster.now());
            SLUICE_ASSERT(made.status == 201);
        }
    }
}

}  // namespace sluice::sim
