import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PostgresPool, postgresStore } from './postgres.js'

// By the real clock, since a statement waits inside the database.

let pool: PGlite
beforeAll(async () => {
  pool = await PGlite.create()
})
afterAll(() => pool.close())

/** From now on the first row that is written waits, as for a lock; the next ones do not. */
async function slowOnce(seconds: number): Promise<void> {
  await pool.exec(`CREATE SEQUENCE writes;
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('writes') = 1 THEN PERFORM pg_sleep(${seconds}); END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER slow BEFORE INSERT ON latchkey_ledger FOR EACH ROW EXECUTE FUNCTION wait()`)
}

it('an ending whose INSERT waits longer than the feed looks back is decided again, and so it is heard', async () => {
  const { ledger, ready } = postgresStore(pool as unknown as PostgresPool)
  await ready()
  await slowOnce(2.5)
  const begun = Math.floor(Date.now() / 1000)
  await ledger.revoke('sid', begun + 3_600)
  // The sequence counts also what was taken back.
  const { rows } = await pool.query<{ last_value: number }>('SELECT last_value FROM writes')
  expect(Number(rows[0]?.last_value)).toBe(2)
  const { sessions } = await ledger.revokedSince(begun)
  expect(sessions).toHaveLength(1)
  expect(sessions[0]?.at).toBeGreaterThanOrEqual(begun + 2)
  expect(await ledger.isRevoked('sid')).toBe(true)
})
