import { AuditLog } from '../features/operate/log/audit-log.js'
import type { AuditMethods } from '../features/operate/log/record.js'
import { SqlRows } from '../features/operate/log/sql-rows.js'
import { createAuth } from '../index.js'
import type { Ledger as LedgerObject } from '../ledger.js'
import credentials from '../providers/credentials.js'
import { OPERATIONS } from '../service/operations.js'
import { durableLedger } from '../stores/durable-ledger.js'
import { Collector } from '../stores/ledger/collector.js'
import { drawSid, type Place } from '../stores/ledger/placement.js'
import type { Ledger } from '../stores/ledger/rules.js'
import type { RunSql } from '../stores/ledger/sqlite-rows.js'
import { memoryStore } from '../stores/memory.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig, Environment, Operations, WhoseSessions } from '../types.js'
import { Browser, configWith, copyOf, origin, secret } from './browser.js'
import { FakeKv } from './kv.js'
import { emptyDatabase } from './sqlite.js'

/** An object of a ledger, with the audit log if there is one. */
type FakeObject = Ledger & Partial<AuditMethods>

type Called = keyof Ledger | keyof AuditMethods | 'collect'

/** Durable Objects in memory, by their names. */
export class FakeLedgers {
  readonly objects = new Map<string, FakeObject>()
  /** The rows of the audit log in each object, if {@link auditDays} is set. */
  readonly audits = new Map<string, RunSql>()
  /** New objects have the class with the audit log. */
  auditDays: number | undefined
  /** Calls, oldest first, such as `ledger consume`. */
  readonly calls: string[] = []
  /** Called before each call: the call waits for it, and fails with its error. */
  readonly before = new Map<Called, (name: string) => Promise<unknown>>()
  /** Called after each call took effect: the call fails with its error. */
  readonly after = new Map<Called, (name: string) => Promise<unknown>>()

  /** How far their clock is ahead of the isolates'. Seconds. */
  skew = 0
  readonly #collectors = new Map<string, Collector>()
  readonly #turns = new Map<string, Promise<void>>()
  #random = 1

  /** The stores of a service with so many objects, and with sessions in memory. */
  storesOf(shards: readonly number[], { sessions } = memoryStore()): Stores {
    return {
      sessions,
      ledger: durableLedger(this.binding, shards),
      drawSid: (sub, near, random) => drawSid(shards, sub, near, random),
    }
  }

  /** The binding of a Worker. */
  get binding(): DurableObjectNamespace<LedgerObject> {
    const get = (name: string) =>
      new Proxy(this.#objectOf(name) as LedgerObject, {
        get: (object, method: keyof Ledger) => {
          // As workerd says it, where the call is made.
          if (typeof object[method] !== 'function') {
            return () =>
              Promise.reject(
                new TypeError(`The RPC receiver does not implement the method "${method}".`),
              )
          }
          return async (...args: never[]) => {
            this.calls.push(`${name} ${method}`)
            // Calls to different objects overtake each other; those to one object do not.
            const turn = (this.#turns.get(name) ?? Promise.resolve()).then(() => this.#wait())
            this.#turns.set(name, turn)
            await turn
            await this.before.get(method)?.(name)
            const answer = await (object[method] as (...args: never[]) => unknown)(...args)
            await this.after.get(method)?.(name)
            return answer
          }
        },
      })
    return {
      idFromName: (name: string) => name,
      get,
    } as unknown as DurableObjectNamespace<LedgerObject>
  }

  /** How often a method was called. */
  count(method: Called): number {
    return this.calls.filter((call) => call.endsWith(` ${method}`)).length
  }

  async #wait(): Promise<void> {
    this.#random = (this.#random * 48_271) % 0x7fffffff
    for (let tick = this.#random % 16; tick > 0; tick--) await null
  }

  #objectOf(name: string): FakeObject | Pick<LedgerObject, 'collect'> {
    if (name.startsWith('endings-')) return this.#collectorOf(name)
    const object = this.objects.get(name)
    if (object) return object
    const now = () => Date.now() + this.skew * 1000
    const { ledger } = memoryStore(now)
    const made = this.auditDays === undefined ? ledger : { ...ledger, ...this.#logOf(name, now) }
    this.objects.set(name, made)
    return made
  }

  #logOf(name: string, now: () => number): AuditMethods {
    const run = emptyDatabase()
    this.audits.set(name, run)
    const log = new AuditLog({
      rows: new SqlRows(run),
      days: this.auditDays,
      now,
      wait: async () => {},
    })
    return {
      record: (...args) => log.record(...args),
      records: (query) => log.records(query),
      auditHead: () => log.auditHead(),
    }
  }

  #collectorOf(name: string): Pick<LedgerObject, 'collect'> {
    const ask = (place: Place, since: number) =>
      this.binding.get(place.name as never).revokedSince(since)
    const now = () => Date.now() + this.skew * 1000
    const collector = this.#collectors.get(name) ?? new Collector(ask, now)
    this.#collectors.set(name, collector)
    return { collect: (...args) => collector.since(...args) }
  }
}

/** Signs every user in as the person that they name. */
export const anybody = credentials({
  credentials: { username: {} },
  authorize: ({ username }) => ({ id: String(username), name: String(username) }),
})

/**
 * A Worker as it is deployed: KV with its greatest delay, the ledger, and isolates at locations.
 *
 * @param variables and further bindings of every isolate
 */
export function deployment(changes: Partial<AuthConfig> = {}, variables: Environment = {}) {
  const kv = new FakeKv()
  const ledgers = new FakeLedgers()
  const errors: Error[] = []
  const work: Promise<unknown>[] = []
  const { store: _, ...config } = configWith({
    providers: [anybody],
    logger: { error: (error) => void errors.push(error) },
    ...changes,
  })
  const isolate = (
    location = 'here',
    changed: Partial<AuthConfig> = {},
    more: Environment = {},
  ) => {
    const handler = createAuth({ ...config, ...changed })
    const bindings = { SESSIONS: kv.at(location), LEDGER: ledgers.binding }
    const env = { AUTH_SECRET: secret, ...bindings, ...variables, ...more }
    const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
    const ask = (cookie: string) =>
      handler.getAccessToken(new Request(origin, { headers: { cookie } }), env, { waitUntil })
    const endSessions = (whose: WhoseSessions) => handler.endSessions(whose, env, { waitUntil })
    const answer = (request: Request) => handler.fetch(request, env, { waitUntil })
    /** A method for the operator, as a Worker calls it. */
    const call = <Name extends keyof Operations>(
      name: Name,
      ...args: Parameters<Operations[Name]>
    ): ReturnType<Operations[Name]> => {
      const { takes } = OPERATIONS[name]
      const method = handler[name] as unknown as (...all: unknown[]) => ReturnType<Operations[Name]>
      return method(...takes.map((_, at) => args[at]), env, { waitUntil })
    }
    return { answer, ask, endSessions, call }
  }
  const here = isolate()
  const browserAt = (where = here) => new Browser(config, where)
  return {
    kv,
    ledgers,
    errors,
    here,
    isolate,
    browserAt,
    copyAt: (browser: Browser, where = here) => copyOf(browser, config, where),
    /** A signed-in browser. */
    async signIn(username = 'ada', where = here, headers: Record<string, string> = {}) {
      const browser = browserAt(where)
      const answer = await browser.submit('/auth/callback/credentials', { username }, headers)
      if (answer.status !== 302) throw new Error(`The sign-in was answered with ${answer.status}.`)
      return browser
    },
    /** Resolves when all work after the answers has ended. */
    async settled() {
      while (work.length > 0) await Promise.all(work.splice(0))
    },
  }
}
