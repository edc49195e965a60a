#include "probe/plugin/log_lines.hpp"

#include <fmt/format.h>
#include <go_plugin.pb.h>

#include <algorithm>
#include <utility>

#include "base/printable.hpp"

namespace sluice::probe {

namespace {

constexpr std::size_t frame_head_bytes = 5;
constexpr std::size_t frame_bytes_max = 64 << 10;  // go-plugin reads 1 KiB at a time
constexpr std::size_t line_bytes_max = 512;
constexpr double lines_per_second = 10;
constexpr double lines_at_once = 50;  // a stack trace

}  // namespace

LogLines::LogLines(std::string subject, PluginLog log)
    : subject_(std::move(subject)),
      log_(std::move(log)),
      bucket_(lines_per_second, lines_at_once) {}

void LogLines::take(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = std::min(bytes.find('\n'), bytes.size());
        const std::size_t room = line_bytes_max - std::min(line_bytes_max, line_.size());
        line_ += bytes.substr(0, std::min(end, room));
        if (end == bytes.size()) return;
        finish();
        bytes.remove_prefix(end + 1);
    }
}

void LogLines::finish() {
    if (line_.ends_with('\r')) line_.pop_back();
    const std::string line = printable(std::exchange(line_, {}), line_bytes_max);
    if (!line.empty()) tell(line);
}

void LogLines::tell(std::string_view line) {
    last_ = line;
    const Instant now = clock_.now();
    if (!bucket_.has_tokens(now)) {
        ++left_out_;
        return;
    }
    bucket_.take(1);
    if (left_out_ > 0) {
        log_(controller::Log::Level::Warning, fmt::format("{} printed {} lines that were left out",
                                                          subject_, std::exchange(left_out_, 0)));
    }
    log_(controller::Log::Level::Info, fmt::format("{}: {}", subject_, line));
}

bool StdioFrames::take(std::string_view bytes, LogLines& into) {
    held_ += bytes;
    while (held_.size() >= frame_head_bytes) {
        std::size_t length = 0;
        for (const char c : held_.substr(1, frame_head_bytes - 1))
            length = length << 8 | static_cast<unsigned char>(c);
        if (held_.front() != 0 || length > frame_bytes_max) return false;
        if (held_.size() < frame_head_bytes + length) return true;
        ::plugin::StdioData printed;
        if (!printed.ParseFromString(held_.substr(frame_head_bytes, length))) return false;
        into.take(printed.data());
        held_.erase(0, frame_head_bytes + length);
    }
    return true;
}

}  // namespace sluice::probe
