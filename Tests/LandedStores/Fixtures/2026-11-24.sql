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

COMMENT ON TABLE landed."Shelf_books" IS 'What records of Shelf own as books.';


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

COMMENT ON TABLE landed."Shelf_books_chapters" IS 'What records of Shelf own as books.chapters.';


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

COMMENT ON TABLE landed."Shelf_label" IS 'What records of Shelf own as label.';


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
    note text COLLATE pg_catalog."C"
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
INSERT INTO landed.storage_history_changes VALUES (7, 2, 'Reader', 2, '\x041000000000000040008000000000000004', '\x020005000269640005656d61696c00096661766f7572697465000b736561742e74656e616e74000b736561742e6e756d62657201041000000000000040008000000000000004030d34406578616d706c652e6f726701020102010801067769736865730203067769736865730002696403010001060102010201040106');


--
-- Data for Name: storage_history_commits; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_history_commits VALUES (-1, 800000000, NULL, NULL);
INSERT INTO landed.storage_history_commits VALUES (-2, 800000000, NULL, NULL);
INSERT INTO landed.storage_history_commits VALUES (-3, 800000000, 'ann', 'the first readers');
INSERT INTO landed.storage_history_commits VALUES (-4, 800000000, NULL, NULL);
INSERT INTO landed.storage_history_commits VALUES (-5, 800000000, NULL, NULL);
INSERT INTO landed.storage_history_commits VALUES (-6, 800000000, NULL, NULL);
INSERT INTO landed.storage_history_commits VALUES (-7, 800000000, NULL, NULL);


--
-- Data for Name: storage_history_settings; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_history_settings VALUES (1, '{"limit":{},"models":[{"name":"Shelf","recordsSince":0,"since":0},{"name":"Seat","recordsSince":0,"since":0},{"name":"Reader","recordsSince":0,"since":0},{"name":"Login","recordsSince":0,"since":0}],"store":"A090A6EB-F059-4C1D-A919-61882B2A7227","version":1}');


--
-- Data for Name: storage_info; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_info VALUES ('format', '1');


--
-- Data for Name: storage_keys; Type: TABLE DATA; Schema: landed; Owner: -
--

INSERT INTO landed.storage_keys VALUES ('Note', 5);


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
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (11, 'storage_history_commits', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"number","property":"number","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"time","property":"time","role":"property","type":"date"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"author","property":"author","role":"property","type":"string"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"note","property":"note","role":"property","type":"string"}],"isRequired":false,"key":[0],"name":"storage_history_commits","path":["\u0000commits"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (12, 'storage_history_changes', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"commit","property":"commit","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"place","property":"place","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"model","property":"model","role":"property","type":"string"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"kind","property":"kind","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"key","property":"key","role":"property","type":"data"},{"isIndexed":false,"isOptional":true,"isRemoved":false,"isUnique":false,"name":"record","property":"record","role":"property","type":"data"}],"isRequired":false,"key":[0,1],"name":"storage_history_changes","path":["\u0000changes"]}');
INSERT INTO landed.storage_tables OVERRIDING SYSTEM VALUE VALUES (13, 'storage_history_settings', '{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"id","property":"id","role":"property","type":"int64"},{"isIndexed":false,"isOptional":false,"isRemoved":false,"isUnique":false,"name":"settings","property":"settings","role":"property","type":"string"}],"isRequired":false,"key":[0],"name":"storage_history_settings","path":["\u0000settings"]}');


--
-- Name: storage_commits; Type: SEQUENCE SET; Schema: landed; Owner: -
--

SELECT pg_catalog.setval('landed.storage_commits', 15, true);


--
-- Name: storage_tables_position_seq; Type: SEQUENCE SET; Schema: landed; Owner: -
--

SELECT pg_catalog.setval('landed.storage_tables_position_seq', 13, true);


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
-- Name: storage_history_commits storage_key_7ef47be7944b3a18; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_history_commits
    ADD CONSTRAINT storage_key_7ef47be7944b3a18 PRIMARY KEY (number);


--
-- Name: storage_history_settings storage_key_8ded1a63b45574db; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_history_settings
    ADD CONSTRAINT storage_key_8ded1a63b45574db PRIMARY KEY (id);


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
-- Name: Shelf_books_chapters storage_key_e1bab3963a961295; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed."Shelf_books_chapters"
    ADD CONSTRAINT storage_key_e1bab3963a961295 PRIMARY KEY (owner_id, books_position, "position");


--
-- Name: storage_keys storage_keys_key; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_keys
    ADD CONSTRAINT storage_keys_key PRIMARY KEY (name);


--
-- Name: storage_tables storage_version_726; Type: CONSTRAINT; Schema: landed; Owner: -
--

ALTER TABLE ONLY landed.storage_tables
    ADD CONSTRAINT storage_version_726 PRIMARY KEY (name);


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

CREATE INDEX storage_index_3bbd90f257fdd591 ON landed."Reader" USING btree ("seat.tenant" NULLS FIRST);


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


