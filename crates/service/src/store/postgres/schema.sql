-- The form 1 of a store in PostgreSQL. A later form only adds, and its functions have its number.
CREATE SCHEMA ahu;

CREATE TABLE ahu.meta (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    form integer NOT NULL,            -- the number of the form of tables and bytes
    token_key bytea NOT NULL,         -- the key of all tokens, with a seal
    time_ms bigint NOT NULL,          -- the time for which servers have run on this store
    bytes bigint NOT NULL             -- the size of all matches
);

-- A row for each start of a server. At most one is live: it alone writes.
CREATE TABLE ahu.start (
    id bytea PRIMARY KEY,             -- 128 random bits
    live boolean NOT NULL,
    host text NOT NULL,
    process integer NOT NULL,
    begun timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX start_live ON ahu.start (live) WHERE live;
-- The beats of starts, apart from them, since a commit holds the row of its start.
CREATE TABLE ahu.beat (
    start bytea PRIMARY KEY,
    number bigint NOT NULL
);

CREATE TABLE ahu.match (
    number bigint PRIMARY KEY,        -- the place in the order of creation
    id text NOT NULL UNIQUE,
    game text NOT NULL,
    rules integer NOT NULL,           -- the rules version
    release text NOT NULL,            -- the release of ahu that created the match
    created_ms bigint NOT NULL,       -- times of day are in milliseconds since 1970
    private boolean NOT NULL,
    pinned boolean NOT NULL,          -- true if no bound removes the match
    sealed boolean NOT NULL,          -- true while seed and record stay secret after the end
    head bytea NOT NULL,              -- the record before the first entry, salt, labels, reservations
    state integer NOT NULL,           -- as ahu.v1.MatchState
    ended_ms bigint,                  -- the time for which servers had run on this store
    description bytea                 -- an index: the ahu.v1.Match after the end
);
CREATE INDEX match_open ON ahu.match (number) WHERE state < 3;
CREATE INDEX match_ended ON ahu.match (ended_ms, number) WHERE ended_ms IS NOT NULL AND NOT pinned;
-- The end of the log of each match, which each change of the match locks.
CREATE TABLE ahu.log (
    match bigint PRIMARY KEY,
    entries integer NOT NULL,         -- the number of entries, so that none of the last can be missing
    link bytea NOT NULL,              -- the link after them
    comments integer NOT NULL DEFAULT 0, -- the number of comments
    bytes bigint NOT NULL DEFAULT 0   -- the size of the match
) WITH (fillfactor = 70);
CREATE TABLE ahu.entry (
    match bigint NOT NULL,
    n integer NOT NULL,               -- the number of entries before these
    count integer NOT NULL,           -- the number of entries in this row
    at_ms bigint NOT NULL,            -- the time for which servers had run on this store
    body bytea NOT NULL,              -- the entries as in a binary record
    link bytea NOT NULL,              -- the link of the chain after them
    PRIMARY KEY (match, n)
);
CREATE TABLE ahu.seat (
    match bigint NOT NULL,
    seat integer NOT NULL,
    taken bytea NOT NULL,             -- the name, the digest of the token, the digest of the request's id, the time
    PRIMARY KEY (match, seat)
);
CREATE TABLE ahu.comment (
    match bigint NOT NULL,
    n integer NOT NULL,               -- the place in the order of the comments
    comment bytea NOT NULL,           -- the seat, the decision, the text
    PRIMARY KEY (match, n)
);
CREATE TABLE ahu.request (
    id bytea PRIMARY KEY,             -- the digest of the request's id
    content bytea NOT NULL,           -- the digest of its content
    match bigint NOT NULL
);
CREATE INDEX request_match ON ahu.request (match);

CREATE TABLE ahu.account (
    id text PRIMARY KEY,
    account bytea NOT NULL            -- the name, the kind, the shares
);
CREATE TABLE ahu.key (
    id text PRIMARY KEY,
    account text NOT NULL,            -- the id of its account
    key bytea NOT NULL                -- the hash, the scopes, the label, the times
);
-- The number of changes of accounts and keys. Who changes them locks the row; a server reads it with each beat.
CREATE TABLE ahu.accounts (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    changes bigint NOT NULL
);
CREATE TABLE ahu.audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    line text NOT NULL                -- an object of JSON
);

-- Makes a commit wait for the disk and for the synchronous replicas, whatever the settings of the role are. A SET clause of a
-- function would end before the commit.
CREATE FUNCTION ahu.wait_1() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        RAISE EXCEPTION 'synchronous_commit cannot be set' USING ERRCODE = 'AH002';
    END IF;
END $$;

-- Locks the row of a start against a takeover until the transaction ends. Returns false if the start is dead.
CREATE FUNCTION ahu.is_live_1(id_ bytea) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM ahu.wait_1();
    PERFORM 1 FROM ahu.start WHERE id = id_ AND live FOR SHARE;
    RETURN FOUND;
END $$;

-- Does the same, and raises if the start is dead: nothing else does.
CREATE FUNCTION ahu.hold_1(id_ bytea) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF NOT ahu.is_live_1(id_) THEN
        RAISE EXCEPTION 'this start of the server is dead: another one has taken over' USING ERRCODE = 'AH001';
    END IF;
END $$;

-- A group commit: removes matches, then writes new ones and changes, each list by columns. Returns the numbers of the matches
-- whose changes it refuses, since the store has another length of their log, or another match with the number or id.
CREATE FUNCTION ahu.commit_1(
    start_ bytea, now_ms bigint, removed bigint[],
    m_number bigint[], m_id text[], m_game text[], m_rules integer[], m_release text[], m_created bigint[],
    m_private boolean[], m_pinned boolean[], m_sealed boolean[], m_head bytea[],
    l_match bigint[], l_expected integer[], l_entries integer[], l_link bytea[], l_comments integer[], l_bytes bigint[],
    l_state integer[], l_unseals boolean[], l_ended bigint[], l_description bytea[],
    e_match bigint[], e_n integer[], e_count integer[], e_at bigint[], e_body bytea[], e_link bytea[],
    s_match bigint[], s_seat integer[], s_taken bytea[],
    c_match bigint[], c_n integer[], c_comment bytea[],
    r_id bytea[], r_content bytea[], r_match bigint[]
) RETURNS bigint[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    refused bigint[] := '{}';
    grown bigint := 0;
    freed bigint;
BEGIN
    -- Lock.
    PERFORM ahu.hold_1(start_);
    PERFORM 1 FROM ahu.log WHERE match = ANY (l_match || removed) ORDER BY match FOR UPDATE;
    -- Read, in statements of their own, so that they see what was committed before the locks.
    IF cardinality(removed) > 0 THEN
        DELETE FROM ahu.entry WHERE match = ANY (removed);
        DELETE FROM ahu.seat WHERE match = ANY (removed);
        DELETE FROM ahu.comment WHERE match = ANY (removed);
        DELETE FROM ahu.request WHERE match = ANY (removed);
        DELETE FROM ahu.match WHERE number = ANY (removed);
        WITH gone AS (DELETE FROM ahu.log WHERE match = ANY (removed) RETURNING bytes)
        SELECT coalesce(sum(bytes), 0) INTO freed FROM gone;
        grown := grown - freed;
    END IF;
    IF cardinality(m_number) > 0 THEN
        WITH made AS (
            INSERT INTO ahu.match (number, id, game, rules, release, created_ms, private, pinned, sealed, head, state)
            SELECT n.*, 1 FROM unnest(
                m_number, m_id, m_game, m_rules, m_release, m_created, m_private, m_pinned, m_sealed, m_head) AS n
            ON CONFLICT DO NOTHING RETURNING number
        ), logged AS (
            INSERT INTO ahu.log (match, entries, link, comments, bytes) SELECT number, 0, '', 0, 0 FROM made
        )
        SELECT array(SELECT unnest(m_number) EXCEPT SELECT number FROM made) INTO refused;
    END IF;
    refused := refused || array(
        SELECT w.match FROM unnest(l_match, l_expected) AS w (match, expected) LEFT JOIN ahu.log AS l USING (match)
        WHERE w.match <> ALL (refused) AND l.entries IS DISTINCT FROM w.expected
    ) || array(SELECT w.match FROM unnest(e_match, e_n) AS w (match, n) JOIN ahu.entry USING (match, n));
    -- Write.
    INSERT INTO ahu.entry
    SELECT e.* FROM unnest(e_match, e_n, e_count, e_at, e_body, e_link) AS e (match) WHERE e.match <> ALL (refused);
    IF cardinality(s_match) > 0 THEN
        INSERT INTO ahu.seat SELECT s.* FROM unnest(s_match, s_seat, s_taken) AS s (match) WHERE s.match <> ALL (refused)
        ON CONFLICT (match, seat) DO UPDATE SET taken = excluded.taken;
    END IF;
    IF cardinality(c_match) > 0 THEN
        INSERT INTO ahu.comment SELECT c.* FROM unnest(c_match, c_n, c_comment) AS c (match) WHERE c.match <> ALL (refused);
    END IF;
    IF cardinality(r_id) > 0 THEN
        INSERT INTO ahu.request
        SELECT r.* FROM unnest(r_id, r_content, r_match) AS r (id, content, match) WHERE r.match <> ALL (refused)
        ON CONFLICT DO NOTHING;
    END IF;
    WITH written AS (
        UPDATE ahu.log AS l SET entries = w.entries, link = w.link, comments = w.comments, bytes = l.bytes + w.bytes
        FROM unnest(l_match, l_entries, l_link, l_comments, l_bytes) AS w (match, entries, link, comments, bytes)
        WHERE l.match = w.match AND w.match <> ALL (refused) RETURNING w.bytes
    )
    SELECT grown + coalesce(sum(bytes), 0) INTO grown FROM written;
    UPDATE ahu.match AS m SET
        state = w.state, sealed = m.sealed AND NOT w.unseals,
        ended_ms = coalesce(m.ended_ms, w.ended), description = coalesce(w.description, m.description)
    FROM unnest(l_match, l_state, l_unseals, l_ended, l_description) AS w (number, state, unseals, ended, description)
    WHERE m.number = w.number AND w.number <> ALL (refused)
        AND (m.state <> w.state OR w.unseals OR w.ended IS NOT NULL);
    UPDATE ahu.meta SET time_ms = now_ms, bytes = bytes + grown;
    RETURN refused;
END $$;

-- A match with all its parts, as one snapshot. An array is null without rows.
CREATE VIEW ahu.whole_1 AS
SELECT m.number, m.id, m.release, m.created_ms, m.private, m.head, m.state, m.game, m.rules, m.sealed, m.ended_ms,
    m.description, l.entries, l.link,
    s.seat AS s_seat, s.taken AS s_taken, r.id AS r_id, r.content AS r_content, c.n AS c_n, c.comment AS c_comment,
    e.n AS e_n, e.count AS e_count, e.at_ms AS e_at, e.body AS e_body, e.link AS e_link
FROM ahu.match AS m
LEFT JOIN ahu.log AS l ON l.match = m.number
LEFT JOIN LATERAL (SELECT array_agg(seat ORDER BY seat) AS seat, array_agg(taken ORDER BY seat) AS taken
    FROM ahu.seat WHERE match = m.number) AS s ON true
LEFT JOIN LATERAL (SELECT array_agg(id) AS id, array_agg(content) AS content
    FROM ahu.request WHERE match = m.number) AS r ON true
LEFT JOIN LATERAL (SELECT array_agg(n ORDER BY n) AS n, array_agg(comment ORDER BY n) AS comment
    FROM ahu.comment WHERE match = m.number) AS c ON true
LEFT JOIN LATERAL (SELECT array_agg(n ORDER BY n) AS n, array_agg(count ORDER BY n) AS count, array_agg(at_ms ORDER BY n) AS at_ms,
    array_agg(body ORDER BY n) AS body, array_agg(link ORDER BY n) AS link
    FROM ahu.entry WHERE match = m.number) AS e ON true;

-- Begins a start, unless another one is live. Returns false if one is.
CREATE FUNCTION ahu.begin_1(id_ bytea, host_ text, process_ integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM ahu.wait_1();
    INSERT INTO ahu.start (id, live, host, process) VALUES (id_, true, host_, process_) ON CONFLICT DO NOTHING;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM ahu.start WHERE id = id_ AND live) THEN
        RETURN false;
    END IF;
    INSERT INTO ahu.beat (start, number) VALUES (id_, 0) ON CONFLICT DO NOTHING;
    -- A second try has to write too, so that its commit waits for the replicas.
    UPDATE ahu.meta SET time_ms = time_ms;
    RETURN true;
END $$;

-- The timeline of the database, eight digits, which rises with each failover.
CREATE FUNCTION ahu.timeline_1() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)
$$;

-- Notes a beat of a start. Returns false if the start is dead; also the number of changes of accounts, the replicas for which
-- commits wait, and the timeline.
CREATE FUNCTION ahu.beat_1(id_ bytea, OUT beats boolean, OUT accounts bigint, OUT replicas text, OUT timeline text)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    -- A beat that waited while its start was declared dead must not count.
    beats := ahu.is_live_1(id_);
    IF beats THEN
        UPDATE ahu.beat SET number = number + 1 WHERE start = id_;
        beats := FOUND;
    END IF;
    SELECT changes INTO accounts FROM ahu.accounts;
    replicas := current_setting('synchronous_standby_names');
    timeline := ahu.timeline_1();
END $$;

-- Ends the connections of a start, but for this one. Their application name is 'ahu ' and the id.
CREATE FUNCTION ahu.cut_1(id_ bytea) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'ahu ' || encode(id_, 'hex') AND datname = current_database() AND pid <> pg_backend_pid();
END $$;

-- Takes the row of the own start for an update, which waits for every commit of the start that is under way, and writes
-- something: once this is committed and confirmed, so is everything that can be read. Returns false if the start is dead.
CREATE FUNCTION ahu.settle_1(id_ bytea) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM ahu.wait_1();
    PERFORM set_config('lock_timeout', '1s', true);
    PERFORM 1 FROM ahu.start WHERE id = id_ AND live FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE ahu.meta SET time_ms = time_ms;
    RETURN true;
END $$;

-- Marks a start dead that has not beaten since its number was `seen`. Returns false if it has.
CREATE FUNCTION ahu.take_1(other bytea, seen bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    beats bigint;
BEGIN
    PERFORM ahu.wait_1();
    PERFORM set_config('lock_timeout', '1s', true);
    PERFORM 1 FROM ahu.start WHERE id = other AND live FOR UPDATE;
    IF NOT FOUND THEN
        RETURN true;
    END IF;
    -- A new statement: it sees the beats that were committed while this one waited for the lock.
    SELECT number INTO beats FROM ahu.beat WHERE start = other;
    IF beats IS DISTINCT FROM seen THEN
        RETURN false;
    END IF;
    UPDATE ahu.start SET live = false WHERE id = other;
    RETURN true;
END $$;

-- Ends a start: it writes nothing from now on, and another one may begin at once.
CREATE FUNCTION ahu.end_1(id_ bytea) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM ahu.wait_1();
    UPDATE ahu.start SET live = false WHERE id = id_;
    DELETE FROM ahu.start WHERE NOT live AND begun < now() - interval '30 days';
    DELETE FROM ahu.beat WHERE NOT EXISTS (SELECT FROM ahu.start WHERE id = beat.start AND live);
END $$;
