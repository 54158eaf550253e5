import { describe, expect, test } from 'vitest'
import { ISSUER, keys, NOW } from '../test-support/keys.js'
import { signJson } from '../token/signed.js'
import {
  isCutOff,
  type RevocationFeed,
  RevocationList,
  readRevocationFeed,
  signRevocationFeed,
} from './revocations.js'

/** How long the feed lists an entry. Seconds. */
const WINDOW = 300
/** How long a list keeps an entry beyond that, for clocks that differ. */
const SKEW = 60

const claims = { sid: 'the-sid', sub: 'ada', pid: 'pid-of-ada', iat: NOW, auth_time: NOW - 100 }

function listAt(clock = { now: NOW }) {
  const list = new RevocationList(() => clock.now * 1000)
  const add = (endings: Partial<RevocationFeed>, window = WINDOW) => {
    const { sids = [], users = [], cutoffs = [] } = endings
    const sessions = sids.map((sid) => ({ sid, at: clock.now }))
    list.add({ sessions, users, cutoffs }, window)
  }
  return { list, add, clock }
}

describe('a session is over', () => {
  test('that is listed by its handle, and no other one', () => {
    const { list, add } = listAt()
    expect(list.has(claims)).toBe(false)
    add({ sids: ['the-sid', 'another'] })
    expect(list.has(claims)).toBe(true)
    expect(list.has({ ...claims, sid: 'the-sid2' })).toBe(false)
    expect(list.entries).toBe(2)
  })

  test.each([
    ['sub', 'users', { sub: 'ada' }, { sub: 'eve' }],
    ['pid', 'cutoffs', { pid: 'pid-of-ada' }, { pid: 'pid-of-eve' }],
  ] as const)('a session that began by then, of a user listed by %s', (_, list, who, other) => {
    const made = listAt()
    const until = claims.auth_time
    made.add({ [list]: [{ ...who, until, except: 'spared' }] })
    expect(made.list.has(claims)).toBe(true)
    expect(made.list.has({ ...claims, auth_time: until + 1 })).toBe(false)
    expect(made.list.has({ ...claims, sid: 'spared' })).toBe(false)
    expect(made.list.has({ ...claims, ...other })).toBe(false)
    expect(made.list.entries).toBe(1)
  })

  test('without a name in its token only by handle and sub', () => {
    const { list, add } = listAt()
    add({ cutoffs: [{ pid: 'undefined', until: NOW }] })
    const { pid: _, ...nameless } = claims
    expect(list.has(nameless)).toBe(false)
  })

  test('and stays ended after later entries: an earlier cut-off takes nothing back', () => {
    const { list, add } = listAt()
    add({ users: [{ sub: 'ada', until: NOW }] })
    add({ users: [{ sub: 'ada', until: NOW - 200, except: claims.sid }] })
    add({ users: [{ sub: 'ada', until: NOW - 200 }] }, 1)
    expect(list.has(claims)).toBe(true)
  })

  test('by each of two cut-offs of one second, each of which spared another session', () => {
    for (const order of [
      ['one', 'other'],
      ['other', 'one'],
    ]) {
      const { list, add } = listAt()
      for (const except of order) add({ users: [{ sub: 'ada', until: NOW, except }] })
      expect(list.has({ ...claims, sid: 'one' })).toBe(true)
      expect(list.has({ ...claims, sid: 'other' })).toBe(true)
    }
  })

  test('but the one that a repeated cut-off spares goes on, and that of the last one', () => {
    const { list, add } = listAt()
    for (let count = 0; count < 2; count++) {
      add({ users: [{ sub: 'ada', until: NOW - 50, except: 'spared' }] })
    }
    expect(list.has({ ...claims, sid: 'spared' })).toBe(false)
    add({ users: [{ sub: 'ada', until: NOW, except: 'last' }] })
    expect(list.has({ ...claims, sid: 'spared' })).toBe(true)
    expect(list.has({ ...claims, sid: 'last' })).toBe(false)
  })

  test('not spared if only one of two cut-offs in a second spares it', () => {
    const { list, add } = listAt()
    add({ users: [{ sub: 'ada', until: NOW }] })
    add({ users: [{ sub: 'ada', until: NOW, except: 'the-sid' }] })
    expect(list.has(claims)).toBe(true)
  })
})

describe('a token without a name', () => {
  const { pid: _, ...nameless } = claims

  test('is in doubt while a cut-off might be its user’s', () => {
    const { list, add } = listAt()
    expect(list.isInDoubt(nameless as never)).toBe(false)
    add({ cutoffs: [{ pid: 'anybody', until: NOW - 50 }] })
    add({ cutoffs: [{ pid: 'another', until: NOW - 80 }] })
    const at = (auth_time: number, iat: number) =>
      list.isInDoubt({ ...nameless, auth_time, iat } as never)
    expect(at(NOW - 50, NOW - 50)).toBe(true)
    expect(at(NOW - 49, NOW - 50)).toBe(false)
    // One that was signed after the cut-off was signed with the ledger's leave.
    expect(at(NOW - 100, NOW - 50 + SKEW)).toBe(true)
    expect(at(NOW - 100, NOW - 50 + SKEW + 1)).toBe(false)
    expect(list.isInDoubt({ ...nameless, pid: 'some', auth_time: NOW - 50 } as never)).toBe(false)
  })
})

describe('the list is as long as endings matter', () => {
  const endings = {
    sids: ['the-sid'],
    users: [{ sub: 'eve', until: NOW }],
    cutoffs: [{ pid: 'pid', until: NOW }],
  }

  test('an entry goes when the last token that it concerns has ended, on any clock', () => {
    const { list, add, clock } = listAt()
    add(endings)
    clock.now += WINDOW + SKEW
    add({})
    expect(list.entries).toBe(3)
    clock.now += 1
    add({})
    expect(list.entries).toBe(0)
    expect(list.has(claims)).toBe(false)
  })

  test('a shorter window does not cover the entries that are there', () => {
    const { list, add, clock } = listAt()
    add(endings)
    clock.now += WINDOW
    add({}, 10)
    expect(list.has(claims)).toBe(true)
  })

  test('an entry that comes again is kept as long as its last copy, and keeps no other one', () => {
    const { list, add, clock } = listAt()
    const cutOffs = (...subs: string[]) => subs.map((sub) => ({ sub, until: clock.now }))
    add({ sids: ['the-sid', 'other'], users: cutOffs('eve', 'bob') })
    clock.now += 200
    add({ sids: ['the-sid'], users: cutOffs('eve') })
    clock.now += 200
    add({})
    expect(list.has(claims)).toBe(true)
    expect(list.has({ ...claims, sid: 'hers', sub: 'eve' })).toBe(true)
    expect(list.entries).toBe(2)
  })

  test('an entry that comes late, with its own time, goes no sooner and hides no other entry', () => {
    const { list, clock } = listAt()
    const told = (sid: string, at: number) =>
      list.add({ sessions: [{ sid, at }], users: [] }, WINDOW)
    list.add({ sessions: [], users: [] }, WINDOW)
    expect(list.entries).toBe(0)
    told('the-sid', NOW)
    told('the-sid', NOW - 200)
    told('old', NOW - 300)
    clock.now += 200
    list.add({ sessions: [], users: [] }, WINDOW)
    expect(list.has(claims)).toBe(true)
  })
})

describe('a feed, or an answer about some sessions', () => {
  const feed = { iss: ISSUER, sids: [], users: [], next: NOW, window: 300, since: 0 }
  const read = async (changes: object, typ = 'revocations+jwt', of?: string) =>
    readRevocationFeed(await signJson({ ...feed, ...changes }, typ, keys.signing), keys.verify, of)

  test('has the content that was signed', async () => {
    const whole = {
      sids: ['sid'],
      users: [{ sub: 'ada', until: 0 }],
      cutoffs: [{ pid: 'pid', until: 1, except: 'sid' }],
      more: 7,
      names: 480,
    }
    expect(await read({})).toEqual(feed)
    expect(await read(whole)).toEqual({ ...feed, ...whole })
  })

  test('is signed with its kind', async () => {
    for (const of of [undefined, 'a']) {
      const given = of === undefined ? feed : { ...feed, of }
      const text = await signRevocationFeed(given, keys.signing)
      expect(await readRevocationFeed(text, keys.verify, of)).toEqual(given)
      const other = of === undefined ? 'a' : undefined
      expect(await readRevocationFeed(text, keys.verify, other)).toBe('header')
    }
  })

  test('an answer about some is not taken for the whole feed, nor for one about others', async () => {
    expect(await read({ of: 'a' }, 'revocations-of+jwt', 'a')).toMatchObject({ of: 'a' })
    expect(await read({ of: 'a' }, 'revocations-of+jwt', 'b')).toBe('claims')
    expect(await read({}, 'revocations-of+jwt', 'a')).toBe('claims')
    expect(await read({ of: 'a' })).toBe('claims')
    expect(await read({ of: 'a' }, 'revocations-of+jwt')).toBe('header')
    expect(await read({ of: 'a' }, 'revocations+jwt', 'a')).toBe('header')
  })

  test.each([
    ...['since', 'next', 'window', 'more', 'names'].flatMap((name) =>
      [-1, 1.5, '1', null, 2 ** 53].map((value) => ({ [name]: value })),
    ),
    { iss: 7 },
    { iss: null },
    { sids: [1] },
    { sids: ['sid', null] },
    { sids: 'sid' },
    ...['users', 'cutoffs'].flatMap((name) => {
      const who = name === 'users' ? 'sub' : 'pid'
      const cutoff = { [who]: 'ada', until: 1 }
      return [
        { [name]: {} },
        { [name]: null },
        { [name]: [cutoff, null] },
        { [name]: [cutoff, []] },
        { [name]: [{ ...cutoff, [who]: 7 }] },
        { [name]: [{ ...cutoff, [who]: undefined }] },
        { [name]: [{ ...cutoff, until: -1 }] },
        { [name]: [{ ...cutoff, until: '1' }] },
        { [name]: [{ ...cutoff, except: 7 }] },
        { [name]: [{ ...cutoff, except: null }] },
        { [name]: [{ [who === 'sub' ? 'pid' : 'sub']: 'ada', until: 1 }] },
      ]
    }),
  ])('with %j is refused', async (changes) => {
    expect(await read(changes)).toBe('claims')
  })

  test.each([null, 7, [[feed]]])('with the content %j is refused', async (content) => {
    const text = await signJson(content as object, 'revocations+jwt', keys.signing)
    expect(await readRevocationFeed(text, keys.verify)).toBe('claims')
  })

  test('a feed above four megabytes is refused before it is decoded', async () => {
    expect(await read({ sids: ['x'.repeat(3_000_000)] })).toMatchObject({ iss: ISSUER })
    expect(await read({ sids: ['x'.repeat(3_200_000)] })).toBe('not-a-jws')
  })
})

test.each([
  [NOW, 'spared', true],
  [NOW - 1, 'spared', true],
  [NOW + 1, 'spared', false],
  [NOW, 'the-sid', false],
])('a session that began at %i, with %s spared: cut off %s', (auth_time, except, expected) => {
  expect(isCutOff({ sid: 'the-sid', auth_time }, { until: NOW, except })).toBe(expected)
})

test('a proof that came after a cut-off brings no session back that began before it', () => {
  const proved = { sid: 'the-sid', auth_time: NOW + 10, began: NOW }
  expect(isCutOff(proved, { until: NOW })).toBe(true)
  expect(isCutOff(proved, { until: NOW, except: 'the-sid' })).toBe(false)
  expect(isCutOff({ ...proved, began: NOW + 1 }, { until: NOW })).toBe(false)
  const { list, add } = listAt()
  const since = { ...claims, auth_time: claims.auth_time + 500, began: claims.auth_time }
  add({ users: [{ sub: claims.sub, until: claims.auth_time }], cutoffs: [] })
  expect(list.has(since)).toBe(true)
  add({ cutoffs: [{ pid: 'anybody', until: NOW }] })
  const { pid: _, ...nameless } = { ...claims, iat: NOW, auth_time: NOW + 1, began: NOW }
  expect(list.isInDoubt(nameless as never)).toBe(true)
})
