// The system's libarchive, as a module.
#ifndef C_ARCHIVE_H
#define C_ARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#endif
