#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace sluice::cli {
namespace {

bool speaks_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        std::string value = environment(name);
        if (value.empty()) continue;
        std::ranges::transform(value, value.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    }
    return false;
}

}  // namespace

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

terminal::Style style_of_terminal() {
    terminal::Style style;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        style.columns = size.ws_col;
        style.rows = size.ws_row;
    }
    style.colour = environment("NO_COLOR").empty();
    style.unicode = speaks_utf8();
    return style;
}

}  // namespace sluice::cli
