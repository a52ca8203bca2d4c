// What is used of libarchive 3's interface. CArchive.c includes it after the system's header where there is one, so that a
// declaration that differs does not compile.
#ifndef C_ARCHIVE_DECLARATIONS_H
#define C_ARCHIVE_DECLARATIONS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct archive;
struct archive_entry;

#ifndef ARCHIVE_OK
#define ARCHIVE_EOF 1
#define ARCHIVE_OK 0
#define ARCHIVE_WARN (-20)
#define ARCHIVE_FILTER_NONE 0
#define AE_IFREG ((mode_t)0100000)
#endif

typedef ssize_t archive_read_callback(struct archive *, void *, const void **);
typedef ssize_t archive_write_callback(struct archive *, void *, const void *, size_t);
typedef int archive_open_callback(struct archive *, void *);
typedef int archive_close_callback(struct archive *, void *);

const char *archive_error_string(struct archive *);
int archive_filter_code(struct archive *, int);
int64_t archive_filter_bytes(struct archive *, int);

struct archive *archive_read_new(void);
int archive_read_support_filter_gzip(struct archive *);
int archive_read_support_filter_xz(struct archive *);
int archive_read_support_filter_zstd(struct archive *);
int archive_read_support_format_empty(struct archive *);
int archive_read_support_format_raw(struct archive *);
int archive_read_open(
    struct archive *, void *, archive_open_callback *, archive_read_callback *, archive_close_callback *);
int archive_read_next_header(struct archive *, struct archive_entry **);
ssize_t archive_read_data(struct archive *, void *, size_t);
int archive_read_data_block(struct archive *, const void **, size_t *, int64_t *);
int archive_read_free(struct archive *);

struct archive *archive_write_new(void);
int archive_write_add_filter_xz(struct archive *);
int archive_write_add_filter_zstd(struct archive *);
int archive_write_set_format_raw(struct archive *);
int archive_write_set_filter_option(struct archive *, const char *, const char *, const char *);
int archive_write_set_bytes_per_block(struct archive *, int);
int archive_write_open(
    struct archive *, void *, archive_open_callback *, archive_write_callback *, archive_close_callback *);
int archive_write_header(struct archive *, struct archive_entry *);
ssize_t archive_write_data(struct archive *, const void *, size_t);
int archive_write_close(struct archive *);
int archive_write_free(struct archive *);

struct archive_entry *archive_entry_new(void);
void archive_entry_free(struct archive_entry *);
void archive_entry_set_filetype(struct archive_entry *, unsigned int);

#endif
