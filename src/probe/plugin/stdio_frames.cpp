#include "probe/plugin/stdio_frames.hpp"

#include <go_plugin.pb.h>

namespace sluice::probe {

namespace {

constexpr std::size_t prefix_bytes = 5;
constexpr std::size_t frame_bytes_max = 64 << 10;  // go-plugin reads 1 KiB at a time

}  // namespace

bool StdioFrames::take(std::string_view bytes, LogLines& into) {
    held_ += bytes;
    while (held_.size() >= prefix_bytes) {
        std::size_t length = 0;
        for (const char c : held_.substr(1, prefix_bytes - 1))
            length = length << 8 | static_cast<unsigned char>(c);
        if (held_.front() != 0 || length > frame_bytes_max) return false;
        if (held_.size() < prefix_bytes + length) return true;
        ::plugin::StdioData printed;
        if (!printed.ParseFromString(held_.substr(prefix_bytes, length))) return false;
        into.take(printed.data());
        held_.erase(0, prefix_bytes + length);
    }
    return true;
}

}  // namespace sluice::probe
