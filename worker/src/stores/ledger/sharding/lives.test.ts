import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { FakeLedgers } from '../../../test-support/deployment.js'
import { Objects } from '../../../test-support/resharding.js'
import { durableLedger } from '../../durable-ledger.js'
import { drawSid, type Layout, placeOfPerson, placeOfSession } from '../placement.js'
import type { Ledger } from '../rules.js'
import type { Life } from '../types.js'

const now = Date.UTC(2026, 10, 1) / 1000
const end = now + 3600
const { pass } = clock({ start: now * 1000 })

const key = 'grant\nada\none'
const owner = { sub: 'ada', auth_time: now - 60, pid: 'pid-of-ada' }

function seenBy(...shards: (number | Layout)[]) {
  const ledgers = new FakeLedgers()
  const see = (...known: typeof shards) => durableLedger(ledgers.binding, known) as Ledger
  /** The calls that something takes. */
  const during = async (work: () => Promise<unknown>) => {
    ledgers.calls.length = 0
    await work()
    return [...ledgers.calls]
  }
  return { ledgers, ledger: see(...shards), see, during }
}

const change = (version: number, last = `${version}`) => ({ version, last, expires: end })
/** A session of a person’s, and a handle of something that it gave, as they are drawn today. */
const drawn = (...shards: (number | Layout)[]): Life => ({
  sid: drawSid(shards, 'ada'),
  also: drawSid(shards, 'ada'),
  owner,
})

describe('a live document', () => {
  it.each([1, 4, 100])(
    'costs one call to read, to change and to end, with %i objects',
    async (shards) => {
      const { ledger, during } = seenBy(shards)
      const life = drawn(shards)
      const { name } = placeOfPerson({ count: shards, regions: [] }, 'ada')
      const one = (method: string) => [`${name} ${method}`]
      expect(await during(() => ledger.liveDocument(key, life, change(0)))).toEqual(
        one('liveDocument'),
      )
      expect(await during(() => ledger.liveDocument(key, life))).toEqual(one('liveDocument'))
      expect(await during(() => ledger.documentsOf('ada', ['grant', 'consent']))).toEqual(
        one('documentsOf'),
      )
      const sids = [life.also ?? '', drawSid([shards], 'ada')]
      const keys = [key, 'consent\nada\none']
      expect(await during(() => ledger.endAll(sids, end, keys))).toEqual(one('endAll'))
      expect(await ledger.liveDocument(key, life)).toMatchObject({ isOver: true, isChanged: false })
      expect(await ledger.documentsOf('ada', ['grant'])).toEqual([])
    },
  )

  it('asks the object of its session first if that is in a region, or is an older one, and then is changed by one call', async () => {
    const layout: Layout = { count: 4, regions: ['weur'] }
    const { ledger, during } = seenBy(layout)
    const home = placeOfPerson(layout, 'ada').name
    const also = drawSid([layout], 'ada')
    const older = Array.from({ length: 20 }, (_, at) => `older-${at}`).find(
      (sid) => placeOfSession(layout, sid).name !== home,
    ) as string
    for (const [at, sid] of [drawSid([layout], 'ada', 'weur'), older].entries()) {
      const life = { sid, also, owner }
      const other = placeOfSession(layout, sid).name
      expect(other).not.toBe(home)
      const calls = await during(() => ledger.liveDocument(key, life, change(at)))
      expect(calls).toEqual([`${other} isRevoked`, `${home} liveDocument`])
      await ledger.revoke(sid, end)
      const document = { version: at + 1, content: `${at}`, expires: end }
      expect(await ledger.liveDocument(key, life, change(at + 1))).toEqual({
        isOver: true,
        isChanged: false,
        document,
      })
    }
  })

  it.each<[string, (number | Layout)[], (number | Layout)[], (number | Layout)[]]>([
    ['one object, four to come', [1], [1, 4], [4]],
    ['four objects, a hundred to come', [4], [4, 100], [100]],
  ])(
    'that ended for isolates of either kind is over for those with both: %s',
    async (_, old, both, after) => {
      const endings: [string, (ledger: Ledger, life: Life) => Promise<unknown>][] = [
        ['session', (ledger, { sid }) => ledger.revoke(sid, end)],
        ['handle', (ledger, { also }) => ledger.endAll([also ?? ''], end, [])],
        ['everything', (ledger) => ledger.cutOff({ sub: 'ada', until: now }, end)],
        ['person', (ledger) => ledger.erase({ sub: 'ada', until: now }, ['pid-of-ada'], end)],
      ]
      for (const known of [old, both, after]) {
        for (const [, finish] of endings) {
          const { ledger, see } = seenBy(...both)
          const life = drawn(...old)
          expect((await ledger.liveDocument(key, life, change(0))).isChanged).toBe(true)
          await finish(see(...known), life)
          const document = { version: 1, content: '0', expires: end }
          expect(await ledger.liveDocument(key, life, change(1))).toEqual({
            isOver: true,
            isChanged: false,
            document,
          })
        }
      }
    },
  )

  it('that an isolate of either kind has changed is changed by the others with its version alone', async () => {
    const { see } = seenBy()
    const life = drawn(1)
    const [old, both, after] = [see(1), see(1, 4), see(4)]
    expect(
      (await old.liveDocument(key, life, { version: 0, content: 'a\nb', expires: end })).isChanged,
    ).toBe(true)
    expect(await both.liveDocument(key, life, change(0))).toMatchObject({ isChanged: false })
    const expires = end + 5
    expect(await both.liveDocument(key, life, { version: 1, last: 'c', expires })).toEqual({
      isOver: false,
      isChanged: true,
      document: { version: 2, content: 'a\nc', expires },
    })
    const document = { version: 2, content: 'a\nc', expires }
    for (const each of [old, both, after]) {
      expect(await each.liveDocument(key, life, change(1))).toEqual({
        isOver: false,
        isChanged: false,
        document,
      })
    }
    expect((await after.liveDocument(key, life, change(2))).document?.content).toBe('a\n2')
    expect((await both.liveDocument(key, life)).document).toEqual({
      version: 3,
      content: 'a\n2',
      expires: end,
    })
    // The copy that was repaired by that has the same end.
    pass(3600)
    for (const each of [old, both, after]) expect(await each.document(key)).toBeUndefined()
  })

  it('is one chain if a hundred isolates of two kinds change it at once', async () => {
    const { see } = seenBy()
    const life = drawn(1)
    const isolates = Array.from({ length: 100 }, (_, at) => (at % 2 ? see(1) : see(1, 4)))
    for (const version of [0, 1, 2]) {
      const answers = await Promise.all(
        isolates.map((each, at) => each.liveDocument(key, life, change(version, `by ${at}`))),
      )
      const won = answers.filter(({ isChanged }) => isChanged)
      expect(won).toHaveLength(1)
      const now = await see(1, 4).liveDocument(key, life)
      expect(now.document).toEqual(won[0]?.document)
      expect(now.document?.version).toBe(version + 1)
    }
  })

  it.each([
    ['both numbers', [1, 4]],
    ['the new number', [4]],
  ])('is not made if an isolate with %s ends it meanwhile', async (_, known) => {
    const { ledgers, ledger, see } = seenBy(1, 4)
    const life = drawn(4)
    let isEnded = false
    // The isolate has asked already whether it is over.
    ledgers.before.set('changeDocument', async (name) => {
      const isLast = known.length > 1 || name !== 'ledger'
      if (isEnded || !isLast) return
      isEnded = true
      await see(...known).endAll([life.also ?? ''], end, [key])
    })
    expect((await ledger.liveDocument(key, life, change(0))).isChanged).toBe(false)
    expect(isEnded).toBe(true)
    for (const each of [see(1, 4), see(4)]) {
      expect((await each.document(key))?.content).toBeNull()
      expect(await each.documentsOf('ada', ['grant'])).toEqual([])
    }
  })

  it('costs eight calls to change while the number of objects changes', async () => {
    const { ledger, during } = seenBy(1, 4)
    const life = drawn(4)
    expect(await during(() => ledger.liveDocument(key, life, change(0)))).toHaveLength(8)
    expect(await during(() => ledger.endAll([life.also ?? ''], end, [key]))).toHaveLength(2)
  })

  it('that is too long is changed nowhere', async () => {
    for (const shards of [[1], [1, 4]]) {
      const { ledger } = seenBy(...shards)
      const life = drawn(...shards)
      await ledger.liveDocument(key, life, { version: 0, content: 'a\nb', expires: end })
      const long = { version: 1, last: 'x'.repeat(65_535), expires: end }
      await expect(ledger.liveDocument(key, life, long)).rejects.toThrow(RangeError)
      expect((await ledger.liveDocument(key, life)).document?.version).toBe(1)
      const most = { ...long, last: 'x'.repeat(65_534) }
      expect((await ledger.liveDocument(key, life, most)).isChanged).toBe(true)
    }
  })
})

describe('a list of documents', () => {
  const contents = async (ledger: Ledger) =>
    (await ledger.documentsOf('ada', ['grant'])).map(({ content }) => content).toSorted()

  it('has the newest version of each, of the objects of every number, with one call to each', async () => {
    const { see, during } = seenBy()
    const [old, both, after] = [see(1), see(1, 4), see(4)]
    await old.changeDocument('grant\nada\nold', 0, 'old')
    await after.changeDocument('grant\nada\nnew', 0, 'new')
    await both.changeDocument('grant\nada\nboth', 0, 'both')
    await both.changeDocument('grant\nada\nahead', 0, 'before')
    await old.changeDocument('grant\nada\nahead', 1, 'ahead in the old')
    await both.changeDocument('grant\nada\nnewer', 0, 'before')
    await after.changeDocument('grant\nada\nnewer', 1, 'ahead in the new')
    for (const [name, by] of Object.entries({ 'gone-old': old, 'gone-new': after })) {
      await both.changeDocument(`grant\nada\n${name}`, 0, name)
      await by.endAll([], end, [`grant\nada\n${name}`])
    }
    const all = ['ahead in the new', 'ahead in the old', 'both', 'new', 'old']
    expect(await contents(both)).toEqual(all)
    expect(await during(() => contents(both))).toHaveLength(2)
  })

  it('has 1,000 documents at most, and deleted ones hide none', async () => {
    for (const shards of [[1], [1, 4]]) {
      const { ledger } = seenBy(...shards)
      const keys = Array.from({ length: 2_100 }, (_, at) => `grant\nada\n${at}`)
      await ledger.insertDocuments(keys.map((key) => ({ key, content: key })))
      expect(await contents(ledger)).toHaveLength(1_000)
      await ledger.endAll([], end, keys.slice(0, 2_099))
      expect(await contents(ledger)).toEqual([keys[2_099]])
    }
  })
})

describe('an end of several handles', () => {
  it('is one call to each object that has one of them or its document', async () => {
    const layout: Layout = { count: 4, regions: ['weur'] }
    const { ledger, during } = seenBy(layout)
    const sids = [
      drawSid([layout], 'ada'),
      drawSid([layout], 'ada'),
      drawSid([layout], 'ada', 'weur'),
    ]
    const calls = await during(() => ledger.endAll(sids, end, [key]))
    const home = placeOfPerson(layout, 'ada').name
    expect(calls.toSorted()).toEqual([`${home} endAll`, `ledger-weur-${home.slice(7)} endAll`])
    for (const sid of sids) expect(await ledger.isRevoked(sid)).toBe(true)
  })

  it('lists the remaining documents with the same call, unless several objects have them', async () => {
    const left = ['ada', ['grant']] as const
    const objects = new Objects()
    const four = objects.seen(4)
    const other = 'grant\nada\ntwo'
    for (const each of [key, other]) await four.changeDocument(each, 0, 'x')
    objects.calls.length = 0
    const listed = await four.endAll([drawSid([4], 'ada')], end, [key], left)
    expect(listed).toEqual([{ key: other, version: 1, content: 'x' }])
    expect(objects.calls).toHaveLength(1)
    const elsewhere = Array.from({ length: 9 }, (_, at) => `grant\nperson-${at}\none`)
    expect(await four.endAll([], end, elsewhere, left)).toBeUndefined()
    expect(await objects.seen(1, 4).endAll([], end, [key], left)).toBeUndefined()
  })

  it('attack: a list that is cut does not count as whole', async () => {
    const ledger = new Objects().seen(1)
    const keys = Array.from({ length: 1_001 }, (_, at) => `grant\nada\n${at}`)
    await ledger.insertDocuments(keys.map((one) => ({ key: one, content: one })))
    expect(await ledger.endAll([], end, [keys[0] ?? ''], ['ada', ['grant']])).toBeUndefined()
    expect(await ledger.endAll([], end, keys.slice(0, 2), ['ada', ['grant']])).toBeUndefined()
    const some = await ledger.endAll([], end, keys.slice(0, 3), ['ada', ['grant']])
    expect(some).toHaveLength(998)
  })

  it('ends and deletes in the objects of every number, and those of one number alone know it', async () => {
    const { see, during } = seenBy()
    const [old, both, after] = [see(1), see(1, 4), see(4)]
    const life = drawn(4)
    await both.liveDocument(key, life, change(0))
    await after.liveDocument(key, life, change(1))
    expect(await during(() => both.endAll([life.also ?? ''], end, [key]))).toHaveLength(2)
    for (const each of [old, both, after]) {
      expect(await each.liveDocument(key, life, change(2))).toMatchObject({
        isOver: true,
        isChanged: false,
      })
      expect((await each.document(key))?.content).toBeNull()
    }
  })

  it.each([1, 2, 3])(
    'attack: that fails at its call %i leaves no handle that goes on without its document',
    async (failing) => {
      const { ledgers, ledger } = seenBy(4)
      // API keys are where their digest says, and their handles wherever chance has them.
      const keys = Array.from({ length: 8 }, (_, at) => [`handle-${at}`, `key\nhome-${at}\n${at}`])
      const handles = keys.map(([handle = '']) => handle)
      for (const [sid = '', name = ''] of keys) {
        const life = { sid, owner: { sub: sid, auth_time: now } }
        await ledger.liveDocument(name, life, change(0))
      }
      let calls = 0
      const fail = async () => {
        if (++calls === failing) throw new Error('overloaded')
      }
      ledgers.before.set('endAll', fail)
      const names = keys.map(([, name = '']) => name)
      await expect(ledger.endAll(handles, end, names)).rejects.toThrow('overloaded')
      for (const [handle = '', name = ''] of keys) {
        const document = await ledger.document(name)
        if (document?.content === null) expect(await ledger.isRevoked(handle)).toBe(true)
      }
    },
  )

  it('that fails in one object is a failure, and finishes when it is called again', async () => {
    const { ledgers, ledger, see } = seenBy(1, 4)
    const life = drawn(1)
    await ledger.liveDocument(key, life, change(0))
    ledgers.before.set('endAll', async (name) => {
      if (name !== 'ledger') throw new Error('overloaded')
    })
    await expect(ledger.endAll([life.also ?? ''], end, [key])).rejects.toThrow('overloaded')
    ledgers.before.clear()
    await ledger.endAll([life.also ?? ''], end, [key])
    for (const known of [[1], [1, 4], [4]]) {
      expect(await see(...known).liveDocument(key, life)).toMatchObject({
        isOver: true,
        isChanged: false,
      })
    }
  })
})
