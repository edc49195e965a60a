// What the fuzz programs and the replay of their corpus do with one input. An input that breaks a
// promise ends the process. A document may follow after a line "----".
#pragma once

#include <string_view>

namespace sluice::fuzz {

void try_expression(std::string_view input);
void try_json_path(std::string_view input);
void try_pattern(std::string_view input);

struct Target {
    std::string_view name;  // the folder in tests/fuzz/corpus
    void (*run)(std::string_view input);
};
inline constexpr Target targets[] = {
    {"expression", try_expression}, {"json_path", try_json_path}, {"pattern", try_pattern}};

}  // namespace sluice::fuzz
