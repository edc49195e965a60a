// A folder of a test's own that is gone when the test is.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace sluice::kube::test {

class TempFolder {
  public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "sluice-kube-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    std::string path(const std::string& name) const { return (path_ / name).string(); }

    // Replaces the file as a careful program does: the new one has another inode.
    std::string write(const std::string& name, const std::string& text) const {
        const std::string temporary = path(name) + ".new";
        std::ofstream(temporary, std::ios::binary) << text;
        std::filesystem::rename(temporary, path(name));
        return path(name);
    }

    std::string write_program(const std::string& name, const std::string& text) const {
        write(name, text);
        std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
        return path(name);
    }

    std::string read(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    std::filesystem::path path_;
};

}  // namespace sluice::kube::test
