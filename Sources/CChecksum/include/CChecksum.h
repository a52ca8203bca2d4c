#ifndef C_CHECKSUM_H
#define C_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns whether the processor has an instruction for CRC-32C that this file uses.
bool checksum_has_crc32c(void);

/// The state of CRC-32C (the check with all bits inverted) after more bytes. Only where the processor has the instruction.
uint32_t checksum_crc32c(uint32_t state, const void *bytes, size_t count);

#endif
