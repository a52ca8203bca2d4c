#include "csqlitefaults.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the disk has of a file, and what was written since the last sync: also one that failed, since the system may then take
// what it has in memory for what is on the disk.
typedef struct kept_file {
    struct kept_file *next;
    char *path;
    char *synced;
    int64_t size, least;
    struct { int64_t start, end; } *dirty;
    int dirtyCount, dirtyRoom;
} kept_file;

struct sqlite_faults {
    struct sqlite_faults *next;
    char *folder;
    int64_t count, failing;
    int isFull, forEver, kinds, failed;
    kept_file *files;
};

typedef struct {
    sqlite3_file base;
    sqlite_faults *faults;
    // Where a power cut finds what the disk has of it.
    kept_file *kept;
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

// Memory that a test has no more of ends it.
static void *grown(void *memory, int64_t size) {
    void *result = realloc(memory, size > 0 ? (size_t)size : 1);
    if (!result) abort();
    return result;
}

static void keep_write(kept_file *kept, int64_t start, int64_t end) {
    pthread_mutex_lock(&lock);
    if (kept->dirtyCount == kept->dirtyRoom) {
        kept->dirtyRoom = 2 * kept->dirtyRoom + 16;
        kept->dirty = grown(kept->dirty, kept->dirtyRoom * (int64_t)sizeof *kept->dirty);
    }
    kept->dirty[kept->dirtyCount].start = start;
    kept->dirty[kept->dirtyCount++].end = end;
    pthread_mutex_unlock(&lock);
}

static void keep_sync(faulty_file *file, int succeeds) {
    kept_file *kept = file->kept;
    sqlite3_int64 size = 0;
    file->real->pMethods->xFileSize(file->real, &size);
    pthread_mutex_lock(&lock);
    if (succeeds) {
        if (kept->least < kept->size) kept->size = kept->least;
        kept->synced = grown(kept->synced, size);
        if (kept->size < size) memset(kept->synced + kept->size, 0, (size_t)(size - kept->size));
        kept->size = kept->least = size;
        for (int i = 0; i < kept->dirtyCount; i++) {
            int64_t start = kept->dirty[i].start, end = kept->dirty[i].end < size ? kept->dirty[i].end : size;
            if (start < end)
                file->real->pMethods->xRead(file->real, kept->synced + start, (int)(end - start), start);
        }
    }
    kept->dirtyCount = 0;
    pthread_mutex_unlock(&lock);
}

static int f_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
    int code = look(own(f)->faults, SQLITE_FAULTS_WRITE);
    keep_write(own(f)->kept, offset, offset + (code ? count / 2 : count));
    int written = own(f)->real->pMethods->xWrite(own(f)->real, bytes, code ? count / 2 : count, offset);
    return code ? code : written;
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size) {
    int code = look(own(f)->faults, SQLITE_FAULTS_TRUNCATE);
    kept_file *kept = own(f)->kept;
    if (!code) {
        pthread_mutex_lock(&lock);
        if (size < kept->least) kept->least = size;
        pthread_mutex_unlock(&lock);
    }
    return code ? code : own(f)->real->pMethods->xTruncate(own(f)->real, size);
}

static int f_sync(sqlite3_file *f, int flags) {
    int code = look(own(f)->faults, SQLITE_FAULTS_SYNC);
    if (!code) code = own(f)->real->pMethods->xSync(own(f)->real, flags);
    keep_sync(own(f), !code);
    return code;
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

// What is kept of a file, from the first time on that it is opened.
static kept_file *kept_of(sqlite_faults *faults, const char *path) {
    pthread_mutex_lock(&lock);
    kept_file *found = faults->files;
    while (found && strcmp(found->path, path) != 0) found = found->next;
    if (!found) {
        found = grown(0, sizeof *found);
        memset(found, 0, sizeof *found);
        found->path = strcpy(grown(0, (int64_t)strlen(path) + 1), path);
        found->next = faults->files;
        faults->files = found;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void forget(sqlite_faults *faults, const char *path) {
    pthread_mutex_lock(&lock);
    for (kept_file *file = faults->files; file; file = file->next)
        if (strcmp(file->path, path) == 0) file->size = file->least = file->dirtyCount = 0;
    pthread_mutex_unlock(&lock);
}

static char *read_file(const char *path, int64_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    char *bytes = grown(0, *size);
    if (fread(bytes, 1, (size_t)*size, file) != (size_t)*size) abort();
    fclose(file);
    return bytes;
}

// What a power cut leaves of a file: what the disk has, and of what was not synced the first bytes, or every other sector.
static void cut(kept_file *kept, int64_t first, int sectors) {
    int64_t size = 0, oldSize = kept->size;
    char *new = read_file(kept->path, &size);
    if (!new) return;
    int64_t end = 0;
    while (end < size && end < oldSize && new[end] == kept->synced[end]) end++;
    end = first < size - end ? end + first : size;
    int64_t length = sectors ? (size > oldSize ? size : oldSize) : (end > oldSize ? end : oldSize), written = 0;
    char *left = grown(0, length);
    memset(left, 0, (size_t)length);
    for (int64_t at = 0; at < length; at++) {
        int isNew = sectors ? at / 512 % 2 == sectors - 1 : at < end;
        if (isNew ? at < size : at < oldSize) {
            left[at] = isNew ? new[at] : kept->synced[at];
            written = at + 1;
        }
    }
    FILE *file = fopen(kept->path, "wb");
    if (!file || fwrite(left, 1, (size_t)written, file) != (size_t)written || fclose(file) != 0) abort();
    kept->synced = grown(kept->synced, written);
    memcpy(kept->synced, left, (size_t)written);
    kept->size = kept->least = written;
    kept->dirtyCount = 0;
    free(left);
    free(new);
}

void sqlite_faults_cut_power(sqlite_faults *faults, int64_t first, int sectors) {
    pthread_mutex_lock(&lock);
    for (kept_file *file = faults->files; file; file = file->next) cut(file, first, sectors);
    pthread_mutex_unlock(&lock);
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
    own->kept = kept_of(faults, path);
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
    if (faults && !code) forget(faults, path);
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
    while (faults->files) {
        kept_file *file = faults->files;
        faults->files = file->next;
        free(file->path);
        free(file->synced);
        free(file->dirty);
        free(file);
    }
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

int sqlite_faults_run(const char *path, const char *sql) {
    sqlite3 *database = NULL;
    int code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(database, sql, NULL, NULL, NULL);
    int closed = sqlite3_close(database);
    return code == SQLITE_OK ? closed : code;
}
