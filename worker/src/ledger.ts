import { DurableObject } from 'cloudflare:workers'
import type { Revocations, UserCutoff } from '@latchkey/session'
import {
  REFRESH_LEASE,
  type RefreshClaim,
  type RefreshedTokens,
  type SessionOwner,
} from './stores/ports.js'

/** The bindings that the service needs, for the `Env` of your own Worker. */
export interface AuthBindings {
  SESSIONS: KVNamespace
  LEDGER: DurableObjectNamespace<Ledger>
}

const TABLES = ['consumed', 'revoked', 'cutoffs', 'refreshes'] as const

/** How often what is over is swept out, in milliseconds. */
const SWEEP_INTERVAL = 60 * 60 * 1000

/**
 * The ledger: a Durable Object that decides what happens exactly once and remembers which
 * sessions are over. Export it from the Worker's entry, bound as `LEDGER`.
 *
 * @example export { Ledger } from '@latchkey/worker/ledger'
 */
export class Ledger extends DurableObject {
  constructor(state: DurableObjectState, env: unknown) {
    super(state, env as never)
    state.storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS consumed (name TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
       CREATE TABLE IF NOT EXISTS revoked (sid TEXT PRIMARY KEY, at INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
       CREATE INDEX IF NOT EXISTS revoked_at ON revoked (at);
       CREATE TABLE IF NOT EXISTS cutoffs (sub TEXT PRIMARY KEY, until INTEGER NOT NULL, kept TEXT, expires INTEGER NOT NULL) WITHOUT ROWID;
       CREATE TABLE IF NOT EXISTS refreshes (sid TEXT PRIMARY KEY, version INTEGER NOT NULL, sealed TEXT, leased_until INTEGER NOT NULL, expires INTEGER NOT NULL);`,
    )
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
      'INSERT OR REPLACE INTO revoked (sid, at, expires) VALUES (?, ?, ?)',
      sid,
      seconds(),
      until,
    )
    this.ctx.storage.sql.exec('DELETE FROM refreshes WHERE sid = ?', sid)
    await this.#scheduleSweep()
  }

  /** Was this name used up? */
  isConsumed(name: string): boolean {
    return this.#has('SELECT 1 FROM consumed WHERE name = ?', name)
  }

  isRevoked(sid: string, owner?: SessionOwner): boolean {
    if (this.#has('SELECT 1 FROM revoked WHERE sid = ?', sid)) return true
    if (!owner) return false
    const isCutOff = 'SELECT 1 FROM cutoffs WHERE sub = ? AND until >= ? AND kept IS NOT ?'
    return this.#has(isCutOff, owner.sub, owner.auth_time, sid)
  }

  /** Ends all sessions of a user that began by a time, but for one. */
  async cutOff({ sub, until, except }: UserCutoff, expires: number): Promise<void> {
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO cutoffs (sub, until, kept, expires) VALUES (?, ?, ?, ?)',
      ...[sub, until, except ?? null, expires],
    )
    await this.#scheduleSweep()
  }

  /** What was revoked at or after a time. @param since seconds since the epoch */
  revokedSince(since: number): Revocations {
    const { sql } = this.ctx.storage
    const sessions = sql.exec<{ sid: string; at: number }>(
      'SELECT sid, at FROM revoked WHERE at >= ? ORDER BY at',
      since,
    )
    const users = sql.exec<{ sub: string; until: number; kept: string | null }>(
      'SELECT sub, until, kept FROM cutoffs WHERE until >= ? ORDER BY until',
      since,
    )
    return {
      sessions: sessions.toArray(),
      users: users.toArray().map(({ sub, until, kept }) => {
        return { sub, until, ...(kept === null ? {} : { except: kept }) }
      }),
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
    const left = TABLES.filter((table) => {
      sql.exec(`DELETE FROM ${table} WHERE expires <= ?`, now)
      return sql.exec(`SELECT 1 FROM ${table} LIMIT 1`).toArray().length > 0
    })
    if (left.length > 0) await this.#scheduleSweep()
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
