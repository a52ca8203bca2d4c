// A file system for SQLite that fails at a chosen call, for tests: the default one, with a look at each call.
#ifndef CSQLITEFAULTS_H
#define CSQLITEFAULTS_H

#include <stdint.h>

// What SQLite asks of a file.
enum {
    SQLITE_FAULTS_WRITE = 1,
    SQLITE_FAULTS_SYNC = 2,
    SQLITE_FAULTS_TRUNCATE = 4,
    SQLITE_FAULTS_DELETE = 8,
    SQLITE_FAULTS_READ = 16,
    SQLITE_FAULTS_OPEN = 32,
    SQLITE_FAULTS_MAP = 64,
    SQLITE_FAULTS_CHANGES = 1 | 2 | 4 | 8
};

// The files below one folder.
typedef struct sqlite_faults sqlite_faults;

// Looks at the calls for files whose path begins with the folder; other files are not touched. Null where there is no
// memory. Files that are open keep their file system until they are closed.
sqlite_faults *sqlite_faults_begin(const char *folder);

// Ends it. All files must be closed.
void sqlite_faults_end(sqlite_faults *faults);

// Counts calls of these kinds from now on, and lets the n-th fail (1 is the next one; 0 none), and all later ones where
// they fail for ever. A write that fails has written its first half.
void sqlite_faults_arm(sqlite_faults *faults, int64_t n, int isFull, int forEver, int kinds);

// How many calls have been counted.
int64_t sqlite_faults_count(sqlite_faults *faults);

// Does to the files what a power cut does: what no sync has waited for is gone, but for the first bytes in each file (0 for
// none), or for its odd or even sectors of 512 bytes (1 or 2; 0 for neither). All files must be closed.
void sqlite_faults_cut_power(sqlite_faults *faults, int64_t first, int sectors);

// The kind of the first call that failed; 0 where none has.
int sqlite_faults_failed(sqlite_faults *faults);

// Runs a statement in a database, which nobody has open. 0, or SQLite's code of what failed.
int sqlite_faults_run(const char *path, const char *sql);

// Puts itself in front of SQLite's allocator. To be called before anything else of SQLite; false where that is too late.
int sqlite_faults_watch_memory(void);

// Counts allocations from now on, and lets the n-th fail (0: none), and all later ones where they fail for ever.
void sqlite_faults_arm_memory(int64_t n, int forEver);

// How many allocations have been counted.
int64_t sqlite_faults_allocations(void);

#endif
