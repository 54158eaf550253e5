/** The first of the two numbers of our advisory locks, which an app may have too: `Latc` in ASCII. */
const LOCKS = 0x4c617463

const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now'

export const NOW = `SELECT NULL::text AS content, ${CLOCK}`

/** The code of a commit that was written too late: a division by zero. */
export const TOO_LATE = '22012'

/** Rows that another process deletes or writes at this moment are left to it. */
function sweep(table: string, key: string): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table}
    WHERE expires <= coalesce($1::float8, extract(epoch FROM clock_timestamp())) - $2
    LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING 1`
}

/** The statements of a store. @param prefix the beginning of the names of its tables */
export function statementsFor(prefix: string) {
  /**
   * Makes the missing tables and indexes, so that a role that may not make tables can use them.
   * Texts are compared by their bytes: other orders have letters that are equal, and another order
   * of keys.
   */
  const SCHEMA = `DO $schema$ BEGIN
PERFORM pg_advisory_xact_lock(${LOCKS}, -1);
IF to_regclass('${prefix}_sessions') IS NULL THEN
  CREATE TABLE ${prefix}_sessions (
    sub text COLLATE "C" NOT NULL, sid text COLLATE "C" NOT NULL, provider text NOT NULL,
    created bigint NOT NULL, updated bigint NOT NULL, expires bigint NOT NULL, sealed text NOT NULL,
    PRIMARY KEY (sub, sid));
  CREATE INDEX ${prefix}_sessions_end ON ${prefix}_sessions (expires);
END IF;
IF to_regclass('${prefix}_ledger') IS NULL THEN
  CREATE TABLE ${prefix}_ledger (
    kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, content text NOT NULL,
    at bigint, expires bigint, PRIMARY KEY (kind, key));
  CREATE INDEX ${prefix}_ledger_at ON ${prefix}_ledger (kind, at) WHERE at IS NOT NULL;
  CREATE INDEX ${prefix}_ledger_end ON ${prefix}_ledger (expires) WHERE expires IS NOT NULL;
END IF;
IF to_regproc('${prefix}_commit') IS NULL THEN
  -- Writes rows if those that were read are as they were. The locks come first, in one order for everybody; what
  -- is read after them was written by whoever had them before.
  CREATE FUNCTION ${prefix}_commit(kinds text[], keys text[], are_read boolean[], befores text[],
    are_written boolean[], afters text[], ats bigint[], ends bigint[], latest float8)
  RETURNS boolean LANGUAGE plpgsql AS $commit$
  DECLARE
    lane integer;
    known text;
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION '${prefix}_commit needs transactions that are read committed';
    END IF;
    FOR lane IN SELECT DISTINCT hashtext(one.kind || ' ' || one.key) & 1023
      FROM unnest(kinds, keys) AS one(kind, key) ORDER BY 1
    LOOP
      PERFORM pg_advisory_xact_lock(${LOCKS}, lane);
    END LOOP;
    IF extract(epoch FROM clock_timestamp()) * 1000 > latest THEN RETURN false; END IF;
    FOR place IN 1 .. coalesce(array_length(keys, 1), 0) LOOP
      IF are_read[place] THEN
        SELECT content INTO known FROM ${prefix}_ledger AS one
          WHERE one.kind = kinds[place] AND one.key = keys[place];
        IF known IS DISTINCT FROM befores[place] THEN RETURN false; END IF;
      END IF;
    END LOOP;
    FOR place IN 1 .. coalesce(array_length(keys, 1), 0) LOOP
      IF NOT are_written[place] THEN CONTINUE; END IF;
      IF afters[place] IS NULL THEN
        DELETE FROM ${prefix}_ledger AS one WHERE one.kind = kinds[place] AND one.key = keys[place];
      ELSE
        INSERT INTO ${prefix}_ledger AS one (kind, key, content, at, expires)
          VALUES (kinds[place], keys[place], afters[place], ats[place], ends[place])
          ON CONFLICT ON CONSTRAINT ${prefix}_ledger_pkey DO UPDATE
          SET content = excluded.content, at = excluded.at, expires = excluded.expires;
      END IF;
    END LOOP;
    RETURN true;
  END $commit$;
END IF;
END $schema$`

  /** In the order of the questions. */
  const READ = `SELECT one.content, ${CLOCK}
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked(kind, key, place)
LEFT JOIN ${prefix}_ledger AS one ON one.kind = asked.kind AND one.key = asked.key
ORDER BY asked.place`

  const KEYS = `SELECT key FROM ${prefix}_ledger WHERE kind = $1 AND key >= $2 AND key < $3`

  const ENTRIES = `SELECT key, content FROM ${prefix}_ledger
WHERE kind = $1 AND key >= $2 AND key < $3 ORDER BY key LIMIT $4`

  const SINCE = `SELECT key, content FROM ${prefix}_ledger
WHERE kind = $1 AND at >= $2 ORDER BY at LIMIT $3`

  // A write may have waited for a lock: its decision is too old by then, and the division fails, so
  // that nothing is written. The function itself stays as it is: a role that may not make functions
  // could not replace it.
  const COMMIT = `WITH made AS MATERIALIZED (
  SELECT ${prefix}_commit($1::text[], $2::text[], $3::boolean[], $4::text[],
    $5::boolean[], $6::text[], $7::bigint[], $8::bigint[], $9::float8) AS is_done)
SELECT is_done, 1 / CASE WHEN is_done AND extract(epoch FROM clock_timestamp()) * 1000 > $9::float8
  THEN 0 ELSE 1 END AS in_time FROM made`

  const SESSIONS = `SELECT sub, sid, provider, created::float8 AS created,
updated::float8 AS updated, expires::float8 AS expires, sealed FROM ${prefix}_sessions`

  const PUT_SESSION = `INSERT INTO ${prefix}_sessions
(sub, sid, provider, created, updated, expires, sealed) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (sub, sid) DO UPDATE SET provider = excluded.provider, created = excluded.created,
updated = excluded.updated, expires = excluded.expires, sealed = excluded.sealed`

  const SWEEP_LEDGER = sweep(`${prefix}_ledger`, 'kind, key')
  const SWEEP_SESSIONS = sweep(`${prefix}_sessions`, 'sub, sid')
  return {
    SCHEMA,
    READ,
    KEYS,
    ENTRIES,
    SINCE,
    COMMIT,
    SESSIONS,
    PUT_SESSION,
    SWEEP_LEDGER,
    SWEEP_SESSIONS,
  }
}
