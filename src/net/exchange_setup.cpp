// The part of an exchange that tells libcurl what to do.
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <cstring>
#include <type_traits>

#include "base/assert.hpp"
#include "net/exchange.hpp"

namespace sluice::net {

namespace {

// A connection that waits for a watch event keeps no buffers: most connections only wait.
CURLcode lean_context(CURL*, void* context, void*) {
    SSL_CTX_set_mode(static_cast<SSL_CTX*>(context), SSL_MODE_RELEASE_BUFFERS);
    return CURLE_OK;
}

constexpr long connect_ms_max = 15'000;         // as long as a dead connection may go unnoticed
constexpr long receive_buffer_bytes = 4 << 10;  // many a transfer is a watch, and mostly waits
constexpr long send_buffer_bytes = 16 << 10;    // libcurl's least; its default is 64 KiB

bool has_header(const HttpRequest& request, std::string_view name) {
    return std::ranges::any_of(request.headers, [&](const Header& header) {
        return boost::beast::iequals(header.name, name);
    });
}

// Without TLS there is nothing to agree on: the client knows, or it is wrong.
long libcurl_version(HttpVersion version, bool secure) {
    if (version == HttpVersion::One) return CURL_HTTP_VERSION_1_1;
    return secure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
}

bool carries_body(const HttpRequest& request) {
    return !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
           request.method == "PATCH";
}

}  // namespace

void Exchange::FreeList::operator()(curl_slist* list) const {
    for (curl_slist* line = list; line != nullptr; line = line->next) {
        ::explicit_bzero(line->data, std::strlen(line->data));  // it may be a bearer token
    }
    curl_slist_free_all(list);
}

CURL* Exchange::open(Sockets& sockets) {
    sockets_ = &sockets;
    handle_.reset(curl_easy_init());
    SLUICE_ASSERT(handle_ != nullptr);
    describe_request();
    describe_connection();
    if (target_.secure) describe_tls();
    describe_callbacks();
    return handle_.get();
}

void Exchange::forbid_reuse() {
    if (handle_) set(CURLOPT_FORBID_REUSE, 1L);
}

template <class Value>
void Exchange::set(CURLoption option, Value value) {
    static_assert(std::is_same_v<Value, long> || std::is_same_v<Value, curl_off_t> ||
                  std::is_pointer_v<Value>);
    SLUICE_ASSERT(curl_easy_setopt(handle_.get(), option, value) == CURLE_OK);
}

void Exchange::set_blob(CURLoption option, std::string_view bytes) {
    curl_blob blob{
        .data = const_cast<char*>(bytes.data()), .len = bytes.size(), .flags = CURL_BLOB_COPY};
    set(option, &blob);
}

void Exchange::append(List& list, const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    SLUICE_ASSERT(longer != nullptr);
    if (!list) list.reset(longer);  // else it is the same head
}

void Exchange::describe_request() {
    set(CURLOPT_URL, target_.url.c_str());
    if (request_.method == "HEAD") {
        set(CURLOPT_NOBODY, 1L);
    } else if (carries_body(request_)) {
        set(CURLOPT_POSTFIELDS, static_cast<const char*>(request_.body.data()));
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    }
    set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    for (const Header& header : request_.headers) {
        // To libcurl, "Name:" and blanks remove a header, and "Name;" sends it without a value.
        const bool is_blank = header.value.reveal().find_first_not_of(" \t") == std::string::npos;
        std::string line = header.name;
        line += is_blank ? ";" : ": ";
        if (!is_blank) line += header.value.reveal();
        append(headers_, line);
        ::explicit_bzero(line.data(), line.size());
    }
    if (!has_header(request_, "Content-Type")) append(headers_, "Content-Type:");
    if (!has_header(request_, "Expect")) append(headers_, "Expect:");
    if (target_.renamed && !has_header(request_, "Host")) {
        append(headers_, "Host: " + target_.authority());
    }
    set(CURLOPT_HTTPHEADER, headers_.get());
}

void Exchange::describe_connection() {
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, libcurl_version(request_.version, target_.secure));
    if (!target_.socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, target_.socket.c_str());
    if (request_.version == HttpVersion::Two && !target_.secure) {
        // libcurl 7.88 greets again on a connection that it knows, and is hung up on.
        set(CURLOPT_FRESH_CONNECT, 1L);
        set(CURLOPT_FORBID_REUSE, 1L);
    }
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_PROXY, request_.proxy.c_str());  // empty keeps the environment out of it
    set(CURLOPT_NOPROXY, "");
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);  // or ending a transfer would wait for its name look-up
    set(CURLOPT_CONNECTTIMEOUT_MS, connect_ms_max);
    set(CURLOPT_BUFFERSIZE, receive_buffer_bytes);
    set(CURLOPT_UPLOAD_BUFFERSIZE, send_buffer_bytes);
    if (target_.renamed) {
        append(route_, "::" + target_.authority());
        set(CURLOPT_CONNECT_TO, route_.get());
    }
}

void Exchange::describe_tls() {
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_SSL_CTX_FUNCTION, &lean_context);
    set(CURLOPT_SSL_SESSIONID_CACHE, 0L);  // a resumed session would outlive its credentials
    set(CURLOPT_KEYPASSWD, "");            // or OpenSSL would ask the terminal for a pass phrase
    if (!request_.tls) return;
    const Tls& tls = *request_.tls;
    set(CURLOPT_SSL_VERIFYPEER, tls.verify ? 1L : 0L);
    set(CURLOPT_SSL_VERIFYHOST, tls.verify ? 2L : 0L);
    if (!tls.ca_pem.empty()) {
        // Without the nulls, Debian's libcurl would trust the system's directory beside the blob.
        set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));
        set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
        set_blob(CURLOPT_CAINFO_BLOB, tls.ca_pem);
    }
    if (!tls.client_cert_pem.empty()) {
        // Both in one blob: libcurl reads the key from it too, and it compares this blob, but not
        // that of a key, before it reuses a connection.
        std::string identity = tls.client_cert_pem + "\n";
        identity += tls.client_key_pem.reveal();
        const Redacted both(std::move(identity));
        set_blob(CURLOPT_SSLCERT_BLOB, both.reveal());
    }
}

void Exchange::describe_callbacks() {
    set(CURLOPT_ERRORBUFFER, error_text_.data());
    set(CURLOPT_OPENSOCKETFUNCTION, &Exchange::on_open);
    set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
    set(CURLOPT_CLOSESOCKETFUNCTION, &Exchange::on_close);
    set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(sockets_));
    set(CURLOPT_PREREQFUNCTION, &Exchange::on_ready);
    set(CURLOPT_PREREQDATA, static_cast<void*>(this));
    set(CURLOPT_HEADERFUNCTION, &Exchange::on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
}

}  // namespace sluice::net
