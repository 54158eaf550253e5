import { within } from '@latchkey/session/internal'
import { cookieName, SESSION_COOKIE, signSessionToken } from '@latchkey/session/issue'
import { collectedRevocations } from '@latchkey/worker/stores/collected-revocations'
import { durableLedger } from '@latchkey/worker/stores/durable-ledger'
import { guardedStores } from '@latchkey/worker/stores/guarded-stores'
import {
  drawSid,
  type Layout,
  placeOfName,
  placeOfPerson,
  placeOfSession,
  type Region,
} from '@latchkey/worker/stores/ledger/placement'
import type { Ledger } from '@latchkey/worker/stores/ledger/rules'
import type { SessionStore } from '@latchkey/worker/stores/ports'
import type { Design, IsolateRevocations, Named } from './design.js'
import type { Caller, LedgerObjects } from './ledger-objects.js'
import type { Place } from './network.js'
import { TOKEN_MAX_AGE } from './sizes.js'
import type { Surroundings } from './surroundings.js'

/** For each of the network's regions, the nearest region of the ledger that a size uses. */
const NEAREST: readonly Region[] = ['enam', 'wnam', 'weur', 'apac', 'enam', 'apac']

/** As the service waits for the ledger. Milliseconds. */
const MAX_WAIT = 1_000

/** The wait for KV if it has the record near. Milliseconds. */
const KV_DELAY = 15

/** A flow that is finished, or an extension: for so long its name is used up. Seconds. */
const FLOW_LIFE = 15 * 60
const EXTENSION_LIFE = 60 * 60

/** A session of the simulated people. Times are seconds. */
export interface SimulatedSession extends Named {
  sexp: number
}

/** The questions to KV. */
export interface KvCounts {
  reads: number
  writes: number
  deletes: number
  lists: number
}

export const COOKIE = cookieName(SESSION_COOKIE, { secure: true })

/**
 * One isolate of the Worker: the real ledger's client, sharded and guarded, and the calls that the
 * service makes for each event, in its order (docs/scale.md).
 */
export class Isolate implements Caller {
  received = 0
  readonly place: Place
  readonly revocations: IsolateRevocations
  readonly #around: Surroundings
  readonly #ledger: Ledger
  readonly #kv: KvCounts
  readonly shards: readonly Layout[]
  readonly #objects: LedgerObjects

  constructor(
    around: Surroundings,
    {
      design,
      objects,
      place,
      kv,
      shards = [around.size.layout],
    }: {
      design: Design
      objects: LedgerObjects
      place: Place
      kv: KvCounts
      shards?: readonly Layout[]
    },
  ) {
    this.#around = around
    this.#kv = kv
    this.place = place
    const namespace = objects.namespaceFor(this)
    const ledger = durableLedger(namespace, shards)
    const endings = collectedRevocations(namespace, shards, NEAREST[place.region])
    const stores = guardedStores({
      sessions: noStore,
      ledger,
      ...(endings ? { revocations: endings } : {}),
    })
    this.#ledger = stores.ledger
    this.shards = shards
    this.#objects = objects
    this.revocations = design.isolate(around, this, stores)
  }

  /** The ids of a new session here: of a user with simulated objects. */
  drawIds(): Pick<Named, 'sid' | 'sub'> {
    const newest = this.shards.at(-1) as Layout
    const sub = this.#drawName('', (name) => placeOfPerson(newest, name))
    return { sub, sid: this.drawSid(sub) }
  }

  /** The names of the objects with the rows of a session, and with its person's. */
  objectsOf({ sid, sub }: Pick<Named, 'sid' | 'sub'>): readonly string[] {
    return this.shards.flatMap((layout) => {
      return [placeOfSession(layout, sid).name, placeOfPerson(layout, sub).name]
    })
  }

  /** A new session of the same person. */
  drawSid(sub: string): string {
    return drawSid(this.shards, sub, NEAREST[this.place.region])
  }

  /** Uses up a new name. @param life seconds */
  async use(kind: string, life: number, name = this.#drawFlow(kind)): Promise<boolean> {
    return this.#ledger.consume(name, this.#now + life)
  }

  #drawFlow(kind: string): string {
    const newest = this.shards.at(-1) as Layout
    return this.#drawName(`${kind}:`, (name) => placeOfName(newest, name))
  }

  #drawName(begin: string, place: (name: string) => { name: string }): string {
    const drawn = begin + this.#around.world.id()
    for (let tries = 0; ; tries++) {
      const name = drawn + tries
      if (this.#objects.isSimulated(place(name).name)) return name
    }
  }

  /** A sign-in by OAuth. */
  async signIn(session: SimulatedSession): Promise<void> {
    await this.use('flow', FLOW_LIFE)
    await this.#askKv('writes')
    session.sexp = this.#now + this.#around.size.maxAge
  }

  /** @returns whether the session goes on */
  async renew(session: SimulatedSession, isExtended: boolean): Promise<boolean> {
    await this.revocations.refresh()
    if (this.revocations.has(session)) return false
    const [isOver] = await Promise.all([this.#isRevoked(session), this.#askKv('reads')])
    if (isOver) return false
    if (!isExtended) return true
    const now = this.#now
    await this.use('extend', EXTENSION_LIFE)
    await this.#askKv('writes')
    session.sexp = now + this.#around.size.maxAge
    return !(await this.#isRevoked(session))
  }

  /** A read: is this session over, as far as is known here? */
  async refuses(session: SimulatedSession): Promise<boolean> {
    if (this.revocations.has(session)) return true
    if (!this.revocations.isUnheard) return false
    const answer = this.#isRevoked(session).catch(() => false)
    return (await within(MAX_WAIT, answer)) ?? false
  }

  async signOut(session: SimulatedSession): Promise<void> {
    await this.revocations.refresh()
    await this.#end(session)
  }

  /** Signs out everywhere. @param all the person's sessions, the one that asks first */
  async signOutEverywhere(all: readonly [SimulatedSession, ...SimulatedSession[]]): Promise<void> {
    const [{ sub, auth_time }] = all
    const now = this.#now
    await this.revocations.refresh()
    await this.#isRevoked(all[0])
    await this.#askKv('lists')
    await Promise.all(all.map(() => this.#askKv('reads')))
    const cutoff = { sub, until: now }
    await this.#ledger.cutOff(cutoff, now + 2 * this.#around.size.maxAge, auth_time)
    this.revocations.cutOff(cutoff)
    await Promise.all(all.map((session) => this.#end(session)))
  }

  /** `GET /session` with a token that has ended, as an app asks. */
  async renewFor(session: SimulatedSession, isExtended: boolean): Promise<Response> {
    if (!(await this.renew(session, isExtended))) return Response.json(null)
    const cookie = await this.cookieOf(session)
    const headers = { 'set-cookie': `${cookie}; Path=/; Secure; HttpOnly; Max-Age=86400` }
    return Response.json({ expires: new Date(session.sexp * 1000).toISOString() }, { headers })
  }

  /** The Cookie header of a person with a token of some age. @param age seconds */
  async cookieOf({ sid, sub, auth_time, sexp }: SimulatedSession, age = 0): Promise<string> {
    const { issuer, keys } = this.#around
    const iat = this.#now - age
    const session = { user: { name: 'Ada Lovelace', email: 'ada@example.com', image: null } }
    const times = { iat, exp: iat + TOKEN_MAX_AGE, auth_time, sexp }
    const pid = await keys.pseudonyms.of(sub)
    const claims = { iss: issuer, sub, pid, sid, ...times, amr: ['videoapp'], session }
    return `${COOKIE}=${await signSessionToken(claims, keys.session.signing)}`
  }

  async #end({ sid, sexp }: SimulatedSession): Promise<void> {
    await this.#ledger.revoke(sid, sexp + this.#around.size.maxAge)
    this.revocations.ended(sid)
    await this.#askKv('deletes')
  }

  async #isRevoked(session: Named): Promise<boolean> {
    if (this.revocations.has(session)) return true
    return this.#ledger.isRevoked(session.sid, session)
  }

  async #askKv(what: keyof KvCounts): Promise<void> {
    this.#kv[what]++
    await this.#around.world.sleep(KV_DELAY)
  }

  get #now(): number {
    return Math.floor(this.#around.world.now() / 1000)
  }
}

const noStore: SessionStore = {
  get: async () => undefined,
  put: async () => {},
  delete: async () => {},
  list: async () => [],
}
