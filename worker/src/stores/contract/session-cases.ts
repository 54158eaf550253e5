import { MAX_LISTED, type SessionRecord, type SessionStore } from '../ports.js'
import { type Cases, equal } from './cases.js'

const recordAt = (now: number, changes: Partial<SessionRecord> = {}): SessionRecord => ({
  sub: 'the-sub',
  sid: 'the-sid',
  provider: 'fake',
  created: now,
  updated: now,
  expires: now + 3600,
  sealed: 'sealed',
  ...changes,
})

/** A store may take one write of a record in a second, and may list new records a minute late. */
export const sessionCases: Cases<SessionStore> = {
  'returns a record until it is deleted': async ({ make, now, pass }) => {
    const store = await make()
    await store.put(recordAt(now))
    equal(await store.get('the-sub', 'the-sid'), recordAt(now))
    await pass(1)
    await store.put(recordAt(now, { updated: now + 1 }))
    equal(await store.get('the-sub', 'the-sid'), recordAt(now, { updated: now + 1 }))
    await pass(1)
    await store.delete('the-sub', 'the-sid')
    await pass(1)
    await store.delete('the-sub', 'the-sid')
    equal(await store.get('the-sub', 'the-sid'), undefined)
  },

  'keeps sessions and users apart': async ({ make, now }) => {
    const store = await make()
    await store.put(recordAt(now))
    for (const [sub, sid] of [
      ['the-sub', 'other'],
      ['other', 'the-sid'],
      ['', 'the-sid'],
      ['__proto__', 'constructor'],
    ] as const) {
      equal(await store.get(sub, sid), undefined)
    }
    await store.delete('other', 'the-sid')
    equal(await store.get('the-sub', 'the-sid'), recordAt(now))
  },

  'lists everybody who has a session, part by part': async ({ make, now, pass }) => {
    const store = await make()
    // A store of an app's own may have no list of people.
    if (!store.people) return
    const subs = ['ada', 'Ada', 'a:b', 'auth0|5f', 'ü', '-begins']
    for (const sub of subs) {
      await store.put(recordAt(now, { sub }))
      await store.put(recordAt(now, { sub, sid: 'other' }))
    }
    await pass(60)
    const found = new Set<string>()
    for (let after: string | undefined, parts = 0; parts < 100; parts++) {
      const part = await store.people(after)
      for (const sub of part.subs) found.add(sub)
      after = part.next
      if (after === undefined) break
    }
    equal([...found].filter((sub) => subs.includes(sub)).sort(), [...subs].sort())
  },

  'keeps people apart, however their ids are spelled': async ({ make, now, pass }) => {
    const store = await make()
    const subs = [
      'a',
      'A',
      'a:b',
      'a ',
      'a%',
      'a_',
      'a*',
      '[a]',
      'a/b',
      "a'--",
      '"a"',
      '__proto__',
      '\u00e9',
      'e\u0301',
      '\u{1f600}',
      '\u{1f600}'.repeat(255),
    ]
    for (const sub of subs) await store.put(recordAt(now, { sub }))
    await pass(60)
    for (const sub of subs) {
      equal(await store.get(sub, 'the-sid'), recordAt(now, { sub }))
      equal(await store.list(sub), [recordAt(now, { sub })])
    }
    const [first = '', ...others] = subs
    await store.delete(first, 'the-sid')
    await pass(60)
    await store.deleteAll?.(first)
    await pass(60)
    equal(await store.list(first), [])
    for (const sub of others) equal(await store.list(sub), [recordAt(now, { sub })])
  },

  'returns no record that is over, though it may still be stored': async ({ make, now, pass }) => {
    const store = await make()
    await store.put(recordAt(now, { expires: now + 10 }))
    await pass(9)
    equal(await store.get('the-sub', 'the-sid'), recordAt(now, { expires: now + 10 }))
    await pass(1)
    equal(await store.get('the-sub', 'the-sid'), undefined)
    equal(await store.list('the-sub'), [])
  },

  'lists a user’s own sessions, a hundred at most': async ({ make, now, pass }) => {
    const store = await make()
    const own = new Map(
      Array.from({ length: 120 }, (_, at) => [`sid-${at}`, recordAt(now, { sid: `sid-${at}` })]),
    )
    const others = ['the-su', 'the-sub-2'].map((sub) => recordAt(now, { sub }))
    for (const record of [...own.values(), ...others]) await store.put(record)
    await pass(60)
    const listed = await store.list('the-sub')
    equal(listed.length, MAX_LISTED)
    equal(new Set(listed.map(({ sid }) => sid)).size, MAX_LISTED)
    for (const record of listed) equal(record, own.get(record.sid))
    equal(await store.list('the-su'), [others[0]])
    equal(await store.list('nobody'), [])
  },

  'deletes every record of a user, and nobody else’s': async ({ make, now, pass }) => {
    const store = await make()
    if (!store.deleteAll) return
    const sids = Array.from({ length: 120 }, (_, at) => `sid-${at}`)
    const others = ['the-su', 'the-sub-2', 'the-sub:more'].map((sub) => recordAt(now, { sub }))
    for (const sid of sids) await store.put(recordAt(now, { sid }))
    for (const record of others) await store.put(record)
    await pass(60)
    await store.deleteAll('the-sub')
    await pass(60)
    equal(await store.list('the-sub'), [])
    for (const sid of sids) equal(await store.get('the-sub', sid), undefined)
    for (const record of others) equal(await store.get(record.sub, record.sid), record)
    await store.deleteAll('nobody')
  },
}
