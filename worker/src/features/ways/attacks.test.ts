import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { deriveKeyRing } from '../../lib/key-ring.js'
import credentials from '../../providers/credentials.js'
import fromHono from '../../providers/from-hono.js'
import {
  type Browser,
  claimsIn,
  errorOf,
  locationOf,
  origin,
  secret,
  setsSession,
} from '../../test-support/browser.js'
import { providerAt, testIssuer } from '../../test-support/issuer.js'
import { accountsAt, people } from '../../test-support/people.js'
import type { MiddlewareConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const NOT_THIS_SESSION = '/auth/signin InvalidCheck'
const NOT_LINKED = '/auth/signin OAuthAccountNotLinked'

/** A browser with another one's flow cookies, as after an attacker has tossed them. */
function withFlowsOf(victim: Browser, attacker: Browser): Browser {
  for (const [name, value] of attacker.jar) {
    if (name.includes('flow')) victim.jar.set(name, value)
  }
  return victim
}

describe('the owner of the session', () => {
  it('account fixation: an attacker’s flow that a victim’s browser finishes links nothing and signs no user in', async () => {
    const { signIn, startAdding, comeBack, ways, subOf } = people()
    const eve = await signIn('one', 'eve')
    const start = await startAdding(eve, 'two')
    const ada = withFlowsOf(await signIn('one', 'ada'), eve)
    const end = await comeBack(ada, 'two', start, 'ada-at-two')
    expect([errorOf(end), setsSession(end)]).toEqual([NOT_THIS_SESSION, false])
    expect([await ways(ada), await ways(eve)].map((list) => list.length)).toEqual([1, 1])
    expect(subOf(await signIn('two', 'ada-at-two'))).not.toBe(subOf(eve))
  })

  it('account fixation by a mail: a victim who opens the link, or a page, joins no account', async () => {
    const { signIn, startAdding, lastMail, ways, browser, mails, errors } = people()
    const eve = await signIn('one', 'eve')
    await startAdding(eve, 'email', { email: 'ada@mail.example' })
    const { path, mail } = lastMail()
    expect(mail?.mail.text).toContain('Never share the link or the code with anyone')
    const token = new URL(path, origin).searchParams.get('token') ?? ''
    for (const ada of [browser(), await signIn('two', 'ada')]) {
      const page = await ada.get(path)
      expect([errorOf(page), setsSession(page)]).toEqual(['/auth/error Verification', false])
      const posted = await ada.submit('/auth/callback/email', { token })
      expect([errorOf(posted), setsSession(posted)]).toEqual(['/auth/error Verification', false])
      expect(errors.splice(0).map(({ message }) => message)).toEqual([
        'A link of one session was opened elsewhere.',
        'A link was used that works no longer.',
      ])
    }
    // Nothing was used up: the session that asked may still finish, if its own person reads the mails.
    expect(mails).toHaveLength(1)
    expect(locationOf(await eve.get(path))).toBe(`${origin}/inbox`)
    expect(await ways(eve)).toHaveLength(2)
  })

  it('a link that adds an address does not sign in, however it is spelled', async () => {
    const { signIn, startAdding, lastMail, browser } = people()
    const eve = await signIn('one', 'eve')
    await startAdding(eve, 'email', { email: 'ada@mail.example' })
    const token = new URL(lastMail().path, origin).searchParams.get('token') ?? ''
    const other = token.replace('~', '.')
    expect(other).not.toBe(token)
    const ada = browser()
    const link = await ada.get(`/auth/callback/email?${new URLSearchParams({ token: other })}`)
    expect(errorOf(link)).toBe('/auth/error Verification')
    const posted = await ada.submit('/auth/callback/email', { token: other })
    expect(errorOf(posted)).toBe('/auth/error Verification')
  })

  it('a browser that looks ahead uses up no link that adds an address', async () => {
    const { signIn, startAdding, lastMail, ways } = people()
    const ada = await signIn('one', 'ada')
    await startAdding(ada, 'email', { email: 'ada@mail.example' })
    const ahead = await ada.get(lastMail().path, { 'sec-purpose': 'prefetch' })
    expect([ahead.status, (await ways(ada)).length]).toEqual([503, 1])
    await ada.get(lastMail().path)
    expect(await ways(ada)).toHaveLength(2)
  })

  it.each(['one', 'email'])(
    'link by another’s session: a flow that began in one session adds nothing to the next (%s)',
    async (provider) => {
      const { signIn, startAdding, comeBack, ways, lastMail, mails } = people()
      const browser = await signIn('two', 'ada')
      const email = 'x@mail.example'
      const start = await startAdding(browser, provider, { email })
      const { path, mail } = lastMail()
      await signIn('two', 'eve', browser)
      const end = provider === 'email' ? browser.get(path) : comeBack(browser, provider, start, 'x')
      expect(errorOf(await end)).toBe(NOT_THIS_SESSION)
      if (provider === 'email') {
        const flow = new URL(locationOf(start)).searchParams.get('flow') ?? ''
        const typed = await browser.submit('/auth/callback/email', { flow, code: mail?.code })
        expect(errorOf(typed)).toBe(NOT_THIS_SESSION)
        expect(mails).toHaveLength(1)
      }
      expect(await ways(browser)).toHaveLength(1)
    },
  )

  it('a session of the same person that began later is another one', async () => {
    const { signIn, startAdding, comeBack, ways, errors } = people()
    const browser = await signIn('one', 'ada')
    const start = await startAdding(browser, 'two')
    pass(1)
    await signIn('one', 'ada', browser)
    expect(errorOf(await comeBack(browser, 'two', start, 'x'))).toBe(NOT_THIS_SESSION)
    expect(errors.map(({ message }) => message)).toEqual([
      'A way to sign in is added in the session alone that asked for it.',
    ])
    expect(await ways(browser)).toHaveLength(1)
  })

  it('a session that was signed out elsewhere adds nothing, though its token is still good', async () => {
    const { signIn, startAdding, comeBack, copyOf: copy, ways, subOf } = people()
    const thief = await signIn('one', 'ada')
    const ada = copy(thief)
    const start = await startAdding(thief, 'two')
    await ada.submit('/auth/signout')
    expect(errorOf(await comeBack(thief, 'two', start, 'eve'))).toBe(NOT_THIS_SESSION)
    const back = await signIn('one', 'ada')
    expect(await ways(back)).toHaveLength(1)
    expect(subOf(await signIn('two', 'eve'))).not.toBe(subOf(back))
  })

  it('a session that ends while the provider is asked adds nothing', async () => {
    let whileAsked = async () => {}
    const {
      signIn,
      startAdding,
      comeBack,
      copyOf: copy,
      ways,
    } = people({
      callbacks: {
        signIn: async () => {
          await whileAsked()
          return true
        },
      },
    })
    const ada = await signIn('one', 'ada')
    const start = await startAdding(ada, 'two')
    whileAsked = async () => {
      whileAsked = async () => {}
      await copy(ada).submit('/auth/signout')
    }
    expect(errorOf(await comeBack(ada, 'two', start, 'x'))).toBe(NOT_THIS_SESSION)
    expect(await ways(await signIn('one', 'ada'))).toHaveLength(1)
  })

  it.each(['signout', 'sessions/revoke'])(
    'a session that ends at the last moment, after it was looked at, leaves no way behind (%s)',
    async (path) => {
      const { signIn, startAdding, comeBack, copyOf: copy, ways, faults, inner, subOf } = people()
      const ada = await signIn('one', 'ada')
      const start = await startAdding(ada, 'two')
      faults.set('changeDocument', async (...given) => {
        faults.delete('changeDocument')
        await copy(ada).submit(`/auth/${path}`, { session: 'all' })
        return inner.ledger.changeDocument(...(given as [string, number, string]))
      })
      expect(errorOf(await comeBack(ada, 'two', start, 'eve'))).toBe(NOT_THIS_SESSION)
      pass(2)
      const back = await signIn('one', 'ada')
      expect(await ways(back)).toHaveLength(1)
      expect(subOf(await signIn('two', 'eve'))).not.toBe(subOf(back))
    },
  )

  it('link CSRF: without the csrf token, or from another site, nothing begins; no GET adds or removes', async () => {
    const { signIn, add, ways, browser } = people()
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'x')
    const [, extra] = await ways(ada)
    const way = extra?.id ?? ''
    for (const [path, fields] of [
      ['/auth/ways/add', { provider: 'two' }],
      ['/auth/ways/remove', { way }],
    ] as const) {
      expect(errorOf(await ada.post(path, fields))).toBe('/auth/signin MissingCSRF')
      const csrfToken = await browser().csrfToken()
      expect(errorOf(await ada.post(path, { ...fields, csrfToken }))).toBe(
        '/auth/signin MissingCSRF',
      )
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      expect(errorOf(await ada.submit(path, fields, foreign))).toBe('/auth/signin MissingCSRF')
      expect((await ada.get(`${path}?${new URLSearchParams(fields)}`)).status).toBe(405)
    }
    expect(await ways(ada)).toHaveLength(2)
  })

  it('link CSRF by a callback: an attacker’s code in a victim’s browser links nothing', async () => {
    const { signIn, startAdding, comeBack, ways, copyOf: copy } = people()
    const eve = await signIn('one', 'eve')
    const ada = await signIn('one', 'ada')
    const start = await startAdding(eve, 'two')
    expect(errorOf(await comeBack(ada, 'two', start, 'eve-at-two'))).toBe(NOT_THIS_SESSION)
    // Nor with a flow of Ada's own, whose state the attacker does not know.
    await startAdding(ada, 'two')
    expect(errorOf(await comeBack(ada, 'two', start, 'eve-at-two'))).toBe(NOT_THIS_SESSION)
    expect(await ways(copy(ada))).toHaveLength(1)
  })

  it('replay of a link callback: it is used once, also by the session that began it', async () => {
    const { signIn, startAdding, comeBack, ways, remove, copyOf: copy } = people()
    const ada = await signIn('one', 'ada')
    const start = await startAdding(ada, 'two')
    const replayed = copy(ada)
    expect(locationOf(await comeBack(ada, 'two', start, 'x'))).toBe(`${origin}/inbox`)
    await remove(ada, (await ways(ada))[1]?.id ?? '')
    expect(errorOf(await comeBack(replayed, 'two', start, 'x'))).toBe(NOT_THIS_SESSION)
    expect(await ways(ada)).toHaveLength(1)
  })

  it.each(['link', 'code'])(
    'the %s of a mail that signs in never links, with any session',
    async (by) => {
      const { signIn, browser, ways, subOf, lastMail } = people()
      const ada = await signIn('one', 'ada')
      const before = claimsIn(ada)
      const start = await ada.submit('/auth/signin/email', { email: 'ada@mail.example' })
      const flow = new URL(locationOf(start)).searchParams.get('flow') ?? ''
      const { path, mail } = lastMail()
      const end = await (by === 'link'
        ? ada.get(path)
        : ada.submit('/auth/callback/email', { flow, code: mail?.code }))
      expect(setsSession(end)).toBe(true)
      expect(subOf(ada)).not.toBe(before.sub)
      expect(await ways(await signIn('one', 'ada', browser()))).toHaveLength(1)
    },
  )

  it('a mail that another session asked for adds nothing, though the ledger hands it out', async () => {
    const { signIn, startAdding, lastMail, ways, inner, calls, faults, errors } = people()
    const eve = await signIn('one', 'eve')
    await startAdding(eve, 'email', { email: 'eve@mail.example' })
    const [, eves] = calls.findLast(({ name }) => name === 'startVerification')?.args ?? []
    const { sealed } = eves as { sealed: string }
    faults.set('redeemVerification', async () => ({ state: 'redeemed', sealed }))
    // One to a user who adds an address of their own, and one for a sign-in.
    const ada = await signIn('one', 'ada')
    await startAdding(ada, 'email', { email: 'ada@mail.example' })
    expect(errorOf(await ada.get(lastMail().path))).toBe(NOT_THIS_SESSION)
    const grace = await signIn('one', 'grace')
    await grace.submit('/auth/signin/email', { email: 'grace@mail.example' })
    const end = await grace.get(lastMail().path)
    expect([errorOf(end), setsSession(end)]).toEqual([NOT_THIS_SESSION, false])
    expect(errors.map(({ message }) => message)).toEqual(
      Array(2).fill('A mail belongs to another session.'),
    )
    for (const one of [ada, eve, grace]) expect(await ways(one)).toHaveLength(1)
    expect(await inner.ledger.document(`person\n${claimsIn(ada).sub}`)).toBeUndefined()
  })

  it('a flow of /signin never links, with any session', async () => {
    const { signIn, ways, browser, subOf } = people()
    const ada = await signIn('one', 'ada')
    const before = claimsIn(ada)
    const state = (await ada.start('two')).searchParams.get('state') ?? ''
    const end = await ada.get(`/auth/callback/two?${new URLSearchParams({ code: 'x', state })}`)
    expect([locationOf(end), setsSession(end)]).toEqual([`${origin}/inbox`, true])
    expect(subOf(ada)).not.toBe(before.sub)
    expect(await ways(await signIn('one', 'ada', browser()))).toHaveLength(1)
  })

  it('a flow that adds signs no user in once its browser is signed out', async () => {
    const { signIn, startAdding, comeBack } = people()
    const ada = await signIn('one', 'ada')
    const start = await startAdding(ada, 'two')
    await ada.submit('/auth/signout')
    const end = await comeBack(ada, 'two', start, 'x')
    expect([errorOf(end), setsSession(end), await ada.session()]).toEqual([
      NOT_THIS_SESSION,
      false,
      null,
    ])
  })

  it('a flow that adds is another mount’s to a version that knows of no ways', async () => {
    const { signIn, startAdding } = people()
    const ada = await signIn('one', 'ada')
    const answer = await startAdding(ada, 'two')
    const [flow] = answer.headers.getSetCookie().filter((line) => line.includes('flow'))
    const { flow: sealer } = await deriveKeyRing([secret], Date.now)
    const content = await sealer.open(decodeURIComponent(flow?.split(/[=;]/)[1] ?? ''))
    const features = { ways: { sid: claimsIn(ada).sid } }
    expect(content).toMatchObject({ issuer: `${origin}/auth/ways`, features })
  })

  it('sessions of several people in one request add nothing', async () => {
    const { signIn, startAdding } = people()
    const ada = await signIn('one', 'ada')
    const eve = await signIn('one', 'eve')
    const csrfToken = await ada.csrfToken()
    const cookie = `${ada.cookie}; auth.session-token=${eve.jar.get('auth.session-token')}`
    const answer = await startAdding(ada, 'two', { csrfToken }, { cookie })
    expect(errorOf(answer)).toBe('/auth/signin')
    expect(locationOf(answer)).toContain('maxAge=300')
  })
})

describe('nothing is ever linked by an address', () => {
  it.each([
    ['equal', { email: 'ada@mail.example', email_verified: true }],
    ['unverified', { email: 'ada@mail.example', email_verified: false }],
    ['not said to be verified', { email: 'ada@mail.example' }],
    ['NFKC-equal', { email: 'ａda@mail.example', email_verified: true }],
    ['equal but for case', { email: 'Ada@MAIL.example', email_verified: true }],
    ['look-alike', { email: 'аda@mail.example', email_verified: true }],
    ['look-alike of a host', { email: 'ada@mаil.example', email_verified: true }],
    ['tagged', { email: 'ada+x@mail.example', email_verified: true }],
  ])(
    'an address that is %s signs in as a person of its own, and adds nothing',
    async (_, profile) => {
      const { signIn, add, ways, subOf } = people({}, { profiles: { same: profile } })
      const ada = await signIn('email', 'ada@mail.example')
      const same = await signIn('one', 'same')
      expect(subOf(same)).not.toBe(subOf(ada))
      expect([await ways(ada), await ways(same)].map((list) => list.length)).toEqual([1, 1])
      // With a list of ways on either side, too.
      await add(ada, 'two', 'ada')
      const again = await signIn('one', 'same')
      expect(subOf(again)).toBe(subOf(same))
      expect(errorOf(await add(again, 'email', 'ada@mail.example'))).toBe(NOT_LINKED)
      expect([await ways(ada), await ways(again)].map((list) => list.length)).toEqual([2, 1])
    },
  )

  it('a recycled address is its new owner’s alone: what the old one has added stays theirs', async () => {
    const profiles = { ada: { email: 'a@mail.example', email_verified: true } }
    const { signIn, add, subOf } = people({}, { profiles })
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'ada-at-two')
    // The mailbox has a new owner now, who signs in by mail and by an account with that address.
    const grace = await signIn('email', 'a@mail.example')
    expect(subOf(grace)).not.toBe(subOf(ada))
    const other = people({}, { profiles: { grace: profiles.ada } })
    const two = await other.signIn('two', 'grace')
    expect(other.subOf(two)).not.toBe(subOf(ada))
  })

  it('allowDangerousEmailAccountLinking changes nothing', async () => {
    const profiles = { x: { email: 'ada@mail.example', email_verified: true } }
    const providers = [
      { ...accountsAt('one', profiles), allowDangerousEmailAccountLinking: true },
      { ...accountsAt('two', profiles), allowDangerousEmailAccountLinking: true },
    ]
    const { signIn, subOf } = people({ providers })
    expect(subOf(await signIn('one', 'x'))).not.toBe(subOf(await signIn('two', 'x')))
  })
})

describe('another person’s way', () => {
  it.each([
    ['a session', 0],
    ['another way', 1],
  ])(
    'is refused, and the person learns that after the proof alone: it has %s',
    async (_, extra) => {
      const { signIn, add, ways, startAdding } = people()
      const ada = await signIn('two', 'ada')
      for (let count = 0; count < extra; count++) await add(ada, 'one', `ada-${count}`)
      const eve = await signIn('one', 'eve')
      expect(locationOf(await startAdding(eve, 'two'))).toContain('https://two.example/')
      const before = claimsIn(eve)
      expect(errorOf(await add(eve, 'two', 'ada'))).toBe(NOT_LINKED)
      expect(claimsIn(eve)).toEqual(before)
      const counts = [await ways(ada), await ways(eve)].map((list) => list.length)
      expect(counts).toEqual([1 + extra, 1])
      const page = await (await eve.get('/auth/signin?error=OAuthAccountNotLinked')).text()
      expect(page).toContain('is already in use here, perhaps by you')
    },
  )

  it('an address of another person is refused after its mail alone', async () => {
    const { signIn, add, mails } = people()
    await signIn('email', 'ada@mail.example')
    const eve = await signIn('one', 'eve')
    const before = mails.length
    expect(errorOf(await add(eve, 'email', 'ada@mail.example'))).toBe(NOT_LINKED)
    expect(mails).toHaveLength(before + 1)
  })

  it('an account without an owner may be added', async () => {
    const { signIn, add, ways } = people()
    const old = await signIn('two', 'x')
    await old.submit('/auth/signout')
    const ada = await signIn('one', 'ada')
    expect(locationOf(await add(ada, 'two', 'x'))).toBe(`${origin}/inbox`)
    expect(await ways(ada)).toHaveLength(2)
  })
})

describe('credentials', () => {
  it('cannot be added', async () => {
    const password = credentials({ credentials: {}, authorize: () => ({ id: 'x' }) })
    const { signIn, startAdding, ways } = people({ providers: [accountsAt('one'), password] })
    const ada = await signIn('one', 'ada')
    expect(errorOf(await startAdding(ada, 'credentials'))).toBe('/auth/error AccessDenied')
    expect(await ways(ada)).toHaveLength(1)
  })
})

describe('limits', () => {
  it('adds of one person are counted: after 200 in an hour the answer is 429', async () => {
    const { signIn, startAdding, store, subOf } = people()
    const ada = await signIn('one', 'ada')
    const limits = [{ name: 'adds', max: 200, period: 3600 }]
    for (let count = 0; count < 200; count++) {
      await store.ledger.admit(`ways:${subOf(ada)}`, limits)
    }
    const answer = await startAdding(ada, 'two')
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true])
    const eve = await signIn('one', 'eve')
    expect((await startAdding(eve, 'two')).status).toBe(302)
  })

  it('accounts with names and ids of any length leave room to remove them again', async () => {
    const accounts = Array.from({ length: 19 }, (_, at) => `account-${at}`)
    const name = '\u0001'.repeat(256)
    const described = accounts.map((id) => [id, { sub: id + '\u0001'.repeat(1_000), name }])
    const { signIn, add, ways, remove } = people({}, { profiles: Object.fromEntries(described) })
    const eve = await signIn('one', 'ada')
    const ends = []
    for (const account of accounts) ends.push(errorOf(await add(eve, 'two', account)))
    expect(new Set(ends)).toEqual(new Set(['/inbox', '/auth/error AccessDenied too_many_ways']))
    const list = await ways(eve)
    for (const { id, provider } of list) {
      if (provider === 'two')
        expect(locationOf(await remove(eve, id))).toBe(`${origin}/auth/account`)
    }
    expect(await ways(eve)).toHaveLength(1)
  })

  it('a person has twenty ways at most', async () => {
    const { signIn, add, ways } = people()
    const ada = await signIn('one', 'ada')
    for (let count = 1; count < 20; count++) await add(ada, 'two', `x-${count}`)
    expect(errorOf(await add(ada, 'two', 'x-20'))).toBe('/auth/error AccessDenied too_many_ways')
    expect(await ways(ada)).toHaveLength(20)
  })
})

describe('every kind of sign-in with its own pages', () => {
  /** A middleware as of `@hono/oauth-providers`, without a provider behind it. */
  const middleware: MiddlewareConfig['middleware'] = () => async (c, next) => {
    if (!c.req.query('code')) return c.redirect('https://hono.example/authorize?state=theirs')
    c.set('token' as never, { token: 'the-access-token' } as never)
    c.set('user-hono' as never, { id: c.req.query('code'), name: 'Ada' } as never)
    await next()
  }

  it.each(['test', 'hono'])('adds, and refuses another’s session: %s', async (provider) => {
    const issuer = await testIssuer()
    const { signIn, startAdding, ways, browser, subOf } = people({
      providers: [
        accountsAt('one'),
        providerAt(issuer),
        fromHono({ id: 'hono', name: 'Hono', clientId: 'x', clientSecret: 'y', middleware }),
      ],
    })
    const finish = (one: Browser, start: Response) => {
      const { searchParams } = new URL(locationOf(start))
      // A test issuer's code is the nonce.
      const code = searchParams.get('nonce') ?? 'the-account'
      const back = new URLSearchParams({ code, state: searchParams.get('state') ?? '' })
      return one.get(`/auth/callback/${provider}?${back}`)
    }
    const ada = await signIn('one', 'ada')
    const mine = await startAdding(ada, provider)
    const eves = await signIn('one', 'eve', withFlowsOf(browser(), ada))
    expect(errorOf(await finish(eves, mine))).toBe(NOT_THIS_SESSION)
    const again = await startAdding(ada, provider)
    expect(locationOf(await finish(ada, again))).toBe(`${origin}/inbox`)
    expect((await ways(ada)).map((way) => way.provider)).toEqual(['one', provider])
    const later = browser()
    await finish(later, await later.submit(`/auth/signin/${provider}`, { callbackUrl: '/inbox' }))
    expect(subOf(later)).toBe(subOf(ada))
  })
})

it.each([true, false])(
  'a merge of two people that the configuration asks for is an error at the start, and says so: %s',
  async (merge) => {
    const { browser, errors } = people({ ways: { merge } as object })
    expect((await browser().get('/auth/signin')).status).toBe(500)
    expect(errors.map(String).join()).toContain('nothing merges two people any more')
  },
)
