#define _GNU_SOURCE
#include "diskfaults.h"

#ifdef __linux__
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// What the disk has of a file, and what was written since the last sync: also one that failed, since the system may then take
// what it has in memory for what is on the disk. What is written through a memory map is not seen.
typedef struct kept_file {
    struct kept_file *next;
    char *path, *synced;
    int64_t size, least;
    struct { int64_t start, end; } *dirty;
    int dirtyCount, dirtyRoom;
} kept_file;

struct disk_faults {
    struct disk_faults *next;
    char *folder;
    size_t length;
    int64_t count, failing;
    int isFull, forEver;
    kept_file *files;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static disk_faults *all;

// The system's function of a name, which this library stands before.
#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// Memory that a test has no more of ends it.
static void *grown(void *memory, int64_t size) {
    void *result = realloc(memory, size > 0 ? (size_t)size : 1);
    if (!result) abort();
    return result;
}

static disk_faults *faults_of_path(const char *path) {
    pthread_mutex_lock(&lock);
    disk_faults *found = all;
    while (found && !(strncmp(path, found->folder, found->length) == 0 && path[found->length] == '/')) found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

// The faults of an open file, with its path; null outside of all folders.
static disk_faults *faults_of(int descriptor, char *path) {
    if (!__atomic_load_n(&all, __ATOMIC_ACQUIRE)) return 0;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return faults_of_path(path);
}

// The same for a path that need not exist.
static disk_faults *faults_of_name(const char *name, char *path) {
    if (!__atomic_load_n(&all, __ATOMIC_ACQUIRE)) return 0;
    char folder[PATH_MAX];
    const char *last = strrchr(name, '/');
    if (!last || (size_t)(last - name) >= sizeof folder) return 0;
    memcpy(folder, name, (size_t)(last - name));
    folder[last - name] = 0;
    if (!realpath(*folder ? folder : "/", path) || strlen(path) + strlen(last) >= PATH_MAX) return 0;
    strcat(path, last);
    return faults_of_path(path);
}

// The code with which a call is to fail, or 0.
static int look(disk_faults *faults) {
    pthread_mutex_lock(&lock);
    faults->count++;
    int fails = faults->failing > 0
        && (faults->forEver ? faults->count >= faults->failing : faults->count == faults->failing);
    int code = !fails ? 0 : faults->isFull ? ENOSPC : EIO;
    pthread_mutex_unlock(&lock);
    return code;
}

// What is kept of a file. The lock is held.
static kept_file *kept_of(disk_faults *faults, const char *path) {
    kept_file *found = faults->files;
    while (found && strcmp(found->path, path) != 0) found = found->next;
    if (found) return found;
    found = memset(grown(0, sizeof *found), 0, sizeof *found);
    found->path = strcpy(grown(0, (int64_t)strlen(path) + 1), path);
    found->next = faults->files;
    faults->files = found;
    return found;
}

static void keep_write(disk_faults *faults, const char *path, int64_t start, int64_t count) {
    pthread_mutex_lock(&lock);
    kept_file *kept = kept_of(faults, path);
    if (kept->dirtyCount == kept->dirtyRoom) {
        kept->dirtyRoom = 2 * kept->dirtyRoom + 16;
        kept->dirty = grown(kept->dirty, kept->dirtyRoom * (int64_t)sizeof *kept->dirty);
    }
    kept->dirty[kept->dirtyCount].start = start;
    kept->dirty[kept->dirtyCount++].end = start + count;
    pthread_mutex_unlock(&lock);
}

// Takes over what is dirty from a given entry on, as the file has it now.
static void settle(kept_file *kept, int descriptor, int from) {
    struct stat status;
    int64_t size = fstat(descriptor, &status) == 0 ? status.st_size : 0;
    if (kept->least < kept->size) kept->size = kept->least;
    kept->synced = grown(kept->synced, size > kept->size ? size : kept->size);
    if (kept->size < size) memset(kept->synced + kept->size, 0, (size_t)(size - kept->size));
    kept->size = kept->least = size;
    for (int i = from; i < kept->dirtyCount; i++) {
        int64_t start = kept->dirty[i].start, end = kept->dirty[i].end < size ? kept->dirty[i].end : size;
        if (start < end && pread(descriptor, kept->synced + start, (size_t)(end - start), start) != end - start) abort();
    }
    kept->dirtyCount = from;
}

static int synced(disk_faults *faults, int descriptor, const char *path, int result) {
    struct stat status;
    int code = errno;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return result;
    pthread_mutex_lock(&lock);
    kept_file *kept = kept_of(faults, path);
    if (result == 0) settle(kept, descriptor, 0);
    kept->dirtyCount = 0;
    pthread_mutex_unlock(&lock);
    errno = code;
    return result;
}

// The end of a write at a place, of which a call that fails has done half.
static ssize_t written(disk_faults *faults, int descriptor, const char *path, int64_t start, ssize_t count, int code) {
    if (count > 0) keep_write(faults, path, start, count);
    if (count > 0 && !code && (fcntl(descriptor, F_GETFL) & O_DSYNC)) {
        pthread_mutex_lock(&lock);
        kept_file *kept = kept_of(faults, path);
        settle(kept, descriptor, kept->dirtyCount - 1);
        pthread_mutex_unlock(&lock);
    }
    if (!code) return count;
    errno = code;
    return -1;
}

static int64_t place(int descriptor) {
    struct stat status;
    if ((fcntl(descriptor, F_GETFL) & O_APPEND) && fstat(descriptor, &status) == 0) return status.st_size;
    return lseek(descriptor, 0, SEEK_CUR);
}

#define WRITING(call, start) \
    char path[PATH_MAX]; \
    disk_faults *faults = faults_of(descriptor, path); \
    if (!faults) return call; \
    int code = look(faults); \
    int64_t from = start; \
    if (code) count /= 2; \
    return written(faults, descriptor, path, from, call, code)

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    WRITING(real(descriptor, bytes, count, offset), offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    WRITING(real(descriptor, bytes, count, offset), offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write);
    WRITING(real(descriptor, bytes, count), place(descriptor));
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    REAL(writev);
    WRITING(real(descriptor, parts, count), place(descriptor));
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    REAL(pwritev);
    WRITING(real(descriptor, parts, count, offset), offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    REAL(pwritev64);
    WRITING(real(descriptor, parts, count, offset), offset);
}

#define SYNCING(call) \
    char path[PATH_MAX]; \
    disk_faults *faults = faults_of(descriptor, path); \
    if (!faults) return call; \
    int code = look(faults); \
    if (code) errno = code; \
    return synced(faults, descriptor, path, code ? -1 : call)

int fsync(int descriptor) {
    REAL(fsync);
    SYNCING(real(descriptor));
}

int fdatasync(int descriptor) {
    REAL(fdatasync);
    SYNCING(real(descriptor));
}

static int cuts(int descriptor, int64_t size) {
    char path[PATH_MAX];
    disk_faults *faults = faults_of(descriptor, path);
    if (!faults) return 0;
    int code = look(faults);
    if (code) {
        errno = code;
        return -1;
    }
    pthread_mutex_lock(&lock);
    kept_file *kept = kept_of(faults, path);
    if (size < kept->least) kept->least = size;
    pthread_mutex_unlock(&lock);
    return 0;
}

int ftruncate(int descriptor, off_t size) {
    REAL(ftruncate);
    return cuts(descriptor, size) ? -1 : real(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
    REAL(ftruncate64);
    return cuts(descriptor, size) ? -1 : real(descriptor, size);
}

// Names are on the disk at once.
static void forget(disk_faults *faults, const char *path) {
    for (kept_file *file = faults->files; file; file = file->next)
        if (strcmp(file->path, path) == 0) file->size = file->least = file->dirtyCount = 0;
}

int unlink(const char *name) {
    REAL(unlink);
    char path[PATH_MAX];
    disk_faults *faults = faults_of_name(name, path);
    int code = faults ? look(faults) : 0;
    if (code) {
        errno = code;
        return -1;
    }
    int result = real(name);
    if (faults && result == 0) {
        pthread_mutex_lock(&lock);
        forget(faults, path);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

int rename(const char *old, const char *name) {
    REAL(rename);
    char path[PATH_MAX], former[PATH_MAX];
    disk_faults *faults = faults_of_name(name, path);
    if (!faults || faults_of_name(old, former) != faults) return real(old, name);
    int code = look(faults);
    if (code) {
        errno = code;
        return -1;
    }
    int result = real(old, name);
    if (result == 0) {
        pthread_mutex_lock(&lock);
        kept_file *to = kept_of(faults, path), *from = kept_of(faults, former), moved = *from;
        *from = (kept_file){.next = from->next, .path = from->path};
        free(to->synced);
        free(to->dirty);
        (moved.next = to->next, moved.path = to->path);
        *to = moved;
        pthread_mutex_unlock(&lock);
    }
    return result;
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
    int64_t length = sectors ? (size > oldSize ? size : oldSize) : (end > oldSize ? end : oldSize), left = 0;
    char *bytes = memset(grown(0, length), 0, (size_t)(length > 0 ? length : 1));
    for (int64_t at = 0; at < length; at++) {
        int isNew = sectors ? at / 512 % 2 == sectors - 1 : at < end;
        if (isNew ? at < size : at < oldSize) {
            bytes[at] = isNew ? new[at] : kept->synced[at];
            left = at + 1;
        }
    }
    FILE *file = fopen(kept->path, "wb");
    if (!file || fwrite(bytes, 1, (size_t)left, file) != (size_t)left || fclose(file) != 0) abort();
    kept->synced = memcpy(grown(kept->synced, left), bytes, (size_t)left);
    kept->size = kept->least = left;
    kept->dirtyCount = 0;
    free(bytes);
    free(new);
}

void disk_faults_cut_power(disk_faults *faults, int64_t first, int sectors) {
    pthread_mutex_lock(&lock);
    for (kept_file *file = faults->files; file; file = file->next) cut(file, first, sectors);
    pthread_mutex_unlock(&lock);
}

disk_faults *disk_faults_begin(const char *folder) {
    disk_faults *faults = calloc(1, sizeof *faults);
    if (!faults) return 0;
    faults->folder = realpath(folder, 0);
    if (!faults->folder) {
        free(faults);
        return 0;
    }
    faults->length = strlen(faults->folder);
    pthread_mutex_lock(&lock);
    faults->next = all;
    __atomic_store_n(&all, faults, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return faults;
}

void disk_faults_end(disk_faults *faults) {
    pthread_mutex_lock(&lock);
    for (disk_faults **place = &all; *place; place = &(*place)->next) {
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

void disk_faults_arm(disk_faults *faults, int64_t n, int isFull, int forEver) {
    pthread_mutex_lock(&lock);
    faults->count = 0;
    faults->failing = n;
    faults->isFull = isFull;
    faults->forEver = forEver;
    pthread_mutex_unlock(&lock);
}

int64_t disk_faults_count(disk_faults *faults) {
    pthread_mutex_lock(&lock);
    int64_t count = faults->count;
    pthread_mutex_unlock(&lock);
    return count;
}
#endif
