#include "runtime/packed_texts.hpp"

#include <zlib.h>

#include "base/assert.hpp"

namespace sluice::runtime {
namespace {

// Texts are short: 4 KiB of what came before are enough, and cost 32 KiB while one is packed. No
// header and no checksum: they never leave this process.
constexpr int window_bits = -12;
constexpr int memory_level = 5;
constexpr int effort = 6;

Bytef* bytes_in(std::string& text) {
    return reinterpret_cast<Bytef*>(text.data());
}

// zlib takes bytes that it does not change as if it might.
Bytef* bytes_of(std::string_view text) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

std::string deflated(std::string_view text) {
    z_stream stream{};
    int went =
        deflateInit2(&stream, effort, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
    SLUICE_ASSERT(went == Z_OK);
    std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = bytes_of(text);
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = bytes_in(packed);
    stream.avail_out = static_cast<uInt>(packed.size());
    went = deflate(&stream, Z_FINISH);
    SLUICE_ASSERT(went == Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

std::string inflated(std::string_view packed, std::size_t bytes) {
    z_stream stream{};
    int went = inflateInit2(&stream, window_bits);
    SLUICE_ASSERT(went == Z_OK);
    std::string text(bytes, '\0');
    stream.next_in = bytes_of(packed);
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = bytes_in(text);
    stream.avail_out = static_cast<uInt>(text.size());
    went = inflate(&stream, Z_FINISH);
    SLUICE_ASSERT(went == Z_STREAM_END && stream.total_out == bytes);
    inflateEnd(&stream);
    return text;
}

}  // namespace

PackedTexts::PackedTexts(std::string_view spec, std::string_view status)
    : packed_(std::string{spec}.append(status)), bytes_(packed_.size()), spec_bytes_(spec.size()) {
    if (bytes_ == 0) return;
    if (std::string shorter = deflated(packed_); shorter.size() < bytes_)
        packed_ = std::move(shorter);
    packed_.shrink_to_fit();
}

PackedTexts::Texts PackedTexts::unpacked() const {
    const std::string both = packed_.size() < bytes_ ? inflated(packed_, bytes_) : packed_;
    return {both.substr(0, spec_bytes_), both.substr(spec_bytes_)};
}

}  // namespace sluice::runtime
