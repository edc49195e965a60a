#include "language/letters.hpp"

#include <array>

#include "base/utf8.hpp"

namespace sluice::language {

namespace {

// Capital letters `first` to `last`, every `step`th; each small letter stands `distance` after.
struct Letters {
    char32_t first;
    char32_t last;
    char32_t step;
    char32_t distance;
};

constexpr std::array alphabets{
    Letters{'A', 'Z', 1, 32},     Letters{0xC0, 0xD6, 1, 32},  // À to Ö
    Letters{0xD8, 0xDE, 1, 32},                                // Ø to Þ
    Letters{0x100, 0x12E, 2, 1},                               // Ā to Į
    Letters{0x132, 0x136, 2, 1},                               // Ĳ to Ķ
    Letters{0x139, 0x147, 2, 1},                               // Ĺ to Ň
    Letters{0x14A, 0x176, 2, 1},                               // Ŋ to Ŷ
    Letters{0x178, 0x178, 1, 0},   // Ÿ, whose small letter stands before it
    Letters{0x179, 0x17D, 2, 1},   // Ź to Ž
    Letters{0x386, 0x386, 1, 38},  // Ά
    Letters{0x388, 0x38A, 1, 37},  // Έ to Ί
    Letters{0x38C, 0x38C, 1, 64},  // Ό
    Letters{0x38E, 0x38F, 1, 63},  // Ύ and Ώ
    Letters{0x391, 0x3A1, 1, 32},  // Α to Ρ
    Letters{0x3A3, 0x3AB, 1, 32},  // Σ to Ϋ
    Letters{0x400, 0x40F, 1, 80},  // Ѐ to Џ
    Letters{0x410, 0x42F, 1, 32},  // А to Я
};

bool among(char32_t point, char32_t first, char32_t last, char32_t step) {
    return point >= first && point <= last && (point - first) % step == 0;
}

char32_t lower_of(char32_t point) {
    if (point == 0x178) return 0xFF;
    if (point == 0x130) return 'i';  // İ
    for (const Letters& run : alphabets)
        if (among(point, run.first, run.last, run.step)) return point + run.distance;
    return point;
}

char32_t upper_of(char32_t point) {
    switch (point) {
        case 0xFF: return 0x178;
        case 0xB5: return 0x39C;   // µ
        case 0x131: return 'I';    // ı
        case 0x17F: return 'S';    // ſ
        case 0x3C2: return 0x3A3;  // ς
        default: break;
    }
    for (const Letters& run : alphabets) {
        if (run.distance > 0 &&
            among(point, run.first + run.distance, run.last + run.distance, run.step))
            return point - run.distance;
    }
    return point;
}

std::string changed(std::string_view text, char32_t (*to)(char32_t)) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::optional<Rune> rune = first_rune(text);
        const std::size_t length = rune ? rune->length : 1;
        if (!rune || to(rune->point) == rune->point)
            out.append(text.substr(0, length));
        else
            out += utf8_of(to(rune->point));
        text.remove_prefix(length);
    }
    return out;
}

}  // namespace

bool is_space(char32_t point) {
    return (point >= '\t' && point <= '\r') || point == ' ' || point == 0x85 || point == 0xA0 ||
           point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
           point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

std::string lowered(std::string_view text) {
    return changed(text, lower_of);
}

std::string uppered(std::string_view text) {
    return changed(text, upper_of);
}

}  // namespace sluice::language
