import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { Browser, claimsIn, configWith, copyOf, fakeProvider } from '../../test-support/browser.js'
import { anybody } from '../../test-support/deployment.js'
import { withDocuments } from '../../test-support/documents.js'
import { mailProvider } from '../../test-support/email.js'
import { asStore } from '../../test-support/own-ledger.js'
import { readableStores } from '../../test-support/readable-stores.js'
import type { AuthConfig, VerificationRequest } from '../../types.js'
import { erasePerson } from './erase.js'

/** Shortly before the end of a second, for which an ending waits. */
const start = Date.UTC(2026, 10, 1) + 990
const { pass } = clock({ start })

const ADDRESS = 'ada@example.com'

/** A deployment with readable storage. */
function deployment(changes: Partial<AuthConfig> = {}) {
  const { inner, kv, rowsIn, stored } = readableStores()
  const mails: VerificationRequest[] = []
  const store = asStore(inner)
  const profile = { sub: 'account-of-ada', name: 'Ada', email: ADDRESS, email_verified: true }
  const config = configWith({
    providers: [fakeProvider({ userinfo: () => profile }), mailProvider(mails), anybody],
    store,
    ...changes,
  })
  const auth = createAuth(config)
  const browser = () => new Browser(config, { answer: (request) => auth.fetch(request) })
  const byMail = async () => {
    const here = browser()
    await here.submit('/auth/signin/email', { email: ADDRESS })
    const { pathname, search } = new URL(mails.at(-1)?.url ?? '')
    await here.get(pathname + search)
    return here
  }
  const byProvider = async () => {
    const here = browser()
    await here.signIn('fake')
    return here
  }
  return { auth, browser, byMail, byProvider, config, kv, mails, rowsIn, store, stored }
}

describe('deletePerson', () => {
  it('leaves nothing in KV and the ledger that names a user of mails, counters included', async () => {
    const { auth, byMail, browser, stored, rowsIn } = deployment()
    const browsers = [await byMail(), await byMail()]
    const [{ sub, sid }] = browsers.map((one) => claimsIn(one)) as [ReturnType<typeof claimsIn>]
    await browsers[1]?.submit('/auth/sessions/revoke', { session: 'others' })
    await browser().submit('/auth/signin/email', { email: ADDRESS })
    pass(120)
    for (const name of [sub, sid]) expect(stored()).toContain(name)
    await auth.deletePerson(sub)
    for (const name of [sub, ADDRESS, 'ada@']) expect(stored()).not.toContain(name)
    expect([rowsIn('attempts'), rowsIn('verifications'), rowsIn('refreshes')]).toEqual([[], [], []])
    expect(rowsIn('revoked').map(({ sid }) => sid)).toContain(sid)
    expect(rowsIn('cutoffs')).toHaveLength(1)
  })

  it('leaves no trace of a user of a provider, and ends every session for good', async () => {
    const { auth, byProvider, config, stored } = deployment()
    const browsers = [await byProvider(), await byProvider(), await byProvider()]
    const { sub } = claimsIn(browsers[0] as Browser)
    pass(120)
    await auth.deletePerson(sub)
    for (const name of [sub, ADDRESS, 'account-of-ada']) expect(stored()).not.toContain(name)
    pass(1)
    for (const one of browsers) {
      const copy = copyOf(one, config, { answer: (request) => createAuth(config).fetch(request) })
      expect(await copy.session()).toBeNull()
      const online = await copy.get('/auth/session?online=1')
      expect(await online.json()).toBeNull()
    }
  })

  it('ends a session that KV does not list yet, wherever its token is read', async () => {
    const { auth, byProvider, config, kv } = deployment()
    const late = await byProvider()
    const { sub } = claimsIn(late)
    await auth.deletePerson(sub)
    expect(kv.keys).toHaveLength(1)
    const elsewhere = createAuth(config)
    pass(400)
    const copy = copyOf(late, config, { answer: (request) => elsewhere.fetch(request) })
    expect(await copy.session()).toBeNull()
    await auth.deletePerson(sub)
    expect(kv.keys).toEqual([])
  })

  it('says in the feed whose sessions ended, by the name in their tokens alone', async () => {
    const { auth, byProvider, browser } = deployment()
    const { sub, pid } = claimsIn(await byProvider())
    await auth.deletePerson(sub)
    pass(5)
    const feed = await (await browser().get('/auth/revocations')).text()
    const { cutoffs, users } = JSON.parse(atob(feed.split('.')[1] ?? '')) as {
      cutoffs: { pid: string }[]
      users: unknown[]
    }
    expect(cutoffs.map((one) => one.pid)).toEqual([pid])
    expect(users).toEqual([])
  })

  it('is heard of by an isolate that has seen the session before, in five seconds', async () => {
    const { auth, byProvider, config } = deployment()
    const one = await byProvider()
    const elsewhere = createAuth(config)
    const copy = copyOf(one, config, { answer: (request) => elsewhere.fetch(request) })
    expect(await copy.session()).not.toBeNull()
    await auth.deletePerson(claimsIn(one).sub)
    pass(5)
    expect(await copy.session()).toBeNull()
  })

  it('touches no other person, and does nothing for an unknown one, nor twice', async () => {
    const { auth, browser, byProvider } = deployment()
    const grace = browser()
    await grace.submit('/auth/callback/credentials', { username: 'grace' })
    const { sub } = claimsIn(await byProvider())
    pass(120)
    for (const person of [sub, sub, 'nobody']) {
      expect(await auth.deletePerson(person)).toBeUndefined()
      pass(2)
    }
    expect(await grace.session()).not.toBeNull()
    expect(await auth.exportPerson(claimsIn(grace).sub)).not.toBeNull()
  })

  it('lets the person sign up again, as a new beginning', async () => {
    const { auth, byProvider } = deployment()
    const { sub } = claimsIn(await byProvider())
    await auth.deletePerson(sub)
    pass(1)
    const again = await byProvider()
    expect(claimsIn(again).sub).toBe(sub)
    pass(10)
    expect(await again.session()).not.toBeNull()
  })

  it.each(['erase', 'revoke', 'forget'] as const)(
    'is finished by a second call if the ledger failed in %s',
    async (method) => {
      const { auth, byMail, store, stored, config } = deployment()
      const one = await byMail()
      const { sub } = claimsIn(one)
      pass(120)
      const works = store.ledger[method]
      const failing = { [method]: () => Promise.reject(new Error('overloaded')) }
      Object.assign(store.ledger, failing)
      await expect(auth.deletePerson(sub)).rejects.toThrow('Could not write the ledger.')
      Object.assign(store.ledger, { [method]: works })
      pass(2)
      await auth.deletePerson(sub)
      expect(stored()).not.toContain(sub)
      const elsewhere = createAuth(config)
      const copy = copyOf(one, config, { answer: (request) => elsewhere.fetch(request) })
      expect(await copy.session()).toBeNull()
    },
  )

  it.each([undefined, '', {}, 1, 'x'.repeat(256)])('refuses %j as a person', async (sub) => {
    const { auth } = deployment()
    const problem = "needs the person's id (sub), of 1 to 255 characters."
    await expect(auth.deletePerson(sub as string)).rejects.toThrow(`deletePerson ${problem}`)
    await expect(auth.exportPerson(sub as string)).rejects.toThrow(`exportPerson ${problem}`)
  })
})

describe('exportPerson', () => {
  it('gives all that is kept, without tokens', async () => {
    const { auth, byProvider } = deployment()
    const { sub, sid } = claimsIn(await byProvider())
    pass(120)
    const kept = await auth.exportPerson(sub)
    expect(kept).toMatchObject({
      sub,
      sessions: [
        {
          id: sid,
          provider: 'fake',
          created: '2026-11-01T00:00:00.000Z',
          user: { name: 'Ada', email: ADDRESS, image: null },
        },
      ],
    })
    expect(JSON.stringify(kept)).not.toMatch(/the-access-token|sealed/)
  })

  it('is null for an unknown person', async () => {
    expect(await deployment().auth.exportPerson('nobody')).toBeNull()
  })
})

describe('a person who has taken others in', () => {
  const way = (name: string, provider = 'one') => ({ way: name, provider, added: 1, used: null })

  it('leaves people who were unlinked, and takes the others along', async () => {
    const { request, read } = await withDocuments({
      'person\nada': { ways: [way('ada')], were: ['bob', 'eve'] },
      'person\nbob': { ways: [way('bob')] },
      'way\nbob': { owner: 'bob' },
      'person\neve': { ways: [], mergedInto: 'ada' },
    })
    await erasePerson(request, 'ada')
    expect(await read('person\nbob')).toEqual({ ways: [way('bob')] })
    expect(await read('way\nbob')).toEqual({ owner: 'bob' })
    expect([await read('person\nada'), await read('person\neve')]).toEqual([null, null])
  })

  it('takes along a person who began with an address: their account’s way too, and the address is free', async () => {
    const { request, read, calls } = await withDocuments({
      'person\nada': { ways: [way('ada'), way('email:bob', 'email')] },
      'way\nemail:bob': { owner: 'ada' },
      'person\nbob': { ways: [], mergedInto: 'ada' },
      'way\nbob': { owner: 'bob' },
    })
    await erasePerson(request, 'ada')
    for (const key of ['person\nada', 'person\nbob', 'way\nbob', 'way\nemail:bob']) {
      expect(await read(key)).toBeNull()
    }
    const forgotten = calls.filter(({ name }) => name === 'forget').map(({ args }) => args[0])
    // Once as the way: the counts of its mails end with that.
    expect(forgotten.filter((name) => name === 'email:bob')).toHaveLength(1)
  })
})
