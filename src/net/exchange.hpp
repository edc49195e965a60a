// One request and its answer on one libcurl handle. Knows what is sent and what is taken in; when
// and for how long is its owner's business.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "net/http_client.hpp"
#include "net/sockets.hpp"
#include "net/target.hpp"

namespace sluice::net {

class Exchange {
  public:
    using Time = std::chrono::steady_clock::time_point;

    // `chunk` is empty unless the answer is streamed.
    Exchange(HttpRequest request, Target target, HttpClient::Chunk chunk);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // Makes the libcurl handle, ready to be added; it dials through `sockets`, which must outlive
    // the connection.
    CURL* open(Sockets& sockets);
    CURL* handle() const { return handle_.get(); }  // null before open()

    // From now on no chunk is handed on; the transfer ends at its next byte.
    void silence() { silenced_ = true; }
    // Its connection is closed after it.
    void forbid_reuse();

    // After libcurl has come to its end with `code`.
    Result<HttpResponse> outcome(CURLcode code);

    const HttpRequest& request() const { return request_; }
    const Target& target() const { return target_; }
    Time last_byte() const { return last_byte_; }  // of the answer; its creation if none came
    bool has_answer() const { return header_bytes_ > 0; }

  private:
    struct FreeHandle {
        void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    };
    struct FreeList {
        void operator()(curl_slist* list) const;
    };
    using List = std::unique_ptr<curl_slist, FreeList>;

    // libcurl's callbacks. An exception must not fly through C.
    static curl_socket_t on_open(void* self, curlsocktype, curl_sockaddr* address) noexcept;
    static int on_close(void* sockets, curl_socket_t socket) noexcept;
    static int on_ready(void* self, char* remote, char*, int, int) noexcept;
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count,
                                 void* self) noexcept;
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count,
                               void* self) noexcept;

    template <class Value>
    void set(CURLoption option, Value value);
    void set_blob(CURLoption option, std::string_view bytes);
    void describe_request();
    void describe_connection();
    void describe_tls();
    void describe_callbacks();
    void append(List& list, const std::string& line);

    bool may_talk_to(std::string_view remote, int port);
    bool take_header(std::string_view line);
    bool is_wanted_version(std::string_view status_line);
    bool take_body(std::string_view bytes);
    bool is_streaming() const;

    HttpRequest request_;
    Target target_;
    HttpClient::Chunk chunk_;
    Sockets* sockets_ = nullptr;
    HttpResponse response_;
    std::optional<Error> refusal_;          // why we ended it ourselves
    std::optional<std::string> forbidden_;  // an address that the guard denied
    std::size_t header_bytes_ = 0;
    int os_error_ = 0;  // why there was no socket
    Time last_byte_;
    bool dialled_ = false;  // an address that the guard let through
    bool sent_ = false;
    bool stopped_ = false;  // the receiver of chunks has had enough
    bool silenced_ = false;
    List headers_;
    List route_;
    std::array<char, CURL_ERROR_SIZE> error_text_{};
    std::unique_ptr<CURL, FreeHandle> handle_;  // last, as it points to the rest
};

}  // namespace sluice::net
