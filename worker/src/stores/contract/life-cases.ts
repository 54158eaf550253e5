import type { Ledger } from '../ledger/rules.js'
import type { Life, LiveChange } from '../ledger/types.js'
import { type Cases, equal } from './cases.js'

const HOUR = 3600
const DAY = 24 * HOUR

/** A handle of a person’s, which began at a time. */
const lifeOf = (sid: string, began: number, sub = 'ada'): Life => ({
  sid,
  owner: { sub, auth_time: began },
})

/** An answer, without the members that a ledger may leave out. */
async function asked(ledger: Ledger, key: string, life: Life, change?: LiveChange) {
  const { isOver, isChanged, document } = await ledger.liveDocument(key, life, change)
  return { isOver, isChanged, version: document?.version, content: document?.content }
}

async function listed(ledger: Ledger, home: string, ...kinds: string[]) {
  const documents = await ledger.documentsOf(home, kinds)
  return documents.map(({ key, version, content }) => `${key} ${version} ${content}`).toSorted()
}

const alive = { isOver: false, isChanged: false }
const over = { isOver: true, isChanged: false }
const changed = { isOver: false, isChanged: true }

/** Documents that count only while something is alive. */
export const lifeCases: Cases<Ledger> = {
  'a document of something alive is made, read and changed, as a whole or in its last line': async (
    bench,
  ) => {
    const ledger = await bench.make()
    const [key, life, expires] = ['grant\nada\none', lifeOf('one', bench.now), bench.now + DAY]
    const ask = (change?: Omit<LiveChange, 'expires'>) =>
      asked(ledger, key, life, change && { ...change, expires })
    equal(await ask(), alive)
    for (const version of [1, 2]) equal(await ask({ version, content: 'x' }), alive)
    const lines = 'first\nsecond\nthird'
    equal(await ask({ version: 0, content: lines }), { ...changed, version: 1, content: lines })
    equal(await ask({ version: 0, content: 'x' }), { ...alive, version: 1, content: lines })
    const last = 'first\nsecond\nchanged'
    equal(await ask({ version: 1, last: 'changed' }), { ...changed, version: 2, content: last })
    equal(await ask({ version: 1, last: 'changed' }), { ...alive, version: 2, content: last })
    equal(await ask(), { ...alive, version: 2, content: last })
    equal(await ask({ version: 2, content: 'x' }), { ...changed, version: 3, content: 'x' })
    equal(await ask({ version: 3, last: 'one line' }), {
      ...changed,
      version: 4,
      content: 'one line',
    })
    const { version, content } = (await ledger.document(key)) ?? {}
    equal([version, content], [4, 'one line'])
  },

  'one of a hundred changes at once of one version of a live document counts': async (bench) => {
    const ledger = await bench.make()
    const [key, life, expires] = ['grant\nada\none', lifeOf('one', bench.now), bench.now + DAY]
    for (const version of [0, 1]) {
      const tries = Array.from({ length: 100 }, (_, at) =>
        asked(ledger, key, life, { version, last: `${version} ${at}`, expires }),
      )
      const answers = await Promise.all(tries)
      const won = answers.filter(({ isChanged }) => isChanged)
      equal(won.length, 1)
      const content = won[0]?.content
      equal(
        answers.map((one) => [one.isOver, one.version, one.content]),
        answers.map(() => [false, version + 1, content]),
      )
      equal(await asked(ledger, key, life), { ...alive, version: version + 1, content })
    }
  },

  'an ending of any kind keeps the documents as they are, and no new one is made': async (
    bench,
  ) => {
    const { now } = bench
    const [began, expires] = [now - 60, now + DAY]
    const owner = { sub: 'ada', auth_time: began, pid: 'a-name-of-ada' }
    const life: Life = { sid: 'session', also: 'one', owner }
    const cutoff = { sub: 'ada', until: now }
    const endings: readonly ((ledger: Ledger) => Promise<unknown>)[] = [
      (ledger) => ledger.revoke('session', expires),
      (ledger) => ledger.revoke('one', expires),
      (ledger) => ledger.endAll(['one', 'two'], expires, []),
      (ledger) => ledger.cutOff(cutoff, expires),
      (ledger) => ledger.cutOff({ ...cutoff, until: began, except: 'one' }, expires, began),
      (ledger) => ledger.erase(cutoff, [owner.pid], expires),
    ]
    for (const end of endings) {
      const ledger = await bench.make()
      const ask = (key: string, version: number) =>
        asked(ledger, `grant\nada\n${key}`, life, { version, content: 'kept', expires })
      equal(await ask('one', 0), { ...changed, version: 1, content: 'kept' })
      await end(ledger)
      equal(await ask('one', 1), { ...over, version: 1, content: 'kept' })
      equal(await ask('two', 0), over)
      equal(await ledger.document('grant\nada\ntwo'), undefined)
    }
  },

  'a cut-off that spares a session spares its documents, and no end of another one touches them':
    async (bench) => {
      const ledger = await bench.make()
      const { now } = bench
      const [key, life] = ['grant\nada\none', { ...lifeOf('session', now - 60), also: 'one' }]
      const change = (version: number) => ({ version, last: `${version}`, expires: now + DAY })
      await ledger.liveDocument(key, life, change(0))
      await ledger.revoke('another', now + DAY)
      await ledger.cutOff({ sub: 'grace', until: now }, now + DAY)
      await ledger.cutOff({ sub: 'ada', until: now - 61 }, now + DAY)
      equal(await asked(ledger, key, life, change(1)), { ...changed, version: 2, content: '1' })
      const cutoff = { sub: 'ada', until: now, except: 'session' }
      await ledger.cutOff(cutoff, now + DAY, now - 60)
      equal(await asked(ledger, key, life, change(2)), { ...changed, version: 3, content: '2' })
      const later = lifeOf('later', now + 1)
      equal(await asked(ledger, key, later, change(3)), { ...changed, version: 4, content: '3' })
    },

  'a live document goes at its end, which each change moves': async (bench) => {
    const ledger = await bench.make()
    const { now, pass } = bench
    const [key, life] = ['grant\nada\none', lifeOf('one', now)]
    await ledger.liveDocument(key, life, { version: 0, content: 'a', expires: now + HOUR })
    await pass(HOUR - 1)
    const change = { version: 1, last: 'b', expires: now + 3 * HOUR }
    equal(await asked(ledger, key, life, change), { ...changed, version: 2, content: 'b' })
    await pass(2 * HOUR)
    await ledger.consume('another row', now + DAY)
    equal(await asked(ledger, key, life), { ...alive, version: 2, content: 'b' })
    equal(await listed(ledger, 'ada', 'grant'), ['grant\nada\none 2 b'])
    await pass(1)
    equal(await asked(ledger, key, life), alive)
    equal(await ledger.document(key), undefined)
    equal(await listed(ledger, 'ada', 'grant'), [])
    const late = { version: 2, last: 'late', expires: now + DAY }
    equal(await asked(ledger, key, life, late), alive)
    const anew = { version: 0, content: 'anew', expires: now + DAY }
    equal(await asked(ledger, key, life, anew), { ...changed, version: 1, content: 'anew' })
  },

  'a live document without an end stays for years': async (bench) => {
    const ledger = await bench.make()
    const { now, pass } = bench
    const [key, life] = ['consent\nada\none', lifeOf('one', now)]
    await ledger.liveDocument(key, life, { version: 0, content: 'a', expires: now + HOUR })
    await ledger.liveDocument(key, life, { version: 1, content: 'b' })
    await pass(3 * 365 * DAY)
    await ledger.consume('another row', now + 3 * 365 * DAY + 60)
    equal(await asked(ledger, key, life), { ...alive, version: 2, content: 'b' })
    // Deleted, it is known for a day.
    await ledger.endAll([], now + 4 * 365 * DAY, [key])
    await pass(DAY)
    equal(await ledger.liveDocument(key, life), alive)
    const change = { version: 0, content: 'c' }
    equal(await asked(ledger, key, life, change), { ...changed, version: 1, content: 'c' })
  },

  'the documents of a home are listed by their kinds, without those of others, deleted or over':
    async (bench) => {
      const ledger = await bench.make()
      const { now, pass } = bench
      const keys = ['grant\nada\none', 'grant\nada\ntwo', 'consent\nada\none']
      const others = [
        'grant\nada',
        'grant\nada2\none',
        'grant\nAda\none',
        'grant\nad\na\none',
        'grants\nada\none',
        'key\nada\none',
      ]
      for (const key of [...keys, ...others]) await ledger.changeDocument(key, 0, `in ${key}`)
      await ledger.changeDocument('grant\nada\ngone', 0, 'gone')
      await ledger.changeDocument('grant\nada\ngone', 1, null)
      const over = { version: 0, content: 'over', expires: now + 60 }
      await ledger.liveDocument('grant\nada\nover', lifeOf('over', now), over)
      await pass(60)
      const rows = keys.map((key) => `${key} 1 in ${key}`)
      equal(await listed(ledger, 'ada', 'grant'), rows.slice(0, 2).toSorted())
      equal(await listed(ledger, 'ada', 'grant', 'consent'), rows.toSorted())
      equal(await listed(ledger, 'ada', 'device'), [])
      equal(await listed(ledger, 'ada'), [])
      equal(await listed(ledger, 'a%', 'grant'), [])
      equal(await listed(ledger, 'ad_', 'grant'), [])
      equal(await listed(ledger, 'ad', 'grant'), [`grant\nad\na\none 1 in grant\nad\na\none`])
    },

  'ending all ends each handle, and deletes each document, as often as it is called': async (
    bench,
  ) => {
    const ledger = await bench.make()
    const { now } = bench
    const expires = now + 30 * DAY
    const sids = ['one', 'two', 'three']
    const keys = [...sids.map((sid) => `grant\nada\n${sid}`), 'consent\nada\napp']
    for (const key of keys) await ledger.changeDocument(key, 0, 'kept')
    const change = { version: 0, content: 'kept', expires }
    await ledger.liveDocument('grant\nada\nfour', lifeOf('four', now), change)
    for (let times = 0; times < 2; times++) {
      await ledger.endAll([...sids, 'unknown'], expires, [...keys, 'grant\nada\nunknown'])
      for (const sid of [...sids, 'unknown']) equal(await ledger.isRevoked(sid), true)
      for (const key of keys) {
        equal((await ledger.document(key))?.content ?? null, null)
        // A writer that is late brings no document back.
        for (const version of [0, 1]) {
          equal(await ledger.changeDocument(key, version, 'late'), false)
        }
      }
      equal(await listed(ledger, 'ada', 'grant', 'consent'), ['grant\nada\nfour 1 kept'])
    }
    const { sessions } = await ledger.revokedSince(now - 60)
    equal(new Set(sessions.map(({ sid }) => sid)).size, 4)
    equal(await asked(ledger, 'grant\nada\nfour', lifeOf('four', now)), {
      ...alive,
      version: 1,
      content: 'kept',
    })
    await ledger.endAll([], expires, [])
  },

  'the end of several handles lists remaining documents, or leaves it to a list': async (bench) => {
    const ledger = await bench.make()
    const { now } = bench
    const keys = ['consent\nada\napp', 'grant\nada\none', 'grant\nada\ntwo', 'grant\nbob\none']
    for (const key of keys) await ledger.changeDocument(key, 0, 'kept')
    const kinds = ['grant', 'consent']
    const end = async (some: readonly string[]) =>
      (await ledger.endAll([], now + DAY, some, ['ada', kinds])) ?? ledger.documentsOf('ada', kinds)
    const left = { version: 1, content: 'kept' }
    equal(await end(keys.slice(0, 2)), [{ key: 'grant\nada\ntwo', ...left }])
    equal(await end(keys.slice(2, 3)), [])
  },

  'a deleted live document is not made again by a late caller of any version': async (bench) => {
    const ledger = await bench.make()
    const { now, pass } = bench
    const [key, life, expires] = ['grant\nada\none', lifeOf('session', now), now + 30 * DAY]
    const ask = (version: number) => asked(ledger, key, life, { version, content: 'x', expires })
    equal((await ask(0)).isChanged, true)
    await ledger.endAll([], expires, [key])
    await pass(DAY - 1)
    for (const version of [0, 1]) equal(await ask(version), alive)
    // A deleted document has a version too: a caller that knows it may write a new one.
    equal((await ledger.liveDocument(key, life)).deleted, 2)
    equal(await ask(2), { ...changed, version: 3, content: 'x' })
  },

  'forgetting a person deletes their grants and consents': async (bench) => {
    const ledger = await bench.make()
    if (!ledger?.forget) return
    for (const isSub of [false, true]) {
      const keys = ['grant\nada\none', 'consent\nada\none', 'consent\nada\ntwo']
      for (const key of [...keys, 'grant\nada2\none']) await ledger.changeDocument(key, 0, key)
      await ledger.forget('ada', isSub)
      for (const key of keys) equal(await ledger.document(key), undefined)
      equal((await ledger.document('grant\nada2\none'))?.version, 1)
    }
  },
}
