#include "base/pattern.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

namespace sluice {

Result<Pattern> Pattern::compiled(std::string_view text) {
    if (text.size() > pattern_bytes_max)
        return failure(ErrorKind::TooLarge,
                       fmt::format("is longer than {} bytes", pattern_bytes_max));
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(pattern_memory_max);
    auto program = std::make_shared<const re2::RE2>(text, options);
    if (program->ok()) return Pattern(std::move(program));

    const std::string_view said = program->error();  // "missing ]: [a", "invalid UTF-8"
    const bool is_too_large = program->error_code() == re2::RE2::ErrorPatternTooLarge;
    return failure(is_too_large ? ErrorKind::TooLarge : ErrorKind::Malformed,
                   fmt::format("cannot be read: {}", said.substr(0, said.find(": "))));
}

bool Pattern::fits(std::string_view text) const {
    return re2::RE2::PartialMatch(text, *program_);
}

std::size_t Pattern::size() const {
    return static_cast<std::size_t>(program_->ProgramSize());
}

}  // namespace sluice
