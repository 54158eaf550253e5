/// <reference types="@cloudflare/vitest-plugin/types" />
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { collectedRevocations } from '@latchkey/worker/stores/collected-revocations'
import { durableLedger } from '@latchkey/worker/stores/durable-ledger'
import {
  drawSid,
  type Layout,
  type Place,
  placesOf,
} from '@latchkey/worker/stores/ledger/placement'
import type { Ledger } from '@latchkey/worker/stores/ledger/rules'
import { RecentRevocations } from '@latchkey/worker/stores/recent-revocations'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { holds } from '../support/holds.ts'
import { bindings } from './support.ts'

const { LEDGER } = bindings
const { pass } = clock({ start: 'now' })
const now = () => Math.floor(Date.now() / 1000)
const later = () => now() + 86_400

const of = (count: number, ...regions: Layout['regions']): Layout => ({ count, regions })
let runs = 0

/** A session that began a while ago. */
interface Session {
  readonly sid: string
  readonly sub: string
  readonly auth_time: number
}

/** Real objects that lose calls on the way there or back, and that restart. */
class FaultyObjects {
  isFresh = false
  readonly #name = `run-${++runs}`
  #state: number

  constructor(seed: number) {
    this.#state = seed | 1
  }

  get binding(): typeof LEDGER {
    const idFromName = (name: string) => LEDGER.idFromName(`${this.#name} ${name}`)
    const get: typeof LEDGER.get = (id, options) => {
      const stub = LEDGER.get(id, options)
      const call = (method: PropertyKey, given: unknown[]) => this.#call(stub, method, given)
      return new Proxy(stub, {
        get: (_, method) =>
          // A stub is not a promise.
          method === 'then' ? undefined : (...given: unknown[]) => call(method, given),
      })
    }
    return { idFromName, get } as unknown as typeof LEDGER
  }

  async #call(stub: DurableObjectStub, method: PropertyKey, given: unknown[]): Promise<unknown> {
    const fate = this.isFresh ? 1 : this.#random()
    if (fate < 0.04) throw new Error('The call is lost.')
    if (fate > 0.04 && fate < 0.06) await evictDurableObject(stub)
    const [since, places, ...rest] = given
    // The names in a collector's questions differ in each run.
    const named =
      method === 'collect'
        ? [since, (places as Place[]).map((one) => ({ ...one, name: `${this.#name} ${one.name}` }))]
        : [since, places]
    const whole = given.length > 1 ? [...named, ...rest] : given
    const answer = await (stub as unknown as Record<PropertyKey, AnyMethod>)[method]?.(...whole)
    if (!this.isFresh && this.#random() < 0.04) throw new Error('The answer is lost.')
    return answer
  }

  #random(): number {
    this.#state = (Math.imul(this.#state, 48_271) >>> 0) % 0x7fffffff
    return this.#state / 0x7fffffff
  }
}

type AnyMethod = (...given: unknown[]) => Promise<unknown>

const REGIONS = ['weur', 'enam', 'apac'] as const

type Isolate = ReturnType<typeof isolateOf>

/** An isolate that knows these numbers of objects. */
function isolateOf(objects: FaultyObjects, shards: readonly Layout[]) {
  const ledger = durableLedger(objects.binding, shards)
  const endings = collectedRevocations(objects.binding, shards)
  return { shards, ledger, recent: new RecentRevocations(endings ?? ledger, 300, Date.now) }
}

/** An event: the isolate, and the person. */
const step = fc.record({
  kind: fc.constantFrom('begin', 'end', 'end all', 'use', 'read', 'change', 'pass'),
  by: fc.nat(2),
  whom: fc.nat(30),
})

test.each<[string, readonly Layout[], readonly Layout[], readonly Layout[]]>([
  ['one becomes four', [of(1)], [of(1), of(4)], [of(4)]],
  ['16 become 64', [of(16)], [of(16), of(64)], [of(64)]],
  ['regions are added', [of(4)], [of(4), of(4, 'weur', 'enam')], [of(4, 'weur', 'enam')]],
])(
  'while calls are lost and objects restart, nothing ends or happens twice that should not, and no end is lost: %s',
  (_, before, meanwhile, after) =>
    holds(
      5,
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1e9 }),
        fc.array(step, { minLength: 20, maxLength: 60 }),
        async (seed, steps) => {
          const objects = new FaultyObjects(seed)
          const isolates = [before, before, before].map((shards) => isolateOf(objects, shards))
          const at = (index: number) => isolates[index] as Isolate
          const live = new Set<Session>()
          const over: { session: Session; by: Isolate }[] = []
          const won = new Map<string, number>()
          let changes = 0
          /** A session that is being ended is neither live nor over until that is done. */
          const end = async (by: Isolate, gone: readonly Session[], work: Promise<unknown>) => {
            for (const one of gone) live.delete(one)
            const isDone = await work.then((answer) => answer !== false).catch(() => false)
            if (isDone) over.push(...gone.map((session) => ({ session, by })))
          }
          for (const { kind, by, whom } of steps) {
            const isolate = at(by)
            const { ledger, recent, shards } = isolate
            const session = [...live][whom % live.size]
            if (kind === 'pass') pass((whom % 4) + 1)
            // The third one does not know of the change until all others do.
            else if (kind === 'change' && changes < 2) {
              isolates[changes++] = isolateOf(objects, meanwhile)
            } else if (kind === 'begin' || !session) {
              const sub = `person-${whom % 7}`
              live.add({ sid: drawSid(shards, sub, REGIONS[whom % 3]), sub, auth_time: now() - 1 })
            } else if (kind === 'end') {
              await end(isolate, [session], ledger.revoke(session.sid, later()))
            } else if (kind === 'end all') {
              const { sub } = session
              const gone = [...live].filter((one) => one.sub === sub)
              await end(isolate, gone, ledger.cutOff({ sub, until: now() }, later()))
              pass(2)
            } else if (kind === 'use') {
              const name = `flow:${whom}`
              const uses = [...isolates, ...isolates].map((one) =>
                one.ledger.consume(name, later()),
              )
              const answers = await Promise.allSettled(uses)
              const wins = answers.filter((one) => one.status === 'fulfilled' && one.value)
              won.set(name, (won.get(name) ?? 0) + wins.length)
            } else {
              const ask = (one: Session) => ledger.isRevoked(one.sid, one).catch(() => undefined)
              expect(await ask(session)).not.toBe(true)
              for (const ended of over.slice(-3)) expect(await ask(ended.session)).not.toBe(false)
              await recent.refresh({ error: () => {} }, () => {})
              for (const one of live) expect(recent.has(one)).toBe(false)
            }
          }
          for (const wins of won.values()) expect(wins).toBeLessThanOrEqual(1)
          objects.isFresh = true
          pass(6)
          const changed = [meanwhile, after].map((shards) => isolateOf(objects, shards))
          for (const { ledger, recent, shards } of [...isolates, ...changed]) {
            await recent.refresh({ error: () => {} }, () => {})
            for (const one of live) expect(recent.has(one)).toBe(false)
            for (const { session, by } of over) {
              // An isolate that leaves the old number knows the endings of all that knew both.
              if (shards === after && by.shards === before) continue
              expect(recent.has(session)).toBe(true)
              expect(await ledger.isRevoked(session.sid, session)).toBe(true)
            }
          }
        },
      ),
    ),
)

test('a month after four objects became eight, nothing comes back that was removed or forgotten since', async () => {
  const stubOf = ({ name }: Place) => LEDGER.get(LEDGER.idFromName(name))
  const all = [of(4), of(8)].flatMap(placesOf).map(stubOf)
  const seen = (...shards: number[]) => durableLedger(LEDGER, shards) as Ledger
  const settle = async () => {
    for (let rounds = 0; rounds < 10; rounds++) {
      for (const stub of all) await runDurableObjectAlarm(stub)
      pass(60 * 60)
    }
  }
  const run = crypto.randomUUID()
  const names = Array.from({ length: 30 }, (_, at) => `${run}-${at}`)
  const contents = (ledger: Ledger) =>
    Promise.all(names.map(async (name) => (await ledger.document(`way\n${name}`))?.content ?? null))
  for (const name of names) await seen(4).changeDocument(`way\n${name}`, 0, name)
  expect(await stubOf(placesOf(of(4))[0] as Place).handOver(4, 8)).toBe(true)
  await settle()
  const after = seen(8)
  expect(await contents(after)).toEqual(names)
  for (const name of names.slice(0, 10)) await after.changeDocument(`way\n${name}`, 1, null)
  for (const name of names.slice(10, 20)) await after.forget(name)
  const left = names.map((name, at) => (at < 20 ? null : name))
  expect((await contents(seen(4))).slice(10, 20)).toEqual(Array(10).fill(null))
  pass(2 * 86_400)
  await settle()
  expect(await contents(seen(4, 8))).toEqual(left)
  pass(31 * 86_400)
  await settle()
  expect(await contents(after)).toEqual(left)
  expect(await contents(seen(4))).toEqual(names.map(() => null))
})

test.each<[string, readonly Layout[], readonly Layout[]]>([
  ['one becomes four', [of(1)], [of(1), of(4)]],
  ['four become eight, with a region', [of(4), of(8, 'weur')], [of(8, 'weur')]],
])(
  'one of 200 changes at once in 20 isolates counts, also if calls are lost and objects restart: %s',
  async (_, some, others) => {
    const objects = new FaultyObjects(runs + 1)
    const isolates = Array.from({ length: 20 }, (_, at) =>
      durableLedger(objects.binding, at % 2 ? some : others),
    ) as Ledger[]
    const owner = { sub: 'ada', auth_time: now() - 1 }
    const life = { sid: drawSid(some, 'ada', 'weur'), also: drawSid(some, 'ada'), owner }
    const key = `grant\nada\n${life.also}`
    const seen = new Map<number, string | null | undefined>()
    const see = (document?: { readonly version: number; readonly content: string | null }) => {
      if (!document) return
      const { version, content } = document
      expect(content).toBe(seen.get(version) ?? content)
      seen.set(version, content)
    }
    let version = 0
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 200 }, (_, at) => {
        const change = { version, last: `${round} ${at}`, expires: later() }
        return isolates[at % 20]?.liveDocument(key, life, change)
      })
      const answers = (await Promise.allSettled(calls)).flatMap((one) =>
        one.status === 'fulfilled' ? (one.value ?? []) : [],
      )
      for (const { document } of answers) see(document)
      const won = answers.filter(
        ({ isChanged, document }) => isChanged && document?.version === version + 1,
      )
      expect(won.length).toBeLessThanOrEqual(1)
      objects.isFresh = true
      for (const each of isolates) see((await each.liveDocument(key, life)).document)
      objects.isFresh = false
      version = Math.max(...seen.keys(), 0)
    }
    expect(version).toBeGreaterThan(0)
    objects.isFresh = true
    await isolates[1]?.endAll([life.also], later(), [key])
    for (const each of isolates) {
      const change = { version, last: 'late', expires: later() }
      expect((await each.liveDocument(key, life, change)).isChanged).toBe(false)
      expect(await each.documentsOf('ada', ['grant'])).toEqual([])
    }
  },
)
