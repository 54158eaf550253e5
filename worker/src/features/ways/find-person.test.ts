import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { deriveKeyRing } from '../../lib/key-ring.js'
import { subjectOf } from '../../person/subject.js'
import { personKey, wayKey } from '../../person/way-document.js'
import credentials from '../../providers/credentials.js'
import email from '../../providers/email.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { drawSid } from '../../stores/ledger/placement.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import {
  Browser,
  claimsIn,
  configWith,
  errorOf,
  fakeProvider,
  secret,
} from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { withDocuments } from '../../test-support/documents.js'
import { fails, faulty } from '../../test-support/faulty.js'
import { asStore } from '../../test-support/own-ledger.js'
import type { AuthConfig } from '../../types.js'
import { findPerson } from './find-person.js'

clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const mails: { readonly url: string }[] = []
const providers = [
  fakeProvider({ userinfo: () => ({ sub: 'ada', name: 'Ada' }) }),
  email({ from: 'a@example.com', sendVerificationRequest: (mail) => void mails.push(mail) }),
  credentials({
    credentials: { username: {} },
    authorize: ({ username }) => ({ id: String(username), name: String(username) }),
  }),
  credentials({
    id: 'two-names',
    credentials: { username: {}, email: {} },
    authorize: ({ username }) => ({ id: String(username), name: String(username) }),
  }),
]

/** Signs in by one of the kinds, always as the same account. */
const kinds: Record<
  string,
  { way(): Promise<string>; signIn(browser: Browser): Promise<Response> }
> = {
  'a provider': {
    way: () => subjectOf('fake', 'ada'),
    signIn: (browser) => browser.signIn('fake'),
  },
  'a mail': {
    way: async () => `email:${await subjectOf('email', 'ada@example.com')}`,
    signIn: async (browser) => {
      await browser.submit('/auth/signin/email', { email: 'ada@example.com' })
      const { pathname, search } = new URL(mails.at(-1)?.url ?? '')
      return browser.get(pathname + search)
    },
  },
  'a password': {
    way: () => subjectOf('credentials', 'ada'),
    signIn: (browser) => browser.submit('/auth/callback/credentials', { username: 'ada' }),
  },
  'a form with two names': {
    way: () => subjectOf('two-names', 'ada'),
    signIn: (browser) =>
      browser.submit('/auth/callback/two-names', { username: 'ada', email: 'a@example.com' }),
  },
}

/** One object, or several, of which the person, the way and the counts of tries are in different ones. */
const ledgers: Record<string, () => Stores> = {
  'one store': memoryStore,
  'four objects': () => inObjects(4),
  'four objects and seven to come': () => inObjects(4, 7),
}

function inObjects(...shards: number[]): Stores {
  const ledger = durableLedger(new FakeLedgers().binding, shards)
  return { ...memoryStore(), ledger, drawSid: (sub) => drawSid(shards, sub) }
}

const write = (store: Stores, key: string, content: object | string) =>
  (store.ledger as Ledger).changeDocument(
    key,
    0,
    typeof content === 'string' ? content : JSON.stringify(content),
  )

const all = Object.keys(kinds).flatMap((kind) =>
  Object.keys(ledgers).map((ledger) => [kind, ledger] as const),
)

describe.each(all)('a user who signs in with %s, in %s,', (kind, ledger) => {
  const { way: wayOf, signIn } = kinds[kind] as (typeof kinds)[string]
  const setUp = (changes: Partial<AuthConfig> = {}) => {
    const store = asStore((ledgers[ledger] as () => Stores)())
    const errors: string[] = []
    const logger = {
      error: ({ message }: Error) => void errors.push(message),
      warn: () => {},
      info: () => {},
    }
    const config = configWith({ providers, store, logger, ...changes })
    return { store, errors, browser: new Browser(config) }
  }

  it('is the person who owns the way', async () => {
    const asked: unknown[] = []
    const { store, browser } = setUp({
      callbacks: {
        signIn: ({ user, account, ...more }) => {
          asked.push([user.id, account.userId, 'way' in more])
          return true
        },
        jwt: ({ token, account }) => ({ ...token, seen: account?.userId }),
        session: ({ session, token }) => ({ ...session, seen: token.seen }),
      },
    })
    const way = await wayOf()
    await write(store, wayKey(way), { owner: 'the-owner' })
    expect(errorOf(await signIn(browser))).toMatch(/^\/(inbox)?$/)
    expect(asked.at(-1)).toEqual(['the-owner', 'the-owner', false])
    expect(claimsIn(browser).sub).toBe('the-owner')
    const session = await browser.session()
    expect(session).toMatchObject({ user: { id: 'the-owner' }, seen: 'the-owner' })
    const [record] = await store.sessions.list('the-owner')
    const opened = await (await deriveKeyRing([secret], Date.now)).record.open(record?.sealed ?? '')
    expect(opened?.way).toBe(way)
  })

  it('is the person that the account names if the way is their first, and the record does not name one', async () => {
    const { store, browser } = setUp()
    const way = await wayOf()
    const sub = way.replace('email:', '')
    await write(store, wayKey(way), { owner: sub, first: true })
    await signIn(browser)
    expect(claimsIn(browser).sub).toBe(sub)
    const [record] = await store.sessions.list(sub)
    const opened = await (await deriveKeyRing([secret], Date.now)).record.open(record?.sealed ?? '')
    expect(opened && 'way' in opened).toBe(false)
  })

  it('is refused if the way was removed, and the earlier session goes on', async () => {
    const { store, browser, errors } = setUp()
    const way = await wayOf()
    await browser.submit('/auth/callback/credentials', { username: 'grace' })
    const before = claimsIn(browser)
    await write(store, wayKey(way), { removed: 'the-owner' })
    expect(errorOf(await signIn(browser))).toBe('/auth/signin OAuthAccountNotLinked')
    expect(errors).toEqual(['A way was used that its person removed.'])
    expect(claimsIn(browser)).toEqual(before)
    expect(await browser.session()).not.toBeNull()
  })

  it('is the person they became, and no person if that leads in a circle', async () => {
    const { store, browser, errors } = setUp()
    await write(store, wayKey(await wayOf()), { owner: 'one' })
    // Not all of their ways have moved.
    await write(store, personKey('one'), { ways: [{}], mergedInto: 'two' })
    await write(store, personKey('two'), { ways: [], mergedInto: 'three' })
    await signIn(browser)
    expect(claimsIn(browser).sub).toBe('three')
    await write(store, personKey('three'), { ways: [], mergedInto: 'one' })
    expect((await signIn(browser)).status).toBe(503)
    expect(errors).toEqual(['The person that another one became cannot be read.'])
  })

  it('is refused if the person is being erased', async () => {
    const { store, browser, errors } = setUp()
    await write(store, wayKey(await wayOf()), { owner: 'one' })
    await write(store, personKey('one'), { ways: [], erasing: true })
    expect(errorOf(await signIn(browser))).toBe('/auth/signin OAuthAccountNotLinked')
    expect(errors).toEqual(['The person of a way is being erased.'])
    expect(await browser.session()).toBeNull()
  })

  it('is refused if the person became a name that is not one', async () => {
    const { store, browser } = setUp()
    await write(store, wayKey(await wayOf()), { owner: 'one' })
    await write(store, personKey('one'), { ways: [{}], mergedInto: 7 })
    expect((await signIn(browser)).status).toBe(503)
    expect(await browser.session()).toBeNull()
  })

  it('is refused if the document is damaged', async () => {
    const { store, browser } = setUp()
    await write(store, wayKey(await wayOf()), '{"owner":')
    expect((await signIn(browser)).status).toBe(503)
    expect(await browser.session()).toBeNull()
  })
})

describe('a sign-in of a person with one way', () => {
  it.each([
    ['a provider', ['enter', 'put']],
    ['a mail', ['admit', 'startVerification', 'findVerification', 'redeemVerification', 'put']],
    ['a password', ['admit', 'forgive', 'put']],
  ])('with %s makes as many calls as without documents', async (kind, expected) => {
    const { store, calls } = faulty()
    const browser = new Browser(configWith({ providers, store }))
    await (kinds[kind] as (typeof kinds)[string]).signIn(browser)
    const made = calls.map(({ name }) => name).filter((name) => name !== 'revokedSince')
    expect(made).toEqual(expected)
  })

  it('with four objects asks one of them once, as without documents', async () => {
    const objects = new FakeLedgers()
    const store = { ...memoryStore(), ledger: durableLedger(objects.binding, [4]) }
    const browser = new Browser(configWith({ providers, store }))
    await browser.signIn('fake')
    expect(objects.calls.filter((call) => !call.endsWith('revokedSince'))).toEqual([
      expect.stringMatching(/^ledger-4-\d enter$/),
    ])
  })

  it('is refused while the ledger cannot name the owner of the way', async () => {
    for (const kind of ['a provider', 'a mail', 'a password']) {
      const { store, faults } = faulty()
      const browser = new Browser(configWith({ providers, store }))
      for (const name of ['enter', 'redeemVerification', 'forgive'] as const)
        faults.set(name, fails)
      const { status } = await (kinds[kind] as (typeof kinds)[string]).signIn(browser)
      expect([kind, status, await browser.session()]).toEqual([kind, 503, null])
    }
  })
})

describe('a sign-in of a person with several ways', () => {
  const setUp = async (store: Stores = memoryStore()) => {
    const watched = faulty(store)
    const browser = new Browser(configWith({ providers, store: watched.store }))
    const way = await subjectOf('fake', 'ada')
    await write(store, wayKey(way), { owner: 'the-owner' })
    const entry = { way, provider: 'fake', added: 0, used: 0 }
    await write(store, personKey('the-owner'), { ways: [entry] })
    const during = async () => {
      watched.calls.length = 0
      await browser.signIn('fake')
      return watched.calls.map(({ name }) => name).filter((name) => name !== 'revokedSince')
    }
    return { ...watched, browser, during }
  }

  it('asks for the person in the call that uses up the flow, and notes the day in one more', async () => {
    const { browser, during, inner } = await setUp()
    // The connection of the way is made, since the provider gave tokens.
    const connected = ['document', 'changeDocument', 'document']
    expect(await during()).toEqual(['enter', ...connected, 'put', 'changeDocument'])
    expect(claimsIn(browser).sub).toBe('the-owner')
    const kept = await inner.ledger.document(personKey('the-owner'))
    expect(JSON.parse(kept?.content ?? '').ways[0].used).toBeGreaterThan(0)
  })

  it('at an object of the version before the person is read by itself', async () => {
    const { browser, during, faults, inner } = await setUp()
    faults.set('enter', async (...given) => {
      const { person: _, ...entrance } = await (inner.ledger as Ledger).enter(
        ...(given as Parameters<Ledger['enter']>),
      )
      return entrance
    })
    expect((await during()).slice(0, 2)).toEqual(['enter', 'document'])
    expect(claimsIn(browser).sub).toBe('the-owner')
  })

  it('notes the day also after a change of the person meanwhile', async () => {
    const { during, faults, inner } = await setUp()
    faults.set('put', async (...given) => {
      const other = { ways: [], mergedInto: 'another' }
      await inner.ledger.changeDocument(personKey('the-owner'), 1, JSON.stringify(other))
      return inner.sessions.put(...(given as Parameters<Stores['sessions']['put']>))
    })
    expect((await during()).slice(-3)).toEqual(['put', 'changeDocument', 'document'])
    const kept = await inner.ledger.document(personKey('the-owner'))
    expect(JSON.parse(kept?.content ?? '')).toEqual({ ways: [], mergedInto: 'another' })
  })
})

it.each([[true], [undefined]])(
  'for a person with one way in a list their sessions say so: %s',
  async (isAlone) => {
    const way = 'w'
    const { request } = await withDocuments({
      'person\nada': {
        ways: [{ way, provider: 'one', added: 1, used: null }],
        ...(isAlone ? { isAlone } : {}),
      },
    })
    const account = { provider: 'one', type: 'oauth', providerAccountId: 'a', userId: way } as const
    const proved = { user: { id: way, name: 'Ada' }, account }
    const document = { version: 1, content: '{"owner":"ada","first":true}' }
    const found = await findPerson(request, proved as never, { document } as never)
    const { account: theirs, isAlone: alone } = found?.signedIn ?? {}
    expect([theirs?.userId, alone]).toEqual(['ada', isAlone])
  },
)
