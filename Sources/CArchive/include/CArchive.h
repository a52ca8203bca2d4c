// The system's libarchive, as a module, and what Swift cannot say.
#ifndef C_ARCHIVE_H
#define C_ARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

/// Has the processor bring the bytes at an address near, and does not wait for them.
static inline void carchive_prefetch(const void *address) { __builtin_prefetch(address, 1); }

#endif
