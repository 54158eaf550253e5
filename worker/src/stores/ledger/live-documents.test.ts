import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds, often } from '../../../../test/support/holds.js'
import { filled, Objects } from '../../test-support/resharding.js'
import { drawSid } from './placement.js'
import type { Ledger } from './rules.js'
import type { LiveChange } from './types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })
const now = () => Math.floor(Date.now() / 1000)
const HOUR = 60 * 60
const DAY = 24 * HOUR

/** What a session gave to an app, and how it went on. */
class Grant {
  readonly handle: string
  readonly sid: string
  readonly key: string
  readonly owner: { readonly sub: string; readonly auth_time: number }
  /** Its end, which each use moves, is at most so long after it. Seconds. */
  readonly lasts: number
  /** The contents of each version that an isolate has seen: one, if it is one chain. */
  readonly seen = new Map<number, string>()
  /** By version: how often a change was confirmed. */
  readonly won = new Map<number, number>()
  /** Has the call that ended it succeeded? */
  isOver = false

  constructor(shards: readonly number[], at: number, lasts: number) {
    const sub = `person-${at % 4}`
    this.owner = { sub, auth_time: now() - 1 }
    this.sid = drawSid(shards, sub)
    this.handle = drawSid(shards, sub)
    this.key = `grant\n${sub}\n${this.handle}`
    this.lasts = lasts
  }

  get life() {
    return { sid: this.sid, also: this.handle, owner: this.owner }
  }

  see({ version, content }: { readonly version: number; readonly content: string | null }): void {
    if (content === null) return
    const known = this.seen.get(version)
    if (known !== undefined) expect(content).toBe(known)
    this.seen.set(version, content)
  }
}

const STAGES = [[1], [1, 4], [4], [4, 8], [8]]
let operations = 0

/** Calls of isolates at once, with faults, while the number of objects goes from one to four and on to eight. */
async function run(seed: number, percent: number): Promise<void> {
  let random = seed
  const pick = (of: number) => {
    random = (random * 48_271) % 0x7fffffff
    return random % of
  }
  const objects = new Objects()
  const fault = () => {
    if (pick(100) < percent) throw new Error('overloaded')
  }
  objects.delay = async () => {
    for (let ticks = pick(8); ticks > 0; ticks--) await null
  }
  objects.fault = fault
  const calmly = async (work: () => Promise<unknown>) => {
    objects.fault = () => {}
    await work()
    objects.fault = fault
  }
  const grants = new Set<Grant>()
  const gone: Grant[] = []

  const use = async (ledger: Ledger, grant: Grant, serial: string) => {
    const version = Math.max(0, ...grant.seen.keys())
    const last = `${version + 1} by ${serial}`
    const content = `constant of ${grant.handle}\n${last}`
    const text: Partial<LiveChange> = version === 0 ? { content } : { last }
    const change = { version, ...text, expires: now() + grant.lasts }
    const wasOver = grant.isOver
    const answer = await ledger.liveDocument(grant.key, grant.life, change)
    if (answer.document) grant.see(answer.document)
    if (answer.isChanged) {
      expect(answer.document).toMatchObject({ version: version + 1, content })
      grant.won.set(version, (grant.won.get(version) ?? 0) + 1)
      // An ended one may be used by a call that began before.
      if (wasOver) throw new TypeError('A grant was used after its end.')
    }
  }
  const finish = async (ledger: Ledger, grant: Grant) => {
    grants.delete(grant)
    gone.push(grant)
    const until = now() + 40 * DAY
    const others = [...grants].filter(({ owner }) => owner.sub === grant.owner.sub)
    const isShort = grant.lasts < DAY && others.every(({ lasts }) => lasts < DAY)
    const way = isShort ? pick(4) : 0
    if (way < 2) await ledger.endAll([grant.handle], until, [grant.key])
    if (way === 2) await ledger.revoke(grant.sid, until)
    if (way === 3) {
      for (const each of others) grants.delete(each)
      gone.push(...others)
      await ledger.cutOff({ sub: grant.owner.sub, until: now() }, until)
      for (const each of others) each.isOver = true
    }
    grant.isOver = true
  }
  const check = async (ledger: Ledger, some: readonly Grant[]) => {
    for (const grant of some) {
      const { isOver, document } = await ledger.liveDocument(grant.key, grant.life)
      if (document) grant.see(document)
      if (grant.isOver) expect(isOver || document === undefined).toBe(true)
    }
    for (const sub of new Set(some.map(({ owner }) => owner.sub))) {
      const listed = await ledger.documentsOf(sub, ['grant'])
      const own = [...grants, ...gone].filter(({ owner }) => owner.sub === sub)
      const single = await Promise.all(own.map(({ key }) => ledger.document(key)))
      const there = own.flatMap(({ key }, at) => {
        const { version, content } = single[at] ?? { content: null }
        return content === null ? [] : `${key} ${version} ${content}`
      })
      const named = listed.map(({ key, version, content }) => `${key} ${version} ${content}`)
      expect(named.toSorted()).toEqual(there.toSorted())
    }
  }

  for (let stage = 0; stage < STAGES.length; stage++) {
    const here = STAGES[stage] as number[]
    const next = STAGES[stage + 1] ?? here
    const tell = async () => {
      for (const [from, to] of [here, next]) if (to) await objects.reshard(from as number, to)
    }
    await calmly(tell)
    for (let turn = 0; turn < 6; turn++) {
      if (grants.size < 6) {
        grants.add(new Grant(here, pick(100), pick(2) === 0 ? HOUR : 30 * DAY))
      }
      const all = [...grants]
      const some = Array.from({ length: 3 }, () => all[pick(all.length)] as Grant)
      const acts = Array.from({ length: 36 }, async (_, at) => {
        operations++
        // A code that was never used is valid for a minute only.
        const last = gone.findLast(({ seen }) => seen.size > 0)
        const grant = (pick(6) === 0 && last) || (some[at % 3] as Grant)
        const ledger = objects.seen(...(pick(2) === 0 ? here : next))
        try {
          if (turn > 1 && pick(60) === 0 && grants.has(grant)) await finish(ledger, grant)
          else await use(ledger, grant, `${stage}.${turn}.${at}`)
        } catch (error) {
          if ((error as Error).message !== 'overloaded') throw error
        }
      })
      await Promise.all(acts)
      if (pick(2) === 0) await objects.step()
      // Isolates with the new number alone come when nothing is left, which takes seconds after a failure.
      await calmly(async () => {
        if (here.length > 1) {
          await tell()
          await objects.settle()
        }
        await check(objects.seen(...(pick(2) === 0 ? here : next)), [...some, ...gone.slice(-3)])
      })
      pass(pick(60))
    }
    await calmly(async () => {
      await tell()
      await objects.settle()
      // An old number goes when the grants of its sessions have expired.
      pass(2 * HOUR)
      await check(objects.seen(...next), [...grants, ...gone])
      for (const grant of grants) if (grant.lasts < DAY) gone.push(grant)
      for (const grant of gone) grants.delete(grant)
    })
  }
  for (const { won } of [...grants, ...gone])
    for (const times of won.values()) expect(times).toBe(1)
}

it.each([0, 5])(
  'calls at once, with %i of 100 lost, over a changing number of objects: each grant is one chain, and none is used after its end',
  async (percent) => {
    operations = 0
    await holds(
      5,
      fc.asyncProperty(fc.noShrink(fc.integer({ min: 1, max: 0x7ffffffe })), (seed) =>
        run(seed, percent),
      ),
    )
    expect(operations).toBeGreaterThan(often(5_000))
  },
)

it('a document keeps its end, and a deleted one stays deleted, when they are handed over', async () => {
  const objects = await filled(0, 1)
  const [old, after] = [objects.seen(1), objects.seen(4)]
  const [kept, gone, endless] = ['grant\nada\none', 'grant\nada\ntwo', 'consent\nada\none']
  const life = { sid: 'session', owner: { sub: 'ada', auth_time: now() } }
  const change = { version: 0, content: 'one', expires: now() + 7 * DAY }
  for (const key of [kept, gone]) await old.liveDocument(key, life, change)
  await old.changeDocument(endless, 0, 'endless')
  await old.endAll(['one'], change.expires, [gone])
  await objects.reshard(1, 4)
  await objects.settle()
  const document = { version: 1, content: 'one', expires: change.expires }
  expect(await after.document(kept)).toEqual(document)
  expect(await after.document(endless)).toEqual({ version: 1, content: 'endless' })
  expect(await after.document(gone)).toMatchObject({ version: 2, content: null })
  expect(await after.documentsOf('ada', ['grant'])).toEqual([{ key: kept, ...document }])
  // A change that isolates make with the old number alone moves the end there too.
  const later = { version: 1, last: 'two', expires: now() + 30 * DAY }
  await old.liveDocument(kept, life, later)
  await objects.settle()
  pass(8 * DAY)
  await objects.settle()
  expect(await after.document(kept)).toMatchObject({ version: 2, expires: later.expires })
  expect(objects.keysIn(4)).toEqual([endless, kept])
  pass(22 * DAY)
  await objects.settle()
  expect(await after.document(kept)).toBeUndefined()
  expect(objects.keysIn(4)).toEqual([endless])
  expect(objects.keysIn(1)).toEqual([endless])
})

it('attack: a grant that was removed months ago is listed or used again by the copies of an old number', async () => {
  const objects = await filled(0, 1)
  const key = 'grant\nada\none'
  const life = { sid: 'session', also: 'one', owner: { sub: 'ada', auth_time: now() } }
  const change = { version: 0, content: 'one', expires: now() + 365 * DAY }
  await objects.seen(1).liveDocument(key, life, change)
  // After a day nothing says that this one was deleted.
  const consent = 'consent\nada\none'
  await objects.seen(1).changeDocument(consent, 0, 'allowed')
  await objects.reshard(1, 4)
  await objects.settle()
  await objects.seen(4).endAll(['one'], now() + HOUR, [key, consent])
  pass(29 * DAY)
  await objects.settle()
  for (const known of [[1, 4], [4]]) {
    const ledger = objects.seen(...known)
    expect(await ledger.documentsOf('ada', ['grant', 'consent'])).toEqual([])
    const late = { version: 1, last: 'late', expires: change.expires }
    const { isChanged, document } = await ledger.liveDocument(key, life, late)
    expect([isChanged, document]).toEqual([false, undefined])
  }
})
