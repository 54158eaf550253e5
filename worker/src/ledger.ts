import { DurableObject } from 'cloudflare:workers'
import { REFRESH_LEASE, type RefreshClaim } from './stores/ports.js'

/** The bindings that the service needs, for the `Env` of your own Worker. */
export interface AuthBindings {
  SESSIONS: KVNamespace
  LEDGER: DurableObjectNamespace<Ledger>
}

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
      Math.floor(Date.now() / 1000),
      until,
    )
    this.ctx.storage.sql.exec('DELETE FROM refreshes WHERE sid = ?', sid)
    await this.#scheduleSweep()
  }

  isRevoked(sid: string): boolean {
    return (
      this.ctx.storage.sql.exec('SELECT 1 FROM revoked WHERE sid = ?', sid).toArray().length > 0
    )
  }

  /** The sessions that were revoked at or after a time. @param since seconds since the epoch */
  revokedSince(since: number): string[] {
    const rows = this.ctx.storage.sql.exec('SELECT sid FROM revoked WHERE at >= ?', since).toArray()
    return rows.map(({ sid }) => String(sid))
  }

  /** A session's refreshed provider tokens, sealed. */
  refreshedTokens(sid: string): string | undefined {
    return this.#refresh(sid)?.sealed ?? undefined
  }

  /** Lets one caller at a time refresh. @param expires seconds since the epoch */
  async claimRefresh(sid: string, version: number, expires: number): Promise<RefreshClaim> {
    if (this.isRevoked(sid)) return { state: 'over' }
    const known = this.#refresh(sid)
    if (known && known.version > version && known.sealed !== null) {
      return { state: 'newer', sealed: known.sealed }
    }
    const now = Math.floor(Date.now() / 1000)
    if (known && known.leased_until > now) return { state: 'taken' }
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO refreshes (sid, version, sealed, leased_until, expires) VALUES (?, ?, ?, ?, ?)',
      ...[sid, version, known?.sealed ?? null, now + REFRESH_LEASE, expires],
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

  #refresh(sid: string) {
    const [row] = this.ctx.storage.sql
      .exec<{ version: number; sealed: string | null; leased_until: number }>(
        'SELECT version, sealed, leased_until FROM refreshes WHERE sid = ?',
        sid,
      )
      .toArray()
    return row
  }

  override async alarm(): Promise<void> {
    const now = Math.floor(Date.now() / 1000)
    const { sql } = this.ctx.storage
    sql.exec('DELETE FROM consumed WHERE expires <= ?', now)
    sql.exec('DELETE FROM revoked WHERE expires <= ?', now)
    sql.exec('DELETE FROM refreshes WHERE expires <= ?', now)
    const left = sql
      .exec(
        'SELECT 1 FROM consumed UNION ALL SELECT 1 FROM revoked UNION ALL SELECT 1 FROM refreshes LIMIT 1',
      )
      .toArray()
    if (left.length > 0) await this.#scheduleSweep()
  }

  async #scheduleSweep(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) {
      await this.ctx.storage.setAlarm(Date.now() + SWEEP_INTERVAL)
    }
  }
}
