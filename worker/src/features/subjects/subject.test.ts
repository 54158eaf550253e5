import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import credentials from '../../providers/credentials.js'
import { Browser, configWith, errorOf, setsSession } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { accountsAt, people } from '../../test-support/people.js'
import type { AuthConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const NOT_LINKED = '/auth/signin OAuthAccountNotLinked'
const REFUSED = '/auth/error Configuration'

type Subject = NonNullable<AuthConfig['subject']>

/** A service whose app has ids for some accounts, by `<provider> <account>`. */
function withIds(ids: Record<string, unknown> = {}, changes: Partial<AuthConfig> = {}) {
  const asked: Parameters<Subject>[0][] = []
  const subject: Subject = (of) => {
    asked.push(of)
    return ids[`${of.provider} ${of.account.providerAccountId}`] as string | undefined
  }
  const made = people({ subject, ...changes })
  /** Comes back from a provider. @returns the answer */
  const tryToSignIn = (provider: string, account: string, one = made.browser()) =>
    one.signIn(provider, account)
  /** The same service with another configuration. */
  const under = (changed: Partial<AuthConfig>) => new Browser({ ...made.config, ...changed })
  return { ...made, ids, asked, tryToSignIn, under, auth: createAuth(made.config) }
}

const document = (set: { inner: ReturnType<typeof people>['inner'] }, key: string) =>
  set.inner.ledger.document(key)

describe('subject', () => {
  it('decides a person’s id, for the token, the session and the app', async () => {
    const told: unknown[] = []
    const set = withIds(
      { 'one ada': 'user-1' },
      {
        callbacks: {
          signIn: ({ user, account }) => void told.push([user.id, account.userId]) === undefined,
          jwt: ({ token, user }) => {
            if (user) told.push([user.id, token.sub])
            return token
          },
        },
        events: { signIn: ({ user, account }) => void told.push([user.id, account.userId]) },
      },
    )
    const ada = await set.signIn('one', 'ada')
    expect([set.subOf(ada), (await ada.session())?.user?.id]).toEqual(['user-1', 'user-1'])
    expect(told).toEqual([
      ['user-1', 'user-1'],
      ['user-1', 'user-1'],
      ['user-1', 'user-1'],
    ])
  })

  it('is given the person as the provider described them, and no id of ours', async () => {
    const set = withIds()
    await set.signIn('one', 'ada')
    await set.signIn('email', 'ada@mail.example')
    expect(set.asked).toMatchObject([
      {
        provider: 'one',
        account: { provider: 'one', providerAccountId: 'ada', type: 'oauth', access_token: 'ada' },
        user: { id: 'ada', name: 'ada at one', email: null },
      },
      {
        provider: 'email',
        account: { provider: 'email', providerAccountId: 'ada@mail.example' },
        user: { id: 'ada@mail.example', email: 'ada@mail.example', emailVerified: true },
      },
    ])
    for (const { account } of set.asked) expect(account).not.toHaveProperty('userId')
  })

  it('changes to its arguments change no person', async () => {
    const subject: Subject = ({ account, user }) => {
      account.providerAccountId = 'eve'
      account.provider = 'two'
      user.name = 'Eve'
      return undefined
    }
    const set = people()
    const plain = await set.signIn('one', 'ada')
    const ada = new Browser({ ...set.config, subject })
    await ada.signIn('one', 'ada')
    expect(set.subOf(ada)).toBe(set.subOf(plain))
    expect((await ada.session())?.user?.name).toBe('ada at one')
  })

  it('lets credentials have the app’s own ids, as in Auth.js', async () => {
    const authorize = () => ({ id: '1', name: 'Ada' })
    const browser = new Browser(
      configWith({ providers: [credentials({ authorize })], subject: ({ user }) => user.id }),
    )
    await browser.submit('/auth/callback/credentials', { username: 'ada' })
    expect((await browser.session())?.user).toMatchObject({ id: '1', name: 'Ada' })
  })

  it.each<[unknown, string]>([
    ['a', 'a'],
    [' a ', ' a '],
    [7, '7'],
    [-7, '-7'],
    [0, '0'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['\u{1f600}'.repeat(255), '\u{1f600}'.repeat(255)],
    [Promise.resolve('later'), 'later'],
  ])('may return %j', async (answer, sub) => {
    const set = people({ subject: () => answer as string })
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe(sub)
  })

  it('attack: that returns the `sub` of a machine signs nobody in', async () => {
    const set = people({ subject: () => 'machine:ci' })
    const end = await new Browser(set.config).signIn('one', 'ada')
    expect(setsSession(end)).toBe(false)
  })

  it('that returns undefined leaves all people their own ids', async () => {
    const set = withIds()
    const plain = people()
    for (const [provider, account] of [
      ['one', 'ada'],
      ['email', 'ada@mail.example'],
    ] as const) {
      const [given, own] = await Promise.all([
        set.signIn(provider, account),
        plain.signIn(provider, account),
      ])
      expect(set.subOf(given)).toBe(plain.subOf(own))
    }
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['an empty text', ''],
    ['a blank text', ' \u00a0\u2003'],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters of two units', '\u{1f600}'.repeat(256)],
    ['a megabyte', 'x'.repeat(1 << 20)],
    ['NUL', 'a\0b'],
    ['a new line', 'a\nb'],
    ['DEL', 'a\u007f'],
    ['a control character of Latin 1', 'a\u0085'],
    ['a lone surrogate', 'a\ud800'],
    ['another lone surrogate', '\udfffa'],
    ['surrogates in the wrong order', '\udc00\ud800'],
    ['a fraction', 1.5],
    ['no number', Number.NaN],
    ['a number that is not safe', 2 ** 53],
    ['a bigint', 7n],
    ['true', true],
    ['false', false],
    ['an object', {}],
    ['an object with a toString', { toString: () => 'ada' }],
    ['a String object', new String('ada')],
    ['an array', ['ada']],
    ['a symbol', Symbol('ada')],
    ['a function', () => 'ada'],
    ['a promise of null', Promise.resolve(null)],
  ])('that returns %s refuses the sign-in, and the log names it', async (_, answer) => {
    const set = people({ subject: () => answer as string })
    const browser = set.browser()
    const end = await browser.signIn('one', 'ada')
    expect([errorOf(end), setsSession(end)]).toEqual([REFUSED, false])
    expect(set.errors.map(({ message }) => message)).toEqual([expect.stringContaining('subject')])
    expect(set.errors[0]?.message).not.toContain('ada')
  })

  it.each<[string, Subject]>([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    [
      'throws a value that is not an error',
      () => {
        throw null
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
    [
      'answers a thenable that throws',
      () =>
        ({
          // biome-ignore lint/suspicious/noThenProperty: the test tries exactly that
          get then() {
            throw new Error('x')
          },
        }) as never,
    ],
  ])('that %s refuses the sign-in, and the log names it', async (_, subject) => {
    const set = people({ subject })
    expect(errorOf(await set.browser().signIn('one', 'ada'))).toBe(REFUSED)
    expect(set.errors.map(({ name, message }) => [name, message])).toEqual([
      ['CallbackFailed', 'subject() failed for provider "one".'],
    ])
  })

  it.each([{ subject: 'user.id' }, { sharedSubjects: 'yes' }])(
    '%j is refused at the start, by name',
    async (changes) => {
      const set = people(changes as object)
      expect((await set.browser().get('/auth/session')).status).toBe(500)
      expect(set.errors[0]?.message).toContain(Object.keys(changes)[0])
    },
  )

  it('is called once in a sign-in, and by no read, renewal or way with an owner', async () => {
    const set = withIds({ 'one ada': 'a' })
    const ada = await set.signIn('one', 'ada')
    expect(set.asked).toHaveLength(1)
    await ada.session()
    await set.ways(ada)
    await set.add(ada, 'two', 'ada-at-two')
    const before = set.asked.length
    set.ids['one ada'] = 'another'
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe('a')
    expect(set.subOf(await set.signIn('two', 'ada-at-two'))).toBe('a')
    expect(set.asked).toHaveLength(before)
  })

  it('costs a ledger nothing if it is not there', async () => {
    const [plain, set] = [people(), withIds()]
    await plain.signIn('one', 'ada')
    await set.signIn('one', 'ada')
    const names = (calls: typeof plain.calls) => calls.map(({ name }) => name)
    expect(names(plain.calls)).not.toContain('document')
    expect(names(plain.calls)).not.toContain('changeDocument')
    expect(set.calls.length - plain.calls.length).toBe(3)
    set.calls.length = 0
    await set.signIn('one', 'ada')
    expect(names(set.calls)).not.toContain('changeDocument')
    expect(names(set.calls).filter((name) => name === 'document')).toHaveLength(2)
  })
})

describe('the owner of an id', () => {
  it('two providers that give the same id: the second account is refused, and nothing is written', async () => {
    const set = withIds({ 'one ada': 'a', 'two eve': 'a', 'one eve': 'a' })
    const ada = await set.signIn('one', 'ada')
    for (const provider of ['two', 'one']) {
      const browser = set.browser()
      const end = await browser.signIn(provider, 'eve')
      expect([errorOf(end), setsSession(end)]).toEqual([NOT_LINKED, false])
    }
    expect(await document(set, 'subject\na')).toMatchObject({ version: 1 })
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe('a')
    expect(await ada.session()).not.toBeNull()
  })

  it('is the first account’s also when it is back after all its sessions are over', async () => {
    const set = withIds({ 'one ada': 'a', 'two eve': 'a' })
    const ada = await set.signIn('one', 'ada')
    await ada.submit('/auth/sessions/revoke', { session: 'all' })
    pass(120 * 24 * 60 * 60)
    expect(errorOf(await set.tryToSignIn('two', 'eve'))).toBe(NOT_LINKED)
  })

  it('sharedSubjects: accounts with the same id are one person', async () => {
    const set = withIds({ 'one ada': 'a', 'two ada': 'a' }, { sharedSubjects: true })
    const [one, two] = [await set.signIn('one', 'ada'), await set.signIn('two', 'ada')]
    expect([set.subOf(one), set.subOf(two)]).toEqual(['a', 'a'])
    const listed = (await (await two.get('/auth/sessions')).json()) as { sessions: unknown[] }
    expect(listed.sessions).toHaveLength(2)
  })

  it('an unverified address as an id: the first person to claim it keeps it, and no other gets in', async () => {
    const profiles = { ada: { email: 'ada@x.example' }, eve: { email: 'ada@x.example' } }
    const set = people({ subject: ({ user }) => user.email ?? undefined }, { profiles })
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe('ada@x.example')
    expect(errorOf(await set.browser().signIn('two', 'eve'))).toBe(NOT_LINKED)
  })

  it('race of a hundred first sign-ins with one id: exactly one account gets it', async () => {
    const set = people({ subject: () => 'a' })
    const ends = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        set.browser().signIn(at % 2 ? 'one' : 'two', `n${at}`),
      ),
    )
    expect(ends.filter(setsSession)).toHaveLength(1)
    expect(ends.filter((end) => errorOf(end) === NOT_LINKED)).toHaveLength(99)
  })

  it('race of a hundred first sign-ins of one account: all get in, as one person', async () => {
    const set = people({ subject: () => 'a' })
    const ends = await Promise.all(
      Array.from({ length: 100 }, () => set.browser().signIn('one', 'ada')),
    )
    expect(ends.filter(setsSession)).toHaveLength(100)
    expect(await document(set, 'subject\na')).toMatchObject({ version: 1 })
  })

  it.each(['document', 'changeDocument', 'put'] as const)(
    'a store that fails at %s signs no user in, and the same account gets in afterwards',
    async (method) => {
      const set = withIds({ 'one ada': 'a', 'two eve': 'a' })
      set.faults.set(method, fails)
      const end = await set.tryToSignIn('one', 'ada')
      expect(setsSession(end)).toBe(false)
      set.faults.delete(method)
      pass(2)
      expect(set.subOf(await set.signIn('one', 'ada'))).toBe('a')
      expect(errorOf(await set.tryToSignIn('two', 'eve'))).toBe(NOT_LINKED)
    },
  )

  it('a claim whose answer is lost is the account’s all the same', async () => {
    const set = withIds({ 'one ada': 'a' })
    const change = set.inner.ledger.changeDocument as (...given: unknown[]) => Promise<boolean>
    set.faults.set('changeDocument', async (...given) => {
      await change(...given)
      throw new Error('The answer is lost.')
    })
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe('a')
  })

  it('an app that refuses a sign-in leaves no claim on its id', async () => {
    let isWelcome = false
    const set = withIds(
      { 'one eve': 'a', 'two ada': 'a' },
      { callbacks: { signIn: () => isWelcome } },
    )
    await set.tryToSignIn('one', 'eve')
    isWelcome = true
    expect(set.subOf(await set.signIn('two', 'ada'))).toBe('a')
  })

  it('a ledger without documents signs no user in', async () => {
    const { document: _, changeDocument: __, enter: ___, ...ledger } = people().inner.ledger
    const { sessions } = people().inner
    const set = people({ subject: () => 'a', store: { sessions, ledger } as never })
    const end = await new Browser(set.config).signIn('one', 'ada')
    expect([end.status, setsSession(end)]).toEqual([503, false])
  })
})

describe('an id that is spelled as another one’s', () => {
  it('a person who names themselves with a victim’s default id is not signed in while there is a trace of the victim', async () => {
    const plain = people()
    const ada = plain.subOf(await plain.signIn('one', 'ada'))
    const set = withIds({ 'two eve': ada })
    for (const begin of [
      () => set.signIn('one', 'ada'),
      async () => new Browser(set.config),
    ] as const) {
      await begin()
      expect(errorOf(await set.tryToSignIn('two', 'eve'))).toBe(NOT_LINKED)
    }
  })

  it.each([false, true])(
    'an id whose victim signed in before subject was there is refused too, shared: %j',
    async (sharedSubjects) => {
      const set = withIds({}, { sharedSubjects })
      const before = set.under({ subject: undefined } as never)
      await before.signIn('one', 'ada')
      set.ids['two eve'] = set.subOf(before)
      expect(errorOf(await set.tryToSignIn('two', 'eve'))).toBe(NOT_LINKED)
      // Ada has her id.
      expect(set.subOf(await set.signIn('one', 'ada'))).toBe(set.subOf(before))
    },
  )

  it.each([false, true])(
    'nor one whose victim has another way since, and no session, shared: %j',
    async (sharedSubjects) => {
      const set = withIds({}, { sharedSubjects })
      const { subject: _, ...without } = set.config
      const before = new Browser(without)
      await before.signIn('one', 'ada')
      await set.add(before, 'two', 'ada-at-two')
      set.ids['two eve'] = set.subOf(before)
      await before.submit('/auth/sessions/revoke', { session: 'all' })
      expect(errorOf(await set.tryToSignIn('two', 'eve'))).toBe(NOT_LINKED)
    },
  )

  it('nor one of an address that signed in before', async () => {
    const set = withIds()
    const { subject: _, ...without } = set.config
    const before = new Browser(without)
    await set.signIn('email', 'ada@mail.example', before)
    set.ids['two eve'] = set.subOf(before)
    expect(errorOf(await set.tryToSignIn('two', 'eve'))).toBe(NOT_LINKED)
  })

  it('a person who took a default id before its account ever came keeps its records to themselves', async () => {
    const plain = people()
    const ada = plain.subOf(await plain.signIn('one', 'ada'))
    for (const sharedSubjects of [false, true]) {
      const set = withIds({ 'two eve': ada }, { sharedSubjects })
      const eve = await set.signIn('two', 'eve')
      expect(set.subOf(eve)).toBe(ada)
      const end = await set.tryToSignIn('one', 'ada')
      expect([errorOf(end), setsSession(end)]).toEqual([NOT_LINKED, false])
    }
  })

  it('an account may be given the id that it has of its own', async () => {
    const plain = people()
    const ada = plain.subOf(await plain.signIn('one', 'ada'))
    const set = withIds({ 'one ada': ada })
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe(ada)
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe(ada)
  })
})

describe('subject that is switched on later', () => {
  it('leaves sessions as they are, and is asked at the next sign-in', async () => {
    const set = withIds({ 'one ada': 'a' })
    const { subject: _, ...without } = set.config
    const before = new Browser(without)
    await before.signIn('one', 'ada')
    const old = set.subOf(before)
    const elsewhere = set.copyOf(before)
    expect((await elsewhere.session())?.user?.id).toBe(old)
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe('a')
    expect((await elsewhere.session())?.user?.id).toBe(old)
  })

  it('leaves a person with several ways their id', async () => {
    const set = withIds({ 'one ada': 'a', 'two ada-at-two': 'b' })
    const { subject: _, ...without } = set.config
    const before = new Browser(without)
    await before.signIn('one', 'ada')
    await set.add(before, 'two', 'ada-at-two')
    const old = set.subOf(before)
    for (const [provider, account] of [
      ['one', 'ada'],
      ['two', 'ada-at-two'],
    ] as const) {
      expect(set.subOf(await set.signIn(provider, account))).toBe(old)
    }
  })

  it('and off again: people have the ids of their accounts, or of their ways', async () => {
    const set = withIds({ 'one ada': 'a', 'one grace': 'g' })
    const ada = await set.signIn('one', 'ada')
    await set.add(ada, 'two', 'ada-at-two')
    await set.signIn('one', 'grace')
    const { subject: _, ...without } = set.config
    const plain = people()
    const own = plain.subOf(await plain.signIn('one', 'grace'))
    expect((await set.copyOf(ada).session())?.user?.id).toBe('a')
    for (const [provider, account, sub] of [
      ['one', 'ada', 'a'],
      ['two', 'ada-at-two', 'a'],
      ['one', 'grace', own],
    ] as const) {
      const after = new Browser(without)
      await after.signIn(provider, account)
      expect(set.subOf(after)).toBe(sub)
    }
  })
})

it('an account of a provider with tokens has them with the session, as without subject', async () => {
  const set = withIds({ 'one ada': 'a' }, { providers: [accountsAt('one')] })
  const ada = await set.signIn('one', 'ada')
  const request = new Request('http://localhost:8787', { headers: { cookie: ada.cookie } })
  expect(await set.auth.getAccessToken(request, {})).toMatchObject({ ok: true, accessToken: 'ada' })
})
