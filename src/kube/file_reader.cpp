#include "kube/file_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "net/spawn.hpp"

namespace sluice::kube {
namespace {

FileLook look_of(const struct stat& status) {
    return {.device = status.st_dev,
            .inode = status.st_ino,
            .size = status.st_size,
            .modified_ns =
                std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::optional<FileLook> look_at(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return look_of(status);
}

std::unexpected<Error> unreadable(int error_number) {
    return failure(
        ErrorKind::Unreadable,
        fmt::format("cannot be read: {}", std::generic_category().message(error_number)));
}

// Up to one byte more than allowed, which is how a file that is too large shows. `size_hint` keeps
// a secret from being copied from buffer to buffer.
Result<std::string> bytes_of(int fd, std::size_t size_hint, std::size_t bytes_max) {
    std::string text(std::min(size_hint, bytes_max) + 1, '\0');
    std::size_t length = 0;
    while (true) {
        const ssize_t count = ::read(fd, text.data() + length, text.size() - length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return unreadable(errno);
        length += static_cast<std::size_t>(count);
        if (count == 0 || length > bytes_max) break;
        if (length == text.size()) text.resize(std::min(2 * length, bytes_max + 1));
    }
    text.resize(length);
    return text;
}

}  // namespace

Result<Redacted> FileReader::read(const std::string& path, std::size_t bytes_max) {
    const net::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const int open_error = errno;
    struct stat status{};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
        seen_.push_back({path, look_at(path)});
        return unreadable(file.get() < 0 ? open_error : errno);
    }
    seen_.push_back({path, look_of(status)});
    if (!S_ISREG(status.st_mode))
        return failure(ErrorKind::Unreadable, "is not a regular file; copy it to one");
    Result<std::string> text =
        bytes_of(file.get(), static_cast<std::size_t>(status.st_size), bytes_max);
    if (!text) return std::unexpected(text.error());
    if (text->size() > bytes_max)
        return failure(ErrorKind::TooLarge, fmt::format("is larger than {} KiB", bytes_max / 1024));
    return Redacted(*std::move(text));
}

bool FileReader::is_unchanged() const {
    return std::ranges::all_of(seen_,
                               [](const Seen& file) { return look_at(file.path) == file.look; });
}

bool exists(const std::string& path) {
    return look_at(path).has_value();
}

}  // namespace sluice::kube
