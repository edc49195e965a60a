// The kubeconfig of an embedded cluster: a file that only its owner can read, there as long as the
// cluster is.
#pragma once

#include <memory>
#include <string>

#include "base/redacted.hpp"
#include "base/result.hpp"

namespace sluice::cli {

struct ClusterAccess {
    std::string server;  // "https://127.0.0.1:6443"
    std::string ca_pem;
    Redacted admin_token;
    Redacted operator_token;
};

// Two contexts: "sluice" for people, which is the current one, and "sluice-operator".
std::string kubeconfig_text(const ClusterAccess& access);

class KubeconfigFile {
  public:
    // The file appears whole. One that is there already is replaced if an embedded cluster left it
    // behind, and left alone otherwise: then this fails.
    static Result<KubeconfigFile> write(const std::string& path, const std::string& text);
    ~KubeconfigFile();  // removes the file, unless somebody has put another one there
    KubeconfigFile(KubeconfigFile&& other) noexcept;
    KubeconfigFile& operator=(KubeconfigFile&&) = delete;

    const std::string& path() const { return path_; }  // absolute

  private:
    KubeconfigFile(std::string path, unsigned long number)
        : path_(std::move(path)), number_(number) {}
    std::string path_;
    unsigned long number_;  // the file's inode
};

}  // namespace sluice::cli
