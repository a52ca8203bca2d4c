--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: landed; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA landed;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: Article; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Article" (
    id uuid NOT NULL,
    title text NOT NULL COLLATE pg_catalog."C",
    parts json NOT NULL
);


--
-- Name: TABLE "Article"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Article" IS 'Records of Article.';


--
-- Name: COLUMN "Article".parts; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Article".parts IS 'An array of string.';


--
-- Name: Login; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Login" (
    id bigint NOT NULL,
    until double precision,
    reader uuid NOT NULL
);


--
-- Name: TABLE "Login"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Login" IS 'Records of Login.';


--
-- Name: COLUMN "Login".until; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Login".until IS 'Seconds since 2001-01-01 00:00 UTC.';


--
-- Name: COLUMN "Login".reader; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Login".reader IS 'The key of a record of Reader.';


--
-- Name: Note; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Note" (
    id bigint NOT NULL,
    text text NOT NULL COLLATE pg_catalog."C",
    at double precision NOT NULL,
    mark uuid,
    data bytea NOT NULL,
    size numeric(20,0) NOT NULL,
    weight double precision NOT NULL
);


--
-- Name: TABLE "Note"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Note" IS 'Records of Note.';


--
-- Name: COLUMN "Note".at; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Note".at IS 'Seconds since 2001-01-01 00:00 UTC.';


--
-- Name: Reader; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Reader" (
    id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    favourite bigint,
    "seat.tenant" bigint NOT NULL,
    "seat.number" bigint NOT NULL
);


--
-- Name: TABLE "Reader"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Reader" IS 'Records of Reader.';


--
-- Name: COLUMN "Reader".favourite; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Reader".favourite IS 'The key of a record of Shelf.';


--
-- Name: COLUMN "Reader"."seat.tenant"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Reader"."seat.tenant" IS 'The key of a record of Seat.';


--
-- Name: COLUMN "Reader"."seat.number"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Reader"."seat.number" IS 'The key of a record of Seat.';


--
-- Name: Reader_wishes; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Reader_wishes" (
    owner_id uuid NOT NULL,
    "position" bigint NOT NULL,
    id bigint NOT NULL
);


--
-- Name: TABLE "Reader_wishes"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Reader_wishes" IS 'The references wishes of Reader.';


--
-- Name: COLUMN "Reader_wishes".owner_id; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Reader_wishes".owner_id IS 'A part of the owning record''s key.';


--
-- Name: COLUMN "Reader_wishes"."position"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Reader_wishes"."position" IS 'The place in the owner''s array, in ascending order.';


--
-- Name: COLUMN "Reader_wishes".id; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Reader_wishes".id IS 'The key of a record of Shelf.';


--
-- Name: Seat; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Seat" (
    tenant bigint NOT NULL,
    number bigint NOT NULL,
    "row" text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE "Seat"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Seat" IS 'Records of Seat.';


--
-- Name: Shelf; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Shelf" (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    tags json NOT NULL
);


--
-- Name: TABLE "Shelf"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Shelf" IS 'Records of Shelf.';


--
-- Name: COLUMN "Shelf".tags; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Shelf".tags IS 'An array of string.';


--
-- Name: Shelf_books; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Shelf_books" (
    owner_id bigint NOT NULL,
    "position" bigint NOT NULL,
    id bigint NOT NULL,
    title text NOT NULL COLLATE pg_catalog."C",
    pages bigint,
    price numeric NOT NULL
);


--
-- Name: TABLE "Shelf_books"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Shelf_books" IS 'The records that Shelf owns as books.';


--
-- Name: COLUMN "Shelf_books".owner_id; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Shelf_books".owner_id IS 'A part of the owning record''s key.';


--
-- Name: COLUMN "Shelf_books"."position"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Shelf_books"."position" IS 'The place in the owner''s array, in ascending order.';


--
-- Name: Shelf_books_chapters; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Shelf_books_chapters" (
    owner_id bigint NOT NULL,
    books_position bigint NOT NULL,
    "position" bigint NOT NULL,
    id bigint NOT NULL,
    title text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE "Shelf_books_chapters"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Shelf_books_chapters" IS 'The records that Shelf owns as books.chapters.';


--
-- Name: COLUMN "Shelf_books_chapters".owner_id; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Shelf_books_chapters".owner_id IS 'A part of the owning record''s key.';


--
-- Name: COLUMN "Shelf_books_chapters".books_position; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Shelf_books_chapters".books_position IS 'The place in the owner''s array, in ascending order.';


--
-- Name: COLUMN "Shelf_books_chapters"."position"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Shelf_books_chapters"."position" IS 'The place in the owner''s array, in ascending order.';


--
-- Name: Shelf_label; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed."Shelf_label" (
    owner_id bigint NOT NULL,
    id bigint NOT NULL,
    color text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE "Shelf_label"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed."Shelf_label" IS 'The records that Shelf owns as label.';


--
-- Name: COLUMN "Shelf_label".owner_id; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed."Shelf_label".owner_id IS 'A part of the owning record''s key.';


--
-- Name: storage_commits; Type: SEQUENCE; Schema: landed; Owner: -
--

CREATE SEQUENCE landed.storage_commits
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: storage_fence; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_fence (
    id bigint NOT NULL,
    settings text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE storage_fence; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_fence IS 'The store''s own place.fence.';


--
-- Name: storage_history_changes; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_history_changes (
    commit bigint NOT NULL,
    place bigint NOT NULL,
    model text NOT NULL COLLATE pg_catalog."C",
    kind bigint NOT NULL,
    key bytea NOT NULL,
    record bytea
);


--
-- Name: TABLE storage_history_changes; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_history_changes IS 'The store''s own changes.';


--
-- Name: storage_history_commits; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_history_commits (
    number bigint NOT NULL,
    "time" double precision NOT NULL,
    author text COLLATE pg_catalog."C",
    note text COLLATE pg_catalog."C",
    origin text COLLATE pg_catalog."C",
    mark bigint
);


--
-- Name: TABLE storage_history_commits; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_history_commits IS 'The store''s own commits.';


--
-- Name: COLUMN storage_history_commits."time"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed.storage_history_commits."time" IS 'Seconds since 2001-01-01 00:00 UTC.';


--
-- Name: storage_history_holds; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_history_holds (
    name text NOT NULL COLLATE pg_catalog."C",
    commit bigint NOT NULL,
    "time" double precision NOT NULL
);


--
-- Name: TABLE storage_history_holds; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_history_holds IS 'The store''s own holds.';


--
-- Name: COLUMN storage_history_holds."time"; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON COLUMN landed.storage_history_holds."time" IS 'Seconds since 2001-01-01 00:00 UTC.';


--
-- Name: storage_history_settings; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_history_settings (
    id bigint NOT NULL,
    settings text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE storage_history_settings; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_history_settings IS 'The store''s own settings.';


--
-- Name: storage_info; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_info (
    key text NOT NULL,
    value text NOT NULL
);


--
-- Name: storage_keys; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_keys (
    name text NOT NULL COLLATE pg_catalog."C",
    "greatest" bigint NOT NULL
);


--
-- Name: storage_search; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_search (
    id bigint NOT NULL,
    settings text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE storage_search; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_search IS 'The store''s own search.';


--
-- Name: storage_search_1_blocks; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_search_1_blocks (
    number bigint NOT NULL,
    bytes bytea NOT NULL
);


--
-- Name: TABLE storage_search_1_blocks; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_search_1_blocks IS 'The store''s own search.1.blocks.';


--
-- Name: storage_search_1_pending; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_search_1_pending (
    number bigint NOT NULL,
    bytes bytea NOT NULL
);


--
-- Name: TABLE storage_search_1_pending; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_search_1_pending IS 'The store''s own search.1.pending.';


--
-- Name: storage_search_1_segments; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_search_1_segments (
    number bigint NOT NULL,
    bytes bytea NOT NULL
);


--
-- Name: TABLE storage_search_1_segments; Type: COMMENT; Schema: landed; Owner: -
--

COMMENT ON TABLE landed.storage_search_1_segments IS 'The store''s own search.1.segments.';


--
-- Name: storage_tables; Type: TABLE; Schema: landed; Owner: -
--

CREATE TABLE landed.storage_tables (
    "position" bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    definition text NOT NULL
);


--
-- Name: storage_tables_position_seq; Type: SEQUENCE; Schema: landed; Owner: -
--

ALTER TABLE landed.storage_tables ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME landed.storage_tables_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Data for Name: Article; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000046', 'article 70', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000047', 'article 71', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000048', 'article 72', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000049', 'article 73', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000004a', 'article 74', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000004b', 'article 75', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000004c', 'article 76', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000004d', 'article 77', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000004e', 'article 78', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000004f', 'article 79', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000050', 'article 80', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000051', 'article 81', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000052', 'article 82', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000053', 'article 83', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000054', 'article 84', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000055', 'article 85', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000056', 'article 86', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000002', 'saved article 2', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000003', 'saved article 3', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000005', 'saved article 5', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000006', 'saved article 6', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000007', 'saved article 7', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000008', 'saved article 8', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000009', 'saved article 9', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000000a', 'saved article 10', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000000b', 'saved article 11', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000000d', 'saved article 13', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000000e', 'saved article 14', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000000f', 'saved article 15', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000010', 'saved article 16', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000011', 'saved article 17', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000012', 'saved article 18', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000013', 'saved article 19', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000014', 'saved article 20', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000016', 'saved article 22', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000017', 'saved article 23', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000018', 'saved article 24', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000019', 'saved article 25', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000001a', 'saved article 26', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000001b', 'saved article 27', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000001c', 'saved article 28', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000001d', 'saved article 29', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000001f', 'saved article 31', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000020', 'saved article 32', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000021', 'saved article 33', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000022', 'saved article 34', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000023', 'saved article 35', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000024', 'saved article 36', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000025', 'saved article 37', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000026', 'saved article 38', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000028', 'saved article 40', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000029', 'saved article 41', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000002a', 'saved article 42', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000002b', 'saved article 43', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000002c', 'saved article 44', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000002d', 'saved article 45', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000002e', 'saved article 46', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000002f', 'saved article 47', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000031', 'saved article 49', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000032', 'saved article 50', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000033', 'saved article 51', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000034', 'saved article 52', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000035', 'saved article 53', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000036', 'saved article 54', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000037', 'saved article 55', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000038', 'saved article 56', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000003a', 'saved article 58', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000003b', 'saved article 59', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000003c', 'saved article 60', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000003d', 'saved article 61', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000003e', 'saved article 62', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000003f', 'saved article 63', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000040', 'saved article 64', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000041', 'saved article 65', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000043', 'saved article 67', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000044', 'saved article 68', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000045', 'saved article 69', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000057', 'article 87', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000058', 'article 88', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000059', 'article 89', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000005a', 'article 90', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000005b', 'article 91', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000005c', 'article 92', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000005d', 'article 93', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000005e', 'article 94', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000005f', 'article 95', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000060', 'article 96', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000061', 'article 97', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000062', 'article 98', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000063', 'article 99', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000064', 'article 100', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000001', 'saved article 1', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000004', 'saved article 4', '["Zürich, in Wörtern","書籍"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000000c', 'saved article 12', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000015', 'saved article 21', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-00000000001e', 'saved article 30', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000027', 'saved article 39', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000030', 'saved article 48', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000039', 'saved article 57', '["Zürich, in Wörtern","書籍","thirds"]');
INSERT INTO landed."Article" VALUES ('00000000-0000-4000-8000-000000000042', 'saved article 66', '["Zürich, in Wörtern","書籍","thirds"]');


--
-- Data for Name: Login; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Login" VALUES (1, NULL, '00000000-0000-4000-8000-000000000001');
INSERT INTO landed."Login" VALUES (2, 63113904000, '00000000-0000-4000-8000-000000000002');
INSERT INTO landed."Login" VALUES (3, 900000000, '00000000-0000-4000-8000-000000000003');


--
-- Data for Name: Note; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Note" VALUES (1, 'note 1', 1000.5, '00000000-0000-4000-8000-000000000001', '\x00ff01', 18446744073709551615, 0.1);
INSERT INTO landed."Note" VALUES (2, 'note 2', 1000.5, '00000000-0000-4000-8000-000000000002', '\x00ff02', 18446744073709551615, 0.1);
INSERT INTO landed."Note" VALUES (3, 'note 3', 1000.5, '00000000-0000-4000-8000-000000000003', '\x00ff03', 18446744073709551615, 0.1);
INSERT INTO landed."Note" VALUES (4, 'note 4', 1000.5, '00000000-0000-4000-8000-000000000004', '\x00ff04', 18446744073709551615, 0.1);


--
-- Data for Name: Reader; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Reader" VALUES ('00000000-0000-4000-8000-000000000001', '1@example.org', NULL, 1, 1);
INSERT INTO landed."Reader" VALUES ('00000000-0000-4000-8000-000000000002', '2@example.org', 1, 1, 2);
INSERT INTO landed."Reader" VALUES ('00000000-0000-4000-8000-000000000003', '3@example.org', 1, 1, 3);


--
-- Data for Name: Reader_wishes; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000001', 0, 3);
INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000001', 1, 1);
INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000001', 2, 3);
INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000002', 0, 3);
INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000002', 1, 1);
INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000002', 2, 3);
INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000003', 0, 3);
INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000003', 1, 1);
INSERT INTO landed."Reader_wishes" VALUES ('00000000-0000-4000-8000-000000000003', 2, 3);


--
-- Data for Name: Seat; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Seat" VALUES (1, 1, 'r');
INSERT INTO landed."Seat" VALUES (1, 2, 'r');
INSERT INTO landed."Seat" VALUES (1, 3, 'r');
INSERT INTO landed."Seat" VALUES (2, 1, 'taken');


--
-- Data for Name: Shelf; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Shelf" VALUES (1, 'shelf 1', '["a","b\u0000c"]');
INSERT INTO landed."Shelf" VALUES (3, 'shelf 3', '["a","b\u0000c"]');
INSERT INTO landed."Shelf" VALUES (2, 'shelf 2', '[]');


--
-- Data for Name: Shelf_books; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Shelf_books" VALUES (1, 0, 0, 'book 0', NULL, 9.95);
INSERT INTO landed."Shelf_books" VALUES (3, 0, 0, 'book 0', NULL, 9.95);
INSERT INTO landed."Shelf_books" VALUES (3, 1, 1, 'book 1', 100, 9.95);
INSERT INTO landed."Shelf_books" VALUES (3, 2, 2, 'book 2', 200, 9.95);
INSERT INTO landed."Shelf_books" VALUES (2, 0, 0, 'book 0', NULL, 9.95);


--
-- Data for Name: Shelf_books_chapters; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Shelf_books_chapters" VALUES (1, 0, 0, 1, 'one');
INSERT INTO landed."Shelf_books_chapters" VALUES (1, 0, 1, 2, 'two');
INSERT INTO landed."Shelf_books_chapters" VALUES (3, 0, 0, 1, 'one');
INSERT INTO landed."Shelf_books_chapters" VALUES (3, 0, 1, 2, 'two');
INSERT INTO landed."Shelf_books_chapters" VALUES (3, 1, 0, 1, 'one');
INSERT INTO landed."Shelf_books_chapters" VALUES (3, 1, 1, 2, 'two');
INSERT INTO landed."Shelf_books_chapters" VALUES (3, 2, 0, 1, 'one');
INSERT INTO landed."Shelf_books_chapters" VALUES (3, 2, 1, 2, 'two');
INSERT INTO landed."Shelf_books_chapters" VALUES (2, 0, 0, 1, 'one');
INSERT INTO landed."Shelf_books_chapters" VALUES (2, 0, 1, 2, 'two');


--
-- Data for Name: Shelf_label; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed."Shelf_label" VALUES (1, 1, 'red');
INSERT INTO landed."Shelf_label" VALUES (3, 1, 'red');


--
-- Data for Name: storage_fence; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_fence VALUES (1, '{"address":"sqlite:\/srv\/2\/landed.db","move":"2026-11-28","version":1}');


--
-- Data for Name: storage_history_changes; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_history_changes VALUES (1, 1, 'Shelf', 0, '\x0102', NULL);
INSERT INTO landed.storage_history_changes VALUES (1, 2, 'Shelf', 0, '\x0104', NULL);
INSERT INTO landed.storage_history_changes VALUES (1, 3, 'Shelf', 0, '\x0106', NULL);
INSERT INTO landed.storage_history_changes VALUES (1, 4, 'Shelf', 0, '\x0108', NULL);
INSERT INTO landed.storage_history_changes VALUES (2, 1, 'Seat', 0, '\x01020102', NULL);
INSERT INTO landed.storage_history_changes VALUES (2, 2, 'Seat', 0, '\x01020104', NULL);
INSERT INTO landed.storage_history_changes VALUES (2, 3, 'Seat', 0, '\x01020106', NULL);
INSERT INTO landed.storage_history_changes VALUES (2, 4, 'Seat', 0, '\x01020108', NULL);
INSERT INTO landed.storage_history_changes VALUES (3, 1, 'Reader', 0, '\x041000000000000040008000000000000001', NULL);
INSERT INTO landed.storage_history_changes VALUES (3, 2, 'Reader', 0, '\x041000000000000040008000000000000002', NULL);
INSERT INTO landed.storage_history_changes VALUES (3, 3, 'Reader', 0, '\x041000000000000040008000000000000003', NULL);
INSERT INTO landed.storage_history_changes VALUES (3, 4, 'Reader', 0, '\x041000000000000040008000000000000004', NULL);
INSERT INTO landed.storage_history_changes VALUES (4, 1, 'Login', 0, '\x0102', NULL);
INSERT INTO landed.storage_history_changes VALUES (4, 2, 'Login', 0, '\x0104', NULL);
INSERT INTO landed.storage_history_changes VALUES (4, 3, 'Login', 0, '\x0106', NULL);
INSERT INTO landed.storage_history_changes VALUES (5, 1, 'Shelf', 1, '\x0104', '\x0200030002696400046e616d6500047461677301010403077368656c66203203105b2261222c22625c753030303063225d0105626f6f6b73050305626f6f6b730002696400057469746c65000570616765730005707269636502010001000306626f6f6b2030000304392e3935010201020306626f6f6b203101c8010304392e39350205626f6f6b73086368617074657273040305626f6f6b73030863686170746572730002696400057469746c650401000100010203036f6e65010001020104030374776f01020100010203036f6e65010201020104030374776f');
INSERT INTO landed.storage_history_changes VALUES (6, 1, 'Shelf', 2, '\x0108', '\x0200030002696400046e616d6500047461677301010803077368656c66203403105b2261222c22625c753030303063225d0105626f6f6b73050305626f6f6b730002696400057469746c65000570616765730005707269636504010001000306626f6f6b2030000304392e3935010201020306626f6f6b203101c8010304392e3935010401040306626f6f6b20320190030304392e3935010601060306626f6f6b203301d8040304392e39350205626f6f6b73086368617074657273040305626f6f6b73030863686170746572730002696400057469746c650801000100010203036f6e65010001020104030374776f01020100010203036f6e65010201020104030374776f01040100010203036f6e65010401020104030374776f01060100010203036f6e65010601020104030374776f');
INSERT INTO landed.storage_history_changes VALUES (7, 1, 'Seat', 2, '\x01020108', '\x020003000674656e616e7400066e756d6265720003726f770101020108030172');
INSERT INTO landed.storage_history_changes VALUES (7, 2, 'Reader', 6, '\x041000000000000040008000000000000004', '\x020005000269640005656d61696c00096661766f7572697465000b736561742e74656e616e74000b736561742e6e756d62657201041000000000000040008000000000000004030d34406578616d706c652e6f726701020102010801067769736865730203067769736865730002696403010001060102010201040106');
INSERT INTO landed.storage_history_changes VALUES (8, 1, 'Seat', 0, '\x01040102', NULL);


--
-- Data for Name: storage_history_commits; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_history_commits VALUES (-1, 800000000, NULL, NULL, NULL, 4545480890045827885);
INSERT INTO landed.storage_history_commits VALUES (-2, 800000000, NULL, NULL, NULL, 1036681046609489041);
INSERT INTO landed.storage_history_commits VALUES (-3, 800000000, 'ann', 'the first readers', NULL, -6636647389439883301);
INSERT INTO landed.storage_history_commits VALUES (-4, 800000000, NULL, NULL, NULL, -7707326714338541083);
INSERT INTO landed.storage_history_commits VALUES (-5, 800000000, NULL, NULL, NULL, 205014150280406166);
INSERT INTO landed.storage_history_commits VALUES (-6, 800000000, NULL, NULL, NULL, -9147451950336823119);
INSERT INTO landed.storage_history_commits VALUES (-7, 800000000, NULL, NULL, NULL, -6616545123182532918);
INSERT INTO landed.storage_history_commits VALUES (-8, 800000000, 'bea', NULL, 'taken:hub', 5216708641383042593);


--
-- Data for Name: storage_history_holds; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_history_holds VALUES ('reader', 8, 800000000);


--
-- Data for Name: storage_history_settings; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_history_settings VALUES (1, '{"limit":{},"models":[{"name":"Shelf","recordsSince":0,"since":0},{"name":"Seat","recordsSince":0,"since":0},{"name":"Reader","recordsSince":0,"since":0},{"name":"Login","recordsSince":0,"since":0}],"store":"F596F98F-B1AD-4896-8E66-B89A029C06CD","version":2}');


--
-- Data for Name: storage_info; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_info VALUES ('format', '4');


--
-- Data for Name: storage_keys; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_keys VALUES ('Note', 5);


--
-- Data for Name: storage_search; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_search VALUES (1, '{"models":[{"analyzer":"words.2","format":2,"name":"Article","properties":["title","parts"],"ready":1}],"next":2,"version":2}');


--
-- Data for Name: storage_search_1_blocks; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_search_1_blocks VALUES (16777216, '\x00020031010401cb0102020130010401dd0102030130010401c90101020131010401df0102020132010401e10102020133010401e30102020134010401e50102020135010401e70102020136010401e90102020137010401eb0102020138010401ed0102020139010401ef0102010132010401cd0102020130010401f10102020131010401f30102020132010401f50102020133010401f70102020134010401f90102020135010401fb0102020136010401fd0102020137010401ff0102020138010401810202020139010401830202010133010401cf01020201300104018502020201310104018702020201320104018902020201330104018b02020201340104018d02020201350104018f0202020136010401910202020137010401930202020138010401950202020139010401970202010134010401d101020201300104019902020201310104019b02020201320104019d02020201330104019f0202020134010401a10202020135010401a30202020136010401a50202020137010401a70202020138010401a90202020139010401ab0202010135010401d30102020130010401ad0202020131010401af0202020132010401b10202020133010401b30202020134010401b50202020135010401b70202020136010401b90202020137010401bb0202020138010401bd0202020139010401bf0202010136010401d50102020130010401c10202020131010401c30202020132010401c50202020133010401c702020201340104018101010201350104018301010201360104018501010201370104018701010201380104018901010201390104018b0101010137010401d701020201300104018d01010201310104018f01010201320104019101010201330104019301010201340104019501010201350104019701010201360104019901010201370104019b01010201380104019d01010201390104019f0101010138010401d90102020130010401a10101020131010401a30101020132010401a50101020133010401a70101020134010401a90101020135010401ab0101020136010401ad0101020137010401af0101020138010401b10101020139010401b30101010139010401db0102020130010401b50101020131010401b70101020132010401b90101020133010401bb0101020134010401bd0101020135010401bf0101020136010401c10101020137010401c30101020138010401c50101020139010401c70101010761727469636c6564ca0164810103030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030300000000000000000000000000000000000000000000000000000000000000000000000000010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010573617665643f80013fcb010303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000301696e64ca01648101030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010106746869726473214421850107070707070707070707070907070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070107776f727465726e64ca016481010303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020201067a757269636864ca01648101030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000106e69bb8e7b18d64ca01648101030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040404040103e7b18d64ca01648101030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050505050021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff010000010401cb01001e03020000010401cd01001e03030000010401cf01001e03040000010401d101001e03050000010401d301001e03060000010401d501001e03070000010401d701001e03080000010401d901001e03090000010401db01001e030a0000010401dd01001e030b0000010401df01001e030c0000010401e101001e030d0000010401e301001e030e0000010401e501001e030f0000010401e701001e03100000010401e901001e03110000010401eb01001e03120000010401ed01001e03130000010401ef01001e03140000010401f101001e03150000010401f301001e03160000010401f501001e03170000010401f701001e03180000010401f901001e03190000010401fb01001e031a0000010401fd01001e031b0000010401ff01001e031c00000104018102001e031d00000104018302001e031e00000104018502001e031f00000104018702001e032000000104018902001e032100000104018b02001e032200000104018d02001e032300000104018f02001e032400000104019102001e032500000104019302001e032600000104019502001e032700000104019702001e032800000104019902001e032900000104019b02001e032a00000104019d02001e032b00000104019f02001e032c0000010401a102001e032d0000010401a302001e032e0000010401a502001e032f0000010401a702001e03300000010401a902001e03310000010401ab02001e03320000010401ad02001e03330000010401af02001e03340000010401b102001e03350000010401b302001e03360000010401b502001e03370000010401b702001e03380000010401b902001e03390000010401bb02001e033a0000010401bd02001e033b0000010401bf02001e033c0000010401c102001e033d0000010401c302001e033e0000010401c502001e033f0000010401c702001e034000000104018101001e034100000104018301001e034200000104018501001e034300000104018701001e034400000104018901001e034500000104018b01001e034600000104018d01001e034700000104018f01001e034800000104019101001e034900000104019301001e034a00000104019501001e034b00000104019701001e034c00000104019901001e034d00000104019b01001e034e00000104019d01001e034f00000104019f01001e03500000010401a101001e03510000010401a301001e03520000010401a501001e03530000010401a701001e03540000010401a901001e03550000010401ab01001e03560000010401ad01001e03570000010401af01001e03580000010401b101001e03590000010401b301001e035a0000010401b501001e035b0000010401b701001e035c0000010401b901001e035d0000010401bb01001e035e0000010401bd01001e035f0000010401bf01001e03600000010401c101001e03610000010401c301001e03620000010401c501001e03630000010401c701001e03640000010401c90100');
INSERT INTO landed.storage_search_1_blocks VALUES (25165824, '\x0002003100');
INSERT INTO landed.storage_search_1_blocks VALUES (20971520, '\x00200500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff4000001d034100001d034200001d034300001d034400001d034500001d034600001d034700001d034800001d034900001d034a00001d034b00001d034c00001d034d00001d034e00001d034f00001d035000001d035100001d035200001d035300001d035400001d035500001d035600001d035700001d035800001d035900001d035a00001d035b00001d035c00001d035d00001d035e00001d035f00001d036000001d036100001d036200001d036300001d036400001d030100001d030200001d030300001d030400001d030500001d030600001d030700001d030800001d030900001d030a00001d030b00001d030c00001d030d00001d030e00001d030f00001d031000001d031100001d031200001d031300001d031400001d031500001d031600001d031700001d031800001d031900001d031a00001d031b00001d031c00001d031d00001d031e00001d031f00001d032000001d032100001d032200001d032300001d032400001d032500001d032600001d032700001d032800001d032900001d032a00001d032b00001d032c00001d032d00001d032e00001d032f00001d033000001d033100001d033200001d033300001d033400001d033500001d033600001d033700001d033800001d033900001d033a00001d033b00001d033c00001d033d00001d033e00001d033f0000');
INSERT INTO landed.storage_search_1_blocks VALUES (23068672, '\x64');
INSERT INTO landed.storage_search_1_blocks VALUES (27262976, '\x02000200020002000200020002000200020002000200020002000200020002000200020002000200020002000200020002000200020002000200020002000200020002000200020002000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000300030003000500050006000500050006000500050006000500050006000500050006000500050006000500050006000500050006000500050006000500050006000500050006000500050006000500050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600050005000600');
INSERT INTO landed.storage_search_1_blocks VALUES (29360128, '\x3f0000000040000000004100000000420000000043000000004400000000450000000046000000004700000000480000000049000000004a000000004b000000004c000000004d000000004e000000004f0000000050000000005100000000520000000053000000005400000000550000000056000000005700000000580000000059000000005a000000005b000000005c000000005d000000005e000000005f0000000060000000006100000000620000000063000000006400000000650000000066000000006700000000680000000069000000006a000000006b000000006c000000006d000000006e000000006f0000000070000000007100000000720000000073000000007400000000750000000076000000007700000000780000000079000000007a000000007b000000007c000000007d000000007e000000007f0000000080000000008100000000820000000083000000008400000000850000000086000000008700000000880000000089000000008a000000008b000000008c000000008d000000008e000000008f0000000090000000009100000000920000000093000000009400000000950000000096000000009700000000980000000099000000009a000000009b000000009c000000009d000000009e000000009f00000000a000000000a100000000a200000000');


--
-- Data for Name: storage_search_1_pending; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_search_1_pending VALUES (65, '\x0202a40101030500200500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff400000014000030036340102010302010761727469636c650102010301010573617665640102010300000301696e01020103010107776f727465726e010201030201067a757269636801020103000106e69bb8e7b18d01020103040103e7b18d01020103050021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff4000000102010300');
INSERT INTO landed.storage_search_1_pending VALUES (66, '\x0202a50101030500200500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff410000014100030036350102010302010761727469636c650102010301010573617665640102010300000301696e01020103010107776f727465726e010201030201067a757269636801020103000106e69bb8e7b18d01020103040103e7b18d01020103050021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff4100000102010300');
INSERT INTO landed.storage_search_1_pending VALUES (67, '\x0202a60101030600200500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff420000014200030036360102010302010761727469636c650102010301010573617665640102010300000301696e0102010301010674686972647301020103070107776f727465726e010201030201067a757269636801020103000106e69bb8e7b18d01020103040103e7b18d01020103050021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff4200000102010300');
INSERT INTO landed.storage_search_1_pending VALUES (68, '\x0202a70101030500200500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff430000014300030036370102010302010761727469636c650102010301010573617665640102010300000301696e01020103010107776f727465726e010201030201067a757269636801020103000106e69bb8e7b18d01020103040103e7b18d01020103050021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff4300000102010300');
INSERT INTO landed.storage_search_1_pending VALUES (69, '\x0202a80101030500200500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff440000014400030036380102010302010761727469636c650102010301010573617665640102010300000301696e01020103010107776f727465726e010201030201067a757269636801020103000106e69bb8e7b18d01020103040103e7b18d01020103050021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff4400000102010300');
INSERT INTO landed.storage_search_1_pending VALUES (70, '\x0202a90101030600200500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff450000014500030036390102010302010761727469636c650102010301010573617665640102010300000301696e0102010301010674686972647301020103070107776f727465726e010201030201067a757269636801020103000106e69bb8e7b18d01020103040103e7b18d01020103050021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff4500000102010300');
INSERT INTO landed.storage_search_1_pending VALUES (71, '\x0202aa0101010100200500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff6500000000080064656c65746564010201030000080164656c6574656401020103000021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff6500000102010300');
INSERT INTO landed.storage_search_1_pending VALUES (72, '\x0202ab010001aa01');


--
-- Data for Name: storage_search_1_segments; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_search_1_segments VALUES (1, '\x020201a4016487029504400101010101010021ff0500ff00ff00ff00ff00ff00ff4000ff8000ff00ff00ff00ff00ff00ff640000');


--
-- Data for Name: storage_tables; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (1, 'Shelf', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":true,"name":"name","property":"name","role":"property","type":"string"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"tags","property":"tags","role":"property","type":"array<string>"}],"isRequired":false,"key":[0],"name":"Shelf","path":["Shelf"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (2, 'Shelf_label', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"owner_id","property":"id","role":"owner","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"color","property":"color","role":"property","type":"string"}],"isRequired":false,"key":[0],"model":"Label","name":"Shelf_label","path":["Shelf","label"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (3, 'Shelf_books', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"owner_id","property":"id","role":"owner","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"position","property":"books","role":"position","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"title","property":"title","role":"property","type":"string"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"pages","property":"pages","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"price","property":"price","role":"property","type":"decimal"}],"isRequired":false,"key":[0,1],"model":"Book","name":"Shelf_books","path":["Shelf","books"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (4, 'Shelf_books_chapters', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"owner_id","property":"id","role":"owner","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"books_position","property":"books","role":"position","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"position","property":"chapters","role":"position","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"title","property":"title","role":"property","type":"string"}],"isRequired":false,"key":[0,1,2],"model":"Chapter","name":"Shelf_books_chapters","path":["Shelf","books","chapters"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (5, 'Note', '{"assignsKeys":true,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":true,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"text","property":"text","role":"property","type":"string"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"at","property":"at","role":"property","type":"date"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"mark","property":"mark","role":"property","type":"uuid"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"data","property":"data","role":"property","type":"data"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"size","property":"size","role":"property","type":"uint64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"weight","property":"weight","role":"property","type":"double"}],"isRequired":false,"key":[0],"name":"Note","path":["Note"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (6, 'Seat', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"tenant","property":"tenant","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"number","property":"number","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"row","property":"row","role":"property","type":"string"}],"isRequired":false,"key":[0,1],"name":"Seat","path":["Seat"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (7, 'Reader', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"uuid"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":true,"name":"email","property":"email","role":"property","type":"string"},{"isIndexed":true,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"favourite","property":"favourite","reference":{"isElement":false,"model":"Shelf","onDelete":"deny","part":0},"role":"property","type":"int64"},{"isIndexed":true,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"seat.tenant","property":"seat.tenant","reference":{"isElement":false,"model":"Seat","onDelete":"cascade","part":0},"role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"seat.number","property":"seat.number","reference":{"isElement":false,"model":"Seat","onDelete":"cascade","part":1},"role":"property","type":"int64"}],"isRequired":false,"key":[0],"name":"Reader","path":["Reader"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (8, 'Reader_wishes', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"owner_id","property":"id","role":"owner","type":"uuid"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"position","property":"wishes","role":"position","type":"int64"},{"isIndexed":true,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","reference":{"isElement":true,"model":"Shelf","onDelete":"deny","part":0},"role":"property","type":"int64"}],"isRequired":false,"key":[0,1],"model":"Shelf","name":"Reader_wishes","path":["Reader","wishes"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (9, 'Login', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"expiry":true,"isIndexed":true,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"until","property":"until","role":"property","type":"date"},{"isIndexed":true,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"reader","property":"reader","reference":{"isElement":false,"model":"Reader","onDelete":"cascade","part":0},"role":"property","type":"uuid"}],"isRequired":false,"key":[0],"name":"Login","path":["Login"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (10, 'Article', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"uuid"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"title","property":"title","role":"property","searchWeight":2,"type":"string"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"parts","property":"parts","role":"property","searchWeight":1,"type":"array<string>"}],"isRequired":false,"key":[0],"name":"Article","path":["Article"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (11, 'storage_search_1_pending', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"number","property":"number","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"bytes","property":"bytes","role":"property","type":"data"}],"isRequired":false,"key":[0],"name":"storage_search_1_pending","path":["\u0000search.1.pending"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (12, 'storage_search_1_segments', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"number","property":"number","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"bytes","property":"bytes","role":"property","type":"data"}],"isRequired":false,"key":[0],"name":"storage_search_1_segments","path":["\u0000search.1.segments"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (13, 'storage_search_1_blocks', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"number","property":"number","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"bytes","property":"bytes","role":"property","type":"data"}],"isRequired":false,"key":[0],"name":"storage_search_1_blocks","path":["\u0000search.1.blocks"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (15, 'storage_search', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"settings","property":"settings","role":"property","type":"string"}],"isRequired":false,"key":[0],"name":"storage_search","path":["\u0000search"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (17, 'storage_history_commits', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"number","property":"number","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"time","property":"time","role":"property","type":"date"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"author","property":"author","role":"property","type":"string"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"note","property":"note","role":"property","type":"string"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"origin","property":"origin","role":"property","type":"string"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"mark","property":"mark","role":"property","type":"int64"}],"isRequired":false,"key":[0],"name":"storage_history_commits","path":["\u0000commits"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (18, 'storage_history_changes', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"commit","property":"commit","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"place","property":"place","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"model","property":"model","role":"property","type":"string"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"kind","property":"kind","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"key","property":"key","role":"property","type":"data"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"record","property":"record","role":"property","type":"data"}],"isRequired":false,"key":[0,1],"name":"storage_history_changes","path":["\u0000changes"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (19, 'storage_history_settings', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"settings","property":"settings","role":"property","type":"string"}],"isRequired":false,"key":[0],"name":"storage_history_settings","path":["\u0000settings"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (20, 'storage_history_holds', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"name","property":"name","role":"property","type":"string"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"commit","property":"commit","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"time","property":"time","role":"property","type":"date"}],"isRequired":false,"key":[0],"name":"storage_history_holds","path":["\u0000holds"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (21, 'storage_fence', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"settings","property":"settings","role":"property","type":"string"}],"format":4,"isRequired":false,"key":[0],"laterPath":["\u0000place.fence"],"name":"storage_fence"}');


--
-- Name: storage_commits; Type: SEQUENCE SET; Schema: landed; Owner: -
--

SELECT pg_catalog.setval('landed.storage_commits', 91, true);


--
-- Name: storage_tables_position_seq; Type: SEQUENCE SET; Schema: landed; Owner: -
--

SELECT pg_catalog.setval('landed.storage_tables_position_seq', 21, true);


--
-- Name: storage_info storage_info_key; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_info
    ADD CONSTRAINT storage_info_key PRIMARY KEY (key);


--
-- Name: Shelf_books storage_key_12845167041e7ade; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Shelf_books"
    ADD CONSTRAINT storage_key_12845167041e7ade PRIMARY KEY (owner_id, "position");


--
-- Name: storage_search_1_blocks storage_key_2bbf2f78a444e6a6; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_search_1_blocks
    ADD CONSTRAINT storage_key_2bbf2f78a444e6a6 PRIMARY KEY (number);


--
-- Name: storage_history_changes storage_key_32bd901e19dd064b; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_history_changes
    ADD CONSTRAINT storage_key_32bd901e19dd064b PRIMARY KEY (commit, place);


--
-- Name: Reader_wishes storage_key_34e9ea0780fa6718; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Reader_wishes"
    ADD CONSTRAINT storage_key_34e9ea0780fa6718 PRIMARY KEY (owner_id, "position");


--
-- Name: Seat storage_key_5795f224d567f4c8; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Seat"
    ADD CONSTRAINT storage_key_5795f224d567f4c8 PRIMARY KEY (tenant, number);


--
-- Name: Reader storage_key_5a3e33abd5fbcb36; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Reader"
    ADD CONSTRAINT storage_key_5a3e33abd5fbcb36 PRIMARY KEY (id);


--
-- Name: Note storage_key_6686fcc6d2c8f0bd; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Note"
    ADD CONSTRAINT storage_key_6686fcc6d2c8f0bd PRIMARY KEY (id);


--
-- Name: storage_search_1_segments storage_key_74b73d9284e6a9b6; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_search_1_segments
    ADD CONSTRAINT storage_key_74b73d9284e6a9b6 PRIMARY KEY (number);


--
-- Name: storage_history_commits storage_key_7ef47be7944b3a18; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_history_commits
    ADD CONSTRAINT storage_key_7ef47be7944b3a18 PRIMARY KEY (number);


--
-- Name: storage_history_holds storage_key_8606d8978bef0554; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_history_holds
    ADD CONSTRAINT storage_key_8606d8978bef0554 PRIMARY KEY (name);


--
-- Name: storage_history_settings storage_key_8ded1a63b45574db; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_history_settings
    ADD CONSTRAINT storage_key_8ded1a63b45574db PRIMARY KEY (id);


--
-- Name: storage_fence storage_key_9bdce093ec52c26c; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_fence
    ADD CONSTRAINT storage_key_9bdce093ec52c26c PRIMARY KEY (id);


--
-- Name: Shelf_label storage_key_a5a92b7ce4ba3df2; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Shelf_label"
    ADD CONSTRAINT storage_key_a5a92b7ce4ba3df2 PRIMARY KEY (owner_id);


--
-- Name: Login storage_key_c8da3cc71de63832; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Login"
    ADD CONSTRAINT storage_key_c8da3cc71de63832 PRIMARY KEY (id);


--
-- Name: Shelf storage_key_ce8e4af9aa0b323; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Shelf"
    ADD CONSTRAINT storage_key_ce8e4af9aa0b323 PRIMARY KEY (id);


--
-- Name: Article storage_key_e16c5e66886fbc59; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Article"
    ADD CONSTRAINT storage_key_e16c5e66886fbc59 PRIMARY KEY (id);


--
-- Name: Shelf_books_chapters storage_key_e1bab3963a961295; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Shelf_books_chapters"
    ADD CONSTRAINT storage_key_e1bab3963a961295 PRIMARY KEY (owner_id, books_position, "position");


--
-- Name: storage_search_1_pending storage_key_f173176da692a6b; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_search_1_pending
    ADD CONSTRAINT storage_key_f173176da692a6b PRIMARY KEY (number);


--
-- Name: storage_search storage_key_f7e487396115a883; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_search
    ADD CONSTRAINT storage_key_f7e487396115a883 PRIMARY KEY (id);


--
-- Name: storage_keys storage_keys_key; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_keys
    ADD CONSTRAINT storage_keys_key PRIMARY KEY (name);


--
-- Name: storage_tables storage_version_837; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_tables
    ADD CONSTRAINT storage_version_837 PRIMARY KEY (name);


--
-- Name: storage_index_26eca4bcab7d6767; Type: INDEX; Schema: landed; Owner: -
--

CREATE INDEX storage_index_26eca4bcab7d6767 ON landed."Reader" USING btree (favourite NULLS FIRST);


--
-- Name: storage_index_306d4dd36a714717; Type: INDEX; Schema: landed; Owner: -
--

CREATE INDEX storage_index_306d4dd36a714717 ON landed."Reader_wishes" USING btree (id NULLS FIRST);


--
-- Name: storage_index_3bbd90f257fdd591; Type: INDEX; Schema: landed; Owner: -
--

CREATE INDEX storage_index_3bbd90f257fdd591 ON landed."Reader" USING btree ("seat.tenant" NULLS FIRST, "seat.number" NULLS FIRST);


--
-- Name: storage_index_3d827b28db16fe28; Type: INDEX; Schema: landed; Owner: -
--

CREATE INDEX storage_index_3d827b28db16fe28 ON landed."Login" USING btree (reader NULLS FIRST);


--
-- Name: storage_index_b73230667a07b551; Type: INDEX; Schema: landed; Owner: -
--

CREATE INDEX storage_index_b73230667a07b551 ON landed."Login" USING btree (until NULLS FIRST);


--
-- Name: storage_index_d10e7f434c97d284; Type: INDEX; Schema: landed; Owner: -
--

CREATE INDEX storage_index_d10e7f434c97d284 ON landed."Note" USING btree ("left"(text, 500) NULLS FIRST);


--
-- Name: storage_unique_6b7472733180d274; Type: INDEX; Schema: landed; Owner: -
--

CREATE UNIQUE INDEX storage_unique_6b7472733180d274 ON landed."Reader" USING btree ("left"(email, 500) NULLS FIRST, (
CASE
    WHEN (length(email) > 500) THEN sha256(decode(replace(email, '\'::text, '\\'::text), 'escape'::text))
    ELSE '\x'::bytea
END));


--
-- Name: storage_unique_78b6ba3d96eca617; Type: INDEX; Schema: landed; Owner: -
--

CREATE UNIQUE INDEX storage_unique_78b6ba3d96eca617 ON landed."Shelf" USING btree ("left"(name, 500) NULLS FIRST, (
CASE
    WHEN (length(name) > 500) THEN sha256(decode(replace(name, '\'::text, '\\'::text), 'escape'::text))
    ELSE '\x'::bytea
END));


--
-- PostgreSQL database dump complete
--


