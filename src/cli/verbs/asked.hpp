// What a person typed behind a verb.
#pragma once

#include <cstdint>
#include <string>

namespace sluice::cli {

enum class Output : std::uint8_t { Text, Wide, Json };

struct Asked {
    std::string program = "sluice";  // as it was called: also "kubectl sluice"
    std::string kubeconfig;
    std::string context;
    std::string ns;  // empty: that of the context
    bool all_namespaces = false;
    std::string name;  // "name" or "kind/name"; empty: all
    Output output = Output::Text;
};

}  // namespace sluice::cli
