#include "CChecksum.h"

#include <string.h>

// x86-64 has the instruction since SSE 4.2, and is asked. AArch64 has it since ARMv8.1 and on all Apple processors, where the
// compiler says so. Elsewhere the caller computes with tables.
#if defined(__x86_64__)
#include <nmmintrin.h>
#define TARGET __attribute__((target("sse4.2")))
#define WORD(state, word) _mm_crc32_u64(state, word)
#define BYTE(state, byte) _mm_crc32_u8(state, byte)

bool checksum_has_crc32c(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define TARGET
#define WORD(state, word) __crc32cd((uint32_t)(state), word)
#define BYTE(state, byte) __crc32cb(state, byte)

bool checksum_has_crc32c(void) { return true; }

#else
#define TARGET
#define WORD(state, word) ((void)(word), (state))
#define BYTE(state, byte) ((void)(byte), (state))

bool checksum_has_crc32c(void) { return false; }
#endif

TARGET uint32_t checksum_crc32c(uint32_t state, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint64_t wide = state;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        wide = WORD(wide, word);
    }
    uint32_t narrow = (uint32_t)wide;
    for (; count > 0; count--) narrow = BYTE(narrow, *next++);
    return narrow;
}
