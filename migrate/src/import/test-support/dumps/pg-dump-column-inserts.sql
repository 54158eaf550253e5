--
-- PostgreSQL database dump
--

\restrict 57edTJRiopZz55NAq1bSt3sJqdeIKKXqeM0AOauUTOE4XZdDw0vSy2f5MGbJCbp

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
-- Name: f(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.f() RETURNS integer
    LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO accounts ("userId") VALUES ('no'); RETURN 1; END; $$;


ALTER FUNCTION public.f() OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: accounts; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.accounts (
    id integer NOT NULL,
    "userId" text NOT NULL,
    type text NOT NULL,
    provider text NOT NULL,
    "providerAccountId" text NOT NULL,
    access_token text,
    expires_at bigint
);


ALTER TABLE public.accounts OWNER TO postgres;

--
-- Name: accounts_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.accounts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.accounts_id_seq OWNER TO postgres;

--
-- Name: accounts_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.accounts_id_seq OWNED BY public.accounts.id;


--
-- Name: users; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.users (
    id text NOT NULL,
    name text,
    email text,
    "emailVerified" timestamp with time zone,
    image text
);


ALTER TABLE public.users OWNER TO postgres;

--
-- Name: accounts id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.accounts ALTER COLUMN id SET DEFAULT nextval('public.accounts_id_seq'::regclass);


--
-- Data for Name: accounts; Type: TABLE DATA; Schema: public; Owner: postgres
--

INSERT INTO public.accounts (id, "userId", type, provider, "providerAccountId", access_token, expires_at) VALUES
	(1, 'user-0', 'oauth', 'github', 'plain', 'plain', 5),
	(2, 'user-1', 'oauth', 'github', 'it''s', 'it''s', 5),
	(3, 'user-2', 'oauth', 'github', 'two
lines
and more', 'two
lines
and more', 5);
INSERT INTO public.accounts (id, "userId", type, provider, "providerAccountId", access_token, expires_at) VALUES
	(4, 'user-3', 'oauth', 'github', 'semi); INSERT INTO accounts VALUES (''x'');--', 'semi); INSERT INTO accounts VALUES (''x'');--', 5),
	(5, 'user-4', 'oauth', 'github', 'tab	and \ back\n slash', 'tab	and \ back\n slash', 5),
	(6, 'user-5', 'oauth', 'github', 'quote"double`tick', 'quote"double`tick', 5);
INSERT INTO public.accounts (id, "userId", type, provider, "providerAccountId", access_token, expires_at) VALUES
	(7, 'user-6', 'oauth', 'github', 'ünïcödé 𝕏 日本', 'ünïcödé 𝕏 日本', 5),
	(8, 'user-7', 'oauth', 'github', '-- no comment', '-- no comment', 5),
	(9, 'user-8', 'oauth', 'github', '/* none */', '/* none */', 5);
INSERT INTO public.accounts (id, "userId", type, provider, "providerAccountId", access_token, expires_at) VALUES
	(10, 'user-9', 'oauth', 'github', '$$ dollar $tag$', '$$ dollar $tag$', 5),
	(11, 'user-10', 'oauth', 'github', '\N', '\N', 5),
	(12, 'user-11', 'oauth', 'github', '\.', '\.', 5);
INSERT INTO public.accounts (id, "userId", type, provider, "providerAccountId", access_token, expires_at) VALUES
	(13, 'user-12', 'oauth', 'github', 'NULL', 'NULL', 5),
	(14, 'user-13', 'oauth', 'github', 'x'',''y', 'x'',''y', 5),
	(15, 'user-14', 'oauth', 'github', 'MySQL dump', 'MySQL dump', 5);
INSERT INTO public.accounts (id, "userId", type, provider, "providerAccountId", access_token, expires_at) VALUES
	(16, 'user-15', 'oauth', 'github', 'COPY accounts FROM stdin;', 'COPY accounts FROM stdin;', 5);


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: postgres
--

INSERT INTO public.users (id, name, email, "emailVerified", image) VALUES
	('user-0', 'plain', 'u0@example.com', '2026-11-22 15:58:20.936447+00', NULL),
	('user-1', 'it''s', 'u1@example.com', NULL, NULL),
	('user-2', 'two
lines
and more', 'u2@example.com', '2026-11-22 15:58:20.950025+00', NULL);
INSERT INTO public.users (id, name, email, "emailVerified", image) VALUES
	('user-3', 'semi); INSERT INTO accounts VALUES (''x'');--', 'u3@example.com', NULL, NULL),
	('user-4', 'tab	and \ back\n slash', 'u4@example.com', '2026-11-22 15:58:20.967786+00', NULL),
	('user-5', 'quote"double`tick', 'u5@example.com', NULL, NULL);
INSERT INTO public.users (id, name, email, "emailVerified", image) VALUES
	('user-6', 'ünïcödé 𝕏 日本', 'u6@example.com', '2026-11-22 15:58:20.979591+00', NULL),
	('user-7', '-- no comment', 'u7@example.com', NULL, NULL),
	('user-8', '/* none */', 'u8@example.com', '2026-11-22 15:58:20.989814+00', NULL);
INSERT INTO public.users (id, name, email, "emailVerified", image) VALUES
	('user-9', '$$ dollar $tag$', 'u9@example.com', NULL, NULL),
	('user-10', '\N', 'u10@example.com', '2026-11-22 15:58:21.003791+00', NULL),
	('user-11', '\.', 'u11@example.com', NULL, NULL);
INSERT INTO public.users (id, name, email, "emailVerified", image) VALUES
	('user-12', 'NULL', 'u12@example.com', '2026-11-22 15:58:21.015783+00', NULL),
	('user-13', 'x'',''y', 'u13@example.com', NULL, NULL),
	('user-14', 'MySQL dump', 'u14@example.com', '2026-11-22 15:58:21.022201+00', NULL);
INSERT INTO public.users (id, name, email, "emailVerified", image) VALUES
	('user-15', 'COPY accounts FROM stdin;', 'u15@example.com', NULL, NULL);


--
-- Name: accounts_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.accounts_id_seq', 16, true);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- PostgreSQL database dump complete
--

\unrestrict 57edTJRiopZz55NAq1bSt3sJqdeIKKXqeM0AOauUTOE4XZdDw0vSy2f5MGbJCbp

