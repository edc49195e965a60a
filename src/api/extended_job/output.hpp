// What the containers of a Job have printed: how it is asked for, and what it is read as. One pod
// of the Job is asked: one that has succeeded, or of a Job that has failed the last one that did.
//
// Promises: a pod is of the Job if that controls it, by its UID, whatever its labels say; nothing
// of what was printed is in any sentence; only a flat JSON object of texts, with keys that a Secret
// can have, is an output.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/inquiry/inquiry.hpp"
#include "base/redacted.hpp"

namespace sluice::api::extended_job {

// What one container may print. A Secret holds a mebibyte, in base64.
inline constexpr std::size_t output_bytes_max = 256u << 10;
// What all of a Job may. It is in memory from the first log to the last Secret, and no budget of
// objects knows of it.
inline constexpr std::size_t outputs_bytes_max = 512u << 10;
// So few at once, since each may hold that much; as many steps as a Job may have containers, and
// the list of its pods.
inline constexpr InquiryBounds output_bounds{
    .calls_max = 16, .per_namespace_max = 2, .first_places = 8, .steps_max = 40};

using Values = std::map<std::string, Redacted>;

struct OutputQuestion {
    std::int64_t run = 0;  // its number
    std::string job;
    std::string job_uid;
    bool has_succeeded = true;
    std::vector<std::string> containers;
};

struct OutputAnswer {
    struct Unusable {  // and it stays so
        std::string why;
    };
    struct Unknown {  // it is asked again
        std::string why;
    };
    std::int64_t run = 0;
    std::string job;
    std::variant<std::map<std::string, Values>, Unusable, Unknown> what;  // by container
};

std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking);

// A sentence about what is wrong, without a byte of the text.
std::expected<Values, std::string> read_output_text(std::string_view text);

}  // namespace sluice::api::extended_job
