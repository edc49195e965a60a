// What an outgoing TLS connection trusts and shows. PEM bytes, never file names.
#pragma once

#include <string>

#include "base/redacted.hpp"

namespace sluice::net {

struct Tls {
    std::string ca_pem{};           // empty: the system's trust store
    std::string client_cert_pem{};  // with client_key_pem, or both empty
    Redacted client_key_pem{};
    std::string server_name{};  // empty: the host of the URL
    bool verify = true;         // false only where a person said so: insecure-skip-tls-verify
};

}  // namespace sluice::net
