import { DurableObject } from 'cloudflare:workers'
import type { UserCutoff } from '@latchkey/session/issue'
import {
  type AttemptLimit,
  LOOK_OVERLAP,
  MAX_WRONG_CODES,
  REFRESH_LEASE,
  type Redemption,
  type RefreshClaim,
  type RefreshedTokens,
  type RevokedLately,
  type SessionOwner,
  type Verification,
  type VerificationProof,
} from './stores/ports.js'

/** The bindings that the service needs, for the `Env` of your own Worker. */
export interface AuthBindings {
  SESSIONS: KVNamespace
  LEDGER: DurableObjectNamespace<Ledger>
}

/** Each table with its key. A row costs one write more for each index (docs/scale.md). */
const TABLES = [
  ['consumed', 'name'],
  ['revoked', 'sid'],
  ['cutoffs', 'sub'],
  ['refreshes', 'sid'],
  ['attempts', 'name'],
  ['verifications', 'key'],
] as const

const SCHEMA = `
CREATE TABLE IF NOT EXISTS consumed (name TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revoked (sid TEXT PRIMARY KEY, at INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cutoffs (sub TEXT PRIMARY KEY, until INTEGER NOT NULL, kept TEXT, at INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refreshes (sid TEXT PRIMARY KEY, version INTEGER NOT NULL, sealed TEXT, leased_until INTEGER NOT NULL, expires INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS attempts (name TEXT PRIMARY KEY, count INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verifications (key TEXT PRIMARY KEY, link TEXT NOT NULL, code TEXT NOT NULL, sealed TEXT NOT NULL, wrong INTEGER NOT NULL, expires INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS revoked_at ON revoked (at);
CREATE INDEX IF NOT EXISTS cutoffs_at ON cutoffs (at);
${TABLES.map(([table]) => `CREATE INDEX IF NOT EXISTS ${table}_end ON ${table} (expires);`).join('')}`

/** How often what is over is swept out, in milliseconds. */
const SWEEP_INTERVAL = 60 * 60 * 1000
/** So many rows of a table at a time, and the rest a second later: nobody waits for a sweep. */
const SWEEP_ROWS = 5_000
const SWEEP_PAUSE = 1_000
/** The most endings of either kind in one answer: about a megabyte. */
const MAX_ENDINGS = 10_000

/**
 * The ledger: a Durable Object that decides what happens exactly once and remembers which
 * sessions are over. Export it from the Worker's entry, bound as `LEDGER`.
 *
 * @example export { Ledger } from '@latchkey/worker/ledger'
 */
export class Ledger extends DurableObject {
  constructor(state: DurableObjectState, env: unknown) {
    super(state, env as never)
    state.storage.sql.exec(SCHEMA)
  }

  /** `true` for the first caller with this name. @param expires seconds since the epoch */
  async consume(name: string, expires: number): Promise<boolean> {
    const first = this.ctx.storage.sql
      .exec(
        'INSERT INTO consumed VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING name',
        name,
        expires,
      )
      .toArray()
    await this.#scheduleSweep()
    return first.length > 0
  }

  /** Ends a session for good. @param until the session's own end, seconds since the epoch */
  async revoke(sid: string, until: number): Promise<void> {
    this.ctx.storage.sql.exec(
      `INSERT INTO revoked (sid, at, expires) VALUES (?, ?, ?)
       ON CONFLICT (sid) DO UPDATE SET at = excluded.at, expires = max(expires, excluded.expires)`,
      ...[sid, seconds(), until],
    )
    this.ctx.storage.sql.exec('DELETE FROM refreshes WHERE sid = ?', sid)
    await this.#scheduleSweep()
  }

  isRevoked(sid: string, owner?: SessionOwner): boolean {
    if (this.#has('SELECT 1 FROM revoked WHERE sid = ?', sid)) return true
    if (!owner) return false
    const isCutOff = 'SELECT 1 FROM cutoffs WHERE sub = ? AND until >= ? AND kept IS NOT ?'
    return this.#has(isCutOff, owner.sub, owner.auth_time, sid)
  }

  /**
   * Ends all sessions of a user that began by a time, but for one. That one must not be over: it
   * would spare itself. What is ended stays so, whatever comes later.
   *
   * @param auth_time when the one that goes on began
   */
  async cutOff(
    { sub, until, except }: UserCutoff,
    expires: number,
    auth_time = 0,
  ): Promise<boolean> {
    if (except !== undefined && this.isRevoked(except, { sub, auth_time })) return false
    this.ctx.storage.sql.exec(
      `INSERT INTO cutoffs (sub, until, kept, at, expires) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (sub) DO UPDATE SET until = max(until, excluded.until), kept = excluded.kept,
         at = excluded.at, expires = max(expires, excluded.expires)`,
      ...[sub, until, except ?? null, seconds(), expires],
    )
    await this.#scheduleSweep()
    return true
  }

  /** What was revoked at or after a time, by this clock: the oldest, if it is too much for once. */
  revokedSince(since: number): RevokedLately {
    const { sql } = this.ctx.storage
    const sessions = sql
      .exec<{ sid: string; at: number }>(
        `SELECT sid, at FROM revoked WHERE at >= ? ORDER BY at LIMIT ${MAX_ENDINGS}`,
        since,
      )
      .toArray()
    const cutoffs = sql
      .exec<{ sub: string; until: number; kept: string | null; at: number }>(
        `SELECT sub, until, kept, at FROM cutoffs WHERE at >= ? ORDER BY at LIMIT ${MAX_ENDINGS}`,
        since,
      )
      .toArray()
    // Where there is more, it begins in the second of the last one.
    const ends = [sessions, cutoffs].flatMap((rows) => rows[MAX_ENDINGS - 1]?.at ?? [])
    return {
      sessions,
      users: cutoffs.map(({ sub, until, kept }) => {
        return { sub, until, ...(kept === null ? {} : { except: kept }) }
      }),
      next: ends.length > 0 ? Math.min(...ends) : seconds() - LOOK_OVERLAP,
      hasMore: ends.length > 0,
    }
  }

  /** A session's refreshed provider tokens. */
  refreshedTokens(sid: string): RefreshedTokens | undefined {
    const { version = 0, sealed = null } = this.#refresh(sid) ?? {}
    return sealed === null ? undefined : { version, sealed }
  }

  /** Lets one caller at a time refresh. @param expires seconds since the epoch */
  async claimRefresh(sid: string, version: number, expires: number): Promise<RefreshClaim> {
    if (this.isRevoked(sid)) return { state: 'over' }
    const known = this.#refresh(sid)
    if (known && known.version > version) {
      const { version: newer, sealed } = known
      return sealed === null ? { state: 'taken' } : { state: 'newer', version: newer, sealed }
    }
    const now = seconds()
    const isSame = known?.version === version
    if (isSame && known.leased_until > now) return { state: 'taken' }
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO refreshes (sid, version, sealed, leased_until, expires) VALUES (?, ?, ?, ?, ?)',
      ...[sid, version, isSame ? known.sealed : null, now + REFRESH_LEASE, expires],
    )
    await this.#scheduleSweep()
    return { state: 'yours' }
  }

  /** Ends a refresh that was claimed; without new tokens another may be tried. */
  settleRefresh(sid: string, version: number, sealed?: string): void {
    const { sql } = this.ctx.storage
    const claimed = 'leased_until = 0 WHERE sid = ? AND version = ?'
    if (sealed === undefined) sql.exec(`UPDATE refreshes SET ${claimed}`, sid, version)
    else
      sql.exec(
        `UPDATE refreshes SET version = version + 1, sealed = ?, ${claimed}`,
        ...[sealed, sid, version],
      )
  }

  /** Counts an attempt, unless a limit is reached. @returns seconds to wait; 0: go ahead */
  async admit(key: string, limits: readonly AttemptLimit[]): Promise<number> {
    const now = seconds()
    const { sql } = this.ctx.storage
    const waits = limits.map(({ name, max }) => {
      const [row] = sql
        .exec<{ count: number; expires: number }>(
          'SELECT count, expires FROM attempts WHERE name = ? AND expires > ?',
          ...[`${key} ${name}`, now],
        )
        .toArray()
      return row && row.count >= max ? row.expires - now : 0
    })
    const wait = Math.max(0, ...waits)
    if (wait > 0) return wait
    for (const { name, period } of limits) {
      sql.exec(
        `INSERT INTO attempts VALUES (?1, 1, ?2) ON CONFLICT (name) DO UPDATE SET
           count = CASE WHEN expires > ?3 THEN count + 1 ELSE 1 END,
           expires = CASE WHEN expires > ?3 THEN expires ELSE ?2 END`,
        ...[`${key} ${name}`, now + period, now],
      )
    }
    await this.#scheduleSweep()
    return 0
  }

  forgive(key: string, limits: readonly string[]): void {
    for (const name of limits) {
      this.ctx.storage.sql.exec('DELETE FROM attempts WHERE name = ?', `${key} ${name}`)
    }
  }

  /** Keeps what was mailed to an address, in the place of what was mailed to it before. */
  async startVerification(key: string, verification: Verification): Promise<void> {
    const { link, code, sealed, expires } = verification
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO verifications (key, link, code, sealed, wrong, expires) VALUES (?, ?, ?, ?, 0, ?)',
      ...[key, link, code, sealed, expires],
    )
    await this.#scheduleSweep()
  }

  /** What a link stands for. Looking changes nothing: mail scanners look as well. */
  findVerification(key: string, link: string): string | undefined {
    const found = this.#verification(key)
    return found?.link === link ? found.sealed : undefined
  }

  /**
   * Uses up what was mailed. A wrong code counts, and never touches the link: a stranger may type
   * codes as well.
   */
  redeemVerification(key: string, proof: VerificationProof): Redemption {
    const { sql } = this.ctx.storage
    const found = this.#verification(key)
    if (!found) return { state: 'over' }
    if ('link' in proof && proof.link !== found.link) return { state: 'over' }
    if ('code' in proof && found.wrong >= MAX_WRONG_CODES) return { state: 'spent' }
    if ('code' in proof && proof.code !== found.code) {
      sql.exec('UPDATE verifications SET wrong = wrong + 1 WHERE key = ?', key)
      return { state: found.wrong + 1 < MAX_WRONG_CODES ? 'wrong' : 'spent' }
    }
    sql.exec('DELETE FROM verifications WHERE key = ?', key)
    return { state: 'redeemed', sealed: found.sealed }
  }

  /** Forgets what was mailed, or only what has this link. */
  withdrawVerification(key: string, link?: string): void {
    this.ctx.storage.sql.exec(
      'DELETE FROM verifications WHERE key = ?1 AND (?2 IS NULL OR link = ?2)',
      ...[key, link ?? null],
    )
  }

  #verification(key: string) {
    const [row] = this.ctx.storage.sql
      .exec<{ link: string; code: string; sealed: string; wrong: number }>(
        'SELECT link, code, sealed, wrong FROM verifications WHERE key = ? AND expires > ?',
        ...[key, seconds()],
      )
      .toArray()
    return row
  }

  #has(query: string, ...bindings: (string | number)[]): boolean {
    return this.ctx.storage.sql.exec(query, ...bindings).toArray().length > 0
  }

  #refresh(sid: string) {
    const [row] = this.ctx.storage.sql
      .exec<{ version: number; sealed: string | null; leased_until: number }>(
        'SELECT version, sealed, leased_until FROM refreshes WHERE sid = ? AND expires > ?',
        sid,
        seconds(),
      )
      .toArray()
    return row
  }

  override async alarm(): Promise<void> {
    const now = seconds()
    const { sql } = this.ctx.storage
    const left = TABLES.flatMap(([table, key]) => {
      const over = `SELECT ${key} FROM ${table} WHERE expires <= ? LIMIT ${SWEEP_ROWS}`
      sql.exec(`DELETE FROM ${table} WHERE ${key} IN (${over})`, now)
      const { first } = sql
        .exec<{ first: number | null }>(`SELECT min(expires) AS first FROM ${table}`)
        .one()
      return first ?? []
    })
    if (left.length === 0) return
    const pause = Math.min(...left) <= now ? SWEEP_PAUSE : SWEEP_INTERVAL
    await this.ctx.storage.setAlarm(Date.now() + pause)
  }

  async #scheduleSweep(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) {
      await this.ctx.storage.setAlarm(Date.now() + SWEEP_INTERVAL)
    }
  }
}

/** Since the epoch. */
function seconds(): number {
  return Math.floor(Date.now() / 1000)
}
