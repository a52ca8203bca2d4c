#include "csqlitefaults.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct sqlite_faults {
    struct sqlite_faults *next;
    char *folder;
    int64_t count, failing;
    int isFull, forEver, kinds, failed;
};

typedef struct {
    sqlite3_file base;
    sqlite_faults *faults;
    // SQLite's own file, in the memory behind this one.
    sqlite3_file *real;
} faulty_file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sqlite_faults *all;
static sqlite3_vfs *base;
static sqlite3_vfs faulty;

static int code_of(int kind) {
    switch (kind) {
        case SQLITE_FAULTS_WRITE: return SQLITE_IOERR_WRITE;
        case SQLITE_FAULTS_SYNC: return SQLITE_IOERR_FSYNC;
        case SQLITE_FAULTS_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
        case SQLITE_FAULTS_DELETE: return SQLITE_IOERR_DELETE;
        case SQLITE_FAULTS_READ: return SQLITE_IOERR_READ;
        case SQLITE_FAULTS_MAP: return SQLITE_IOERR_SHMMAP;
        default: return SQLITE_CANTOPEN;
    }
}

// The code with which a call is to fail, or SQLITE_OK.
static int look(sqlite_faults *faults, int kind) {
    int code = SQLITE_OK;
    pthread_mutex_lock(&lock);
    if (faults->kinds & kind) {
        faults->count++;
        int fails = faults->forEver ? faults->count >= faults->failing : faults->count == faults->failing;
        if (faults->failing > 0 && fails) {
            code = faults->isFull ? SQLITE_FULL : code_of(kind);
            if (!faults->failed) faults->failed = kind;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static faulty_file *own(sqlite3_file *file) { return (faulty_file *)file; }

static int f_close(sqlite3_file *f) { return own(f)->real->pMethods->xClose(own(f)->real); }

static int f_read(sqlite3_file *f, void *bytes, int count, sqlite3_int64 offset) {
    int code = look(own(f)->faults, SQLITE_FAULTS_READ);
    return code ? code : own(f)->real->pMethods->xRead(own(f)->real, bytes, count, offset);
}

static int f_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
    int code = look(own(f)->faults, SQLITE_FAULTS_WRITE);
    int written = own(f)->real->pMethods->xWrite(own(f)->real, bytes, code ? count / 2 : count, offset);
    return code ? code : written;
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size) {
    int code = look(own(f)->faults, SQLITE_FAULTS_TRUNCATE);
    return code ? code : own(f)->real->pMethods->xTruncate(own(f)->real, size);
}

static int f_sync(sqlite3_file *f, int flags) {
    int code = look(own(f)->faults, SQLITE_FAULTS_SYNC);
    return code ? code : own(f)->real->pMethods->xSync(own(f)->real, flags);
}

static int f_size(sqlite3_file *f, sqlite3_int64 *size) {
    return own(f)->real->pMethods->xFileSize(own(f)->real, size);
}

static int f_lock(sqlite3_file *f, int level) { return own(f)->real->pMethods->xLock(own(f)->real, level); }
static int f_unlock(sqlite3_file *f, int level) { return own(f)->real->pMethods->xUnlock(own(f)->real, level); }
static int f_reserved(sqlite3_file *f, int *is) {
    return own(f)->real->pMethods->xCheckReservedLock(own(f)->real, is);
}

static int f_control(sqlite3_file *f, int operation, void *argument) {
    return own(f)->real->pMethods->xFileControl(own(f)->real, operation, argument);
}

static int f_sector(sqlite3_file *f) { return own(f)->real->pMethods->xSectorSize(own(f)->real); }
static int f_device(sqlite3_file *f) { return own(f)->real->pMethods->xDeviceCharacteristics(own(f)->real); }

static int f_map(sqlite3_file *f, int page, int size, int extend, void volatile **memory) {
    int code = look(own(f)->faults, SQLITE_FAULTS_MAP);
    return code ? code : own(f)->real->pMethods->xShmMap(own(f)->real, page, size, extend, memory);
}

static int f_map_lock(sqlite3_file *f, int offset, int n, int flags) {
    return own(f)->real->pMethods->xShmLock(own(f)->real, offset, n, flags);
}

static void f_barrier(sqlite3_file *f) { own(f)->real->pMethods->xShmBarrier(own(f)->real); }
static int f_unmap(sqlite3_file *f, int deletes) { return own(f)->real->pMethods->xShmUnmap(own(f)->real, deletes); }

// Without memory mapping, which version 3 is about.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = f_close,
    .xRead = f_read,
    .xWrite = f_write,
    .xTruncate = f_truncate,
    .xSync = f_sync,
    .xFileSize = f_size,
    .xLock = f_lock,
    .xUnlock = f_unlock,
    .xCheckReservedLock = f_reserved,
    .xFileControl = f_control,
    .xSectorSize = f_sector,
    .xDeviceCharacteristics = f_device,
    .xShmMap = f_map,
    .xShmLock = f_map_lock,
    .xShmBarrier = f_barrier,
    .xShmUnmap = f_unmap,
};

static sqlite_faults *faults_of(const char *path) {
    if (!path) return 0;
    pthread_mutex_lock(&lock);
    sqlite_faults *found = all;
    while (found && strncmp(path, found->folder, strlen(found->folder)) != 0) found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static int v_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *given) {
    (void)vfs;
    sqlite_faults *faults = faults_of(path);
    if (!faults) return base->xOpen(base, path, file, flags, given);
    faulty_file *own = (faulty_file *)file;
    own->base.pMethods = 0;
    int code = look(faults, SQLITE_FAULTS_OPEN);
    if (code) return code;
    own->faults = faults;
    own->real = (sqlite3_file *)(own + 1);
    memset(own->real, 0, (size_t)base->szOsFile);
    code = base->xOpen(base, path, own->real, flags, given);
    if (own->real->pMethods) own->base.pMethods = &methods;
    return code;
}

static int v_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    sqlite_faults *faults = faults_of(path);
    int code = faults ? look(faults, SQLITE_FAULTS_DELETE) : SQLITE_OK;
    return code ? code : base->xDelete(base, path, syncs);
}

static void install(void) {
    base = sqlite3_vfs_find(0);
    // The other calls are SQLite's own, which look at pAppData alone.
    faulty = *base;
    faulty.pNext = 0;
    faulty.zName = "faulty";
    faulty.szOsFile = (int)sizeof(faulty_file) + base->szOsFile;
    faulty.xOpen = v_open;
    faulty.xDelete = v_delete;
    sqlite3_vfs_register(&faulty, 1);
}

sqlite_faults *sqlite_faults_begin(const char *folder) {
    pthread_once(&once, install);
    sqlite_faults *faults = calloc(1, sizeof *faults);
    if (!faults) return 0;
    faults->folder = strdup(folder);
    if (!faults->folder) {
        free(faults);
        return 0;
    }
    pthread_mutex_lock(&lock);
    faults->next = all;
    all = faults;
    pthread_mutex_unlock(&lock);
    return faults;
}

void sqlite_faults_end(sqlite_faults *faults) {
    pthread_mutex_lock(&lock);
    for (sqlite_faults **place = &all; *place; place = &(*place)->next) {
        if (*place != faults) continue;
        *place = faults->next;
        break;
    }
    pthread_mutex_unlock(&lock);
    free(faults->folder);
    free(faults);
}

void sqlite_faults_arm(sqlite_faults *faults, int64_t n, int isFull, int forEver, int kinds) {
    pthread_mutex_lock(&lock);
    faults->count = 0;
    faults->failing = n;
    faults->isFull = isFull;
    faults->forEver = forEver;
    faults->kinds = kinds;
    faults->failed = 0;
    pthread_mutex_unlock(&lock);
}

int64_t sqlite_faults_count(sqlite_faults *faults) {
    pthread_mutex_lock(&lock);
    int64_t count = faults->count;
    pthread_mutex_unlock(&lock);
    return count;
}

int sqlite_faults_failed(sqlite_faults *faults) {
    pthread_mutex_lock(&lock);
    int failed = faults->failed;
    pthread_mutex_unlock(&lock);
    return failed;
}

static sqlite3_mem_methods allocator;
static _Atomic int64_t allocations, failingAllocation;
static _Atomic int failsForEver;

static int fails(void) {
    int64_t number = atomic_fetch_add(&allocations, 1) + 1;
    int64_t failing = atomic_load(&failingAllocation);
    return failing > 0 && (atomic_load(&failsForEver) ? number >= failing : number == failing);
}

static void *m_allocate(int size) { return fails() ? 0 : allocator.xMalloc(size); }
static void *m_reallocate(void *memory, int size) { return fails() ? 0 : allocator.xRealloc(memory, size); }

int sqlite_faults_watch_memory(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &allocator) != SQLITE_OK) return 0;
    sqlite3_mem_methods watched = allocator;
    watched.xMalloc = m_allocate;
    watched.xRealloc = m_reallocate;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &watched) == SQLITE_OK;
}

void sqlite_faults_arm_memory(int64_t n, int forEver) {
    atomic_store(&failingAllocation, 0);
    atomic_store(&allocations, 0);
    atomic_store(&failsForEver, forEver);
    atomic_store(&failingAllocation, n);
}

int64_t sqlite_faults_allocations(void) { return atomic_load(&allocations); }
