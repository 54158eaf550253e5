import { type AuthConfig, createAuth } from '@latchkey/worker'
import { type AuthBindings, Ledger as ShippedLedger } from '@latchkey/worker/ledger'
import { standIn } from './stand-in.js'
import { setClock } from './stopped-clock.js'

/**
 * Extra routes of a Worker of a user, the same for every version of the packages: a test sets its clock
 * by them, reads its mails, and reads or writes the contents of its bindings.
 */

interface Env extends Omit<AuthBindings, 'LEDGER'> {
  readonly LEDGER: DurableObjectNamespace<Ledger>
}

/** The SQLite contents of one object. */
interface LedgerDump {
  readonly schema: readonly string[]
  readonly rows: Readonly<
    Record<string, readonly Readonly<Record<string, string | number | null>>[]>
  >
  /** Milliseconds since the epoch. */
  readonly alarm: number | null
}

/** The contents of the bindings. */
export interface Contents {
  readonly kv: Readonly<Record<string, string>>
  readonly ledger: Readonly<Record<string, LedgerDump>>
}

const SCHEMA = `SELECT type, name, sql FROM sqlite_master
  WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY type DESC, name`

export class Ledger extends ShippedLedger {
  async dump(): Promise<LedgerDump> {
    const { sql } = this.ctx.storage
    const made = sql.exec<{ type: string; name: string; sql: string }>(SCHEMA).toArray()
    const tables = made.filter(({ type }) => type === 'table')
    const rows = tables.map(({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()])
    return {
      schema: made.map((one) => one.sql),
      rows: Object.fromEntries(rows),
      alarm: await this.ctx.storage.getAlarm(),
    }
  }

  /** For the isolate of the objects, if the Worker has another one. */
  setClock(now: number): void {
    setClock(now)
  }

  sweep(): Promise<void> {
    return this.alarm()
  }

  /**
   * Writes the stored contents of a previous version into the object, and ends it: the next call
   * starts a fresh one.
   */
  async load({ schema, rows, alarm }: LedgerDump): Promise<void> {
    const { storage } = this.ctx
    for (const { type, name } of storage.sql.exec(SCHEMA).toArray()) {
      if (type === 'table') storage.sql.exec(`DROP TABLE ${name}`)
    }
    for (const statement of schema) storage.sql.exec(statement)
    for (const [table, found] of Object.entries(rows)) {
      for (const row of found) {
        const names = Object.keys(row)
        const places = names.map(() => '?').join()
        const into = `INSERT INTO ${table} (${names.join()}) VALUES (${places})`
        storage.sql.exec(into, ...Object.values(row))
      }
    }
    if (alarm === null) await storage.deleteAlarm()
    else await storage.setAlarm(alarm)
    await storage.sync()
    this.ctx.abort('It starts again with the loaded state.')
  }
}

/** Mails that were sent, by address. */
export const mails = new Map<string, { url: string; code: string }>()
export const provider = standIn()
// A middleware for Hono reaches its provider by the global fetch.
globalThis.fetch = provider.fetch

type Auth = ReturnType<typeof createAuth<Record<string, unknown>>>

/** A request of a test to the service itself, past its routes. */
type Door = (auth: Auth, request: Request, env: Record<string, unknown>) => Promise<unknown>

/** One service for the same settings, as an isolate has it. */
const isolates = new Map<string, Record<string, unknown>>()

function isolateOf(env: Env, settings: string): Record<string, unknown> {
  const known = isolates.get(settings)
  if (known) return known
  const made = { ...env, ...JSON.parse(settings) }
  isolates.set(settings, made)
  return made
}

/** @param more further doors, by their paths */
export function behindDoors(config: AuthConfig, more: Readonly<Record<string, Door>> = {}) {
  const auth = createAuth<Record<string, unknown>>(config)
  return {
    async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
      const { pathname } = new URL(request.url)
      if (pathname === '/test/dump') return Response.json(await dump(env, await request.json()))
      if (pathname === '/test/load') return new Response(await load(env, await request.json()))
      const now = Number(request.headers.get('x-test-now'))
      setClock(now)
      if (request.headers.has('x-test-mixed')) {
        await env.LEDGER.get(env.LEDGER.idFromName('ledger')).setClock(now)
      }
      provider.isSilent = request.headers.has('x-test-silent')
      const isolate = isolateOf(env, request.headers.get('x-test-env') ?? '{}')
      if (pathname === '/test/sweep') return new Response(await sweep(env, await request.json()))
      if (pathname === '/test/mails') return Response.json(Object.fromEntries(mails))
      if (pathname === '/test/token') {
        return Response.json(await auth.getAccessToken(request, isolate, ctx))
      }
      const door = more[pathname]
      if (door) return Response.json((await door(auth, request, isolate)) ?? null)
      return auth.fetch(request, isolate, ctx)
    },
  }
}

/** @param names of the ledger's objects */
async function dump({ SESSIONS, LEDGER }: Env, names: readonly string[]): Promise<Contents> {
  const { keys } = await SESSIONS.list()
  const kv = await Promise.all(keys.map(async ({ name }) => [name, await SESSIONS.get(name)]))
  const ledger: Record<string, LedgerDump> = {}
  for (const name of names) ledger[name] = await LEDGER.get(LEDGER.idFromName(name)).dump()
  return { kv: Object.fromEntries(kv), ledger }
}

async function sweep({ LEDGER }: Env, names: readonly string[]): Promise<null> {
  await Promise.all(names.map((name) => LEDGER.get(LEDGER.idFromName(name)).sweep()))
  return null
}

async function load({ SESSIONS, LEDGER }: Env, { kv, ledger }: Contents): Promise<null> {
  for (const { name } of (await SESSIONS.list()).keys) await SESSIONS.delete(name)
  for (const [name, value] of Object.entries(kv)) await SESSIONS.put(name, value)
  for (const [name, kept] of Object.entries(ledger)) {
    // The object ends itself, so the call that does it is rejected.
    await LEDGER.get(LEDGER.idFromName(name))
      .load(kept)
      .catch((error: Error) => {
        if (!error.message.includes('starts again')) throw error
      })
  }
  return null
}
