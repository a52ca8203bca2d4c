#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

// Books that refer to an author and to three tags, as C on sqlite3 stores and reads them.

typedef struct {
    int64_t id, year, author;
    text title;
    int64_t *tags;
    int count;
} book;

typedef struct {
    int64_t id, born;
    text name;
} author;

static book *books;
static author *authors;
static long book_count, book_capacity, author_count, author_capacity;

// The plain tables have the same columns and indexes, and check nothing.
static const char *schema(int checked) {
    return checked
        ? "CREATE TABLE Author (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, born INTEGER NOT NULL) STRICT;"
          "CREATE TABLE Tag (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;"
          "CREATE TABLE Book (id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL, year INTEGER NOT NULL, author INTEGER "
          "NOT NULL REFERENCES Author ON DELETE CASCADE) STRICT;"
          "CREATE INDEX Book_author ON Book (author);"
          "CREATE TABLE BookTag (book INTEGER NOT NULL REFERENCES Book ON DELETE CASCADE, position INTEGER NOT NULL, "
          "tag INTEGER NOT NULL REFERENCES Tag, PRIMARY KEY (book, position)) STRICT, WITHOUT ROWID;"
          "CREATE INDEX BookTag_tag ON BookTag (tag);"
        : "CREATE TABLE Author (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, born INTEGER NOT NULL) STRICT;"
          "CREATE TABLE Tag (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;"
          "CREATE TABLE Book (id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL, year INTEGER NOT NULL, author INTEGER "
          "NOT NULL) STRICT;"
          "CREATE INDEX Book_author ON Book (author);"
          "CREATE TABLE BookTag (book INTEGER NOT NULL, position INTEGER NOT NULL, tag INTEGER NOT NULL, "
          "PRIMARY KEY (book, position)) STRICT, WITHOUT ROWID;"
          "CREATE INDEX BookTag_tag ON BookTag (tag);";
}

static int bind_title(sqlite3_stmt *s, int place, const char *word, int64_t number, char *buffer, int size) {
    return sqlite3_bind_text(s, place, buffer, snprintf(buffer, (size_t)size, "%s-%lld", word, (long long)number),
                             SQLITE_STATIC);
}

int cbaseline_references_prepare(sqlite3 *db, int checked, const cbaseline_reference_counts *counts) {
    char buffer[64];
    int code = sqlite3_exec(db, schema(checked), 0, 0, 0);
    if (code == SQLITE_OK && checked) code = sqlite3_exec(db, "PRAGMA foreign_keys = ON", 0, 0, 0);
    if (code == SQLITE_OK) code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_stmt *a = prepare(db, "INSERT INTO Author (id, name, born) VALUES (?1, ?2, ?3)");
    for (int64_t i = 0; i < counts->authors; i++) {
        sqlite3_bind_int64(a, 1, i);
        bind_title(a, 2, "Author", i, buffer, sizeof buffer);
        sqlite3_bind_int64(a, 3, 1900 + i % 100);
        run(a);
    }
    sqlite3_finalize(a);
    sqlite3_stmt *t = prepare(db, "INSERT INTO Tag (id, name) VALUES (?1, ?2)");
    for (int64_t i = 0; i < counts->tags; i++) {
        sqlite3_bind_int64(t, 1, i);
        bind_title(t, 2, "Tag", i, buffer, sizeof buffer);
        run(t);
    }
    sqlite3_finalize(t);
    return finish(db, SQLITE_DONE);
}

int cbaseline_references_insert(sqlite3 *db, const cbaseline_book *given, long count) {
    int code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_stmt *b = prepare(db, "INSERT INTO Book (id, title, year, author) VALUES (?1, ?2, ?3, ?4)");
    sqlite3_stmt *t = prepare(db, "INSERT INTO BookTag (book, position, tag) VALUES (?1, ?2, ?3)");
    code = SQLITE_DONE;
    for (long i = 0; i < count && code == SQLITE_DONE; i++) {
        const cbaseline_book *x = &given[i];
        sqlite3_bind_int64(b, 1, x->id);
        sqlite3_bind_text(b, 2, x->title, x->length, SQLITE_STATIC);
        sqlite3_bind_int64(b, 3, x->year);
        sqlite3_bind_int64(b, 4, x->author);
        code = run(b);
        for (int k = 0; k < 3 && code == SQLITE_DONE; k++) {
            sqlite3_bind_int64(t, 1, x->id);
            sqlite3_bind_int64(t, 2, k);
            sqlite3_bind_int64(t, 3, x->tags[k]);
            code = run(t);
        }
    }
    sqlite3_finalize(b);
    sqlite3_finalize(t);
    return finish(db, code);
}

int cbaseline_references_delete(sqlite3 *db, int64_t from, int64_t to) {
    int code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_stmt *s = prepare(db, "DELETE FROM Author WHERE id = ?1");
    code = SQLITE_DONE;
    for (int64_t key = from; key < to && code == SQLITE_DONE; key++) {
        sqlite3_bind_int64(s, 1, key);
        code = run(s);
    }
    sqlite3_finalize(s);
    return finish(db, code);
}

static void release(void) {
    for (long i = 0; i < book_count; i++) {
        free(books[i].title.bytes);
        free(books[i].tags);
    }
    for (long i = 0; i < author_count; i++) free(authors[i].name.bytes);
    book_count = author_count = 0;
}

static void keep_tag(book *b, int64_t tag) {
    if (b->count % 4 == 0) b->tags = realloc(b->tags, (size_t)(b->count + 4) * sizeof *b->tags);
    b->tags[b->count++] = tag;
}

// Both statements have their rows in the order of the books, so one pass joins them.
long cbaseline_references_books(sqlite3 *db, const char *books_sql, const char *tags_sql) {
    release();
    sqlite3_stmt *b = prepare(db, books_sql), *t = prepare(db, tags_sql);
    int more = sqlite3_step(t);
    while (sqlite3_step(b) == SQLITE_ROW) {
        if (book_count == book_capacity) {
            book_capacity = book_capacity ? book_capacity * 2 : 16;
            books = realloc(books, (size_t)book_capacity * sizeof *books);
        }
        book x = {.id = sqlite3_column_int64(b, 0), .title = text_of(b, 1), .year = sqlite3_column_int64(b, 2)};
        x.author = sqlite3_column_int64(b, 3);
        for (; more == SQLITE_ROW && sqlite3_column_int64(t, 0) == x.id; more = sqlite3_step(t)) {
            keep_tag(&x, sqlite3_column_int64(t, 1));
        }
        books[book_count++] = x;
    }
    sqlite3_finalize(b);
    sqlite3_finalize(t);
    return book_count;
}

long cbaseline_references_authors(sqlite3 *db, const char *sql) {
    release();
    sqlite3_stmt *s = prepare(db, sql);
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (author_count == author_capacity) {
            author_capacity = author_capacity ? author_capacity * 2 : 16;
            authors = realloc(authors, (size_t)author_capacity * sizeof *authors);
        }
        authors[author_count++] = (author){
            .id = sqlite3_column_int64(s, 0), .name = text_of(s, 1), .born = sqlite3_column_int64(s, 2)};
    }
    sqlite3_finalize(s);
    return author_count;
}
