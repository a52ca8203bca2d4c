// The system's libarchive, as a module, and what Swift cannot say.
#ifndef C_ARCHIVE_H
#define C_ARCHIVE_H

#if __has_include(<archive.h>)

#include <archive.h>
#include <archive_entry.h>

#else

// Apple's systems have the library and no header for it. These are the declarations that are used, as libarchive 3 has
// them. Where there is a header, CArchive.c compares the two.
#include "../CArchiveDeclarations.h"

#endif

/// Has the processor bring the bytes at an address near, and does not wait for them.
static inline void carchive_prefetch(const void *address) { __builtin_prefetch(address, 1); }

#endif
