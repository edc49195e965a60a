#include "wire/watch_lines.hpp"

namespace sluice::wire {

Result<std::vector<std::string>> WatchLines::feed(std::string_view bytes) {
    std::vector<std::string> lines;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, end);
        if (partial_.size() + piece.size() > line_max)
            return failure(ErrorKind::TooLarge, "the watch sent a line of more than 8 MiB");
        partial_ += piece;
        if (end == std::string_view::npos) break;
        bytes.remove_prefix(end + 1);
        if (!partial_.empty()) lines.push_back(std::exchange(partial_, {}));
    }
    // A long line leaves its room behind; most are short.
    if (partial_.empty() && partial_.capacity() > (64u << 10)) partial_.shrink_to_fit();
    return lines;
}

}  // namespace sluice::wire
