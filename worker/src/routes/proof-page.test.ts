import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import type { Kind } from '../http/kind.js'
import { oauth } from '../sign-in/oauth/index.js'
import { claimsIn, copyOf, errorOf, locationOf, origin } from '../test-support/browser.js'
import { accountsAt, people } from '../test-support/people.js'
import { provingPeople } from '../test-support/step-up.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const page = '/auth/signin?maxAge=300&acr=1&callbackUrl=%2Finbox'

interface ShownForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

/** The forms of a page and what they post by themselves, without that of signing out. */
function formsIn(html: string): ShownForm[] {
  const forms = html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)
  return [...forms]
    .filter(([, action]) => action !== '/auth/signout')
    .map(([, action = '', inner = '']) => {
      const hidden = inner.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)
      return { action, fields: Object.fromEntries([...hidden].map(([, ...pair]) => pair)) }
    })
}

const actionsIn = (html: string) => formsIn(html).map(({ action }) => action)

describe('GET /signin with maxAge and acr', () => {
  it('offers the person’s own ways that can prove it, in forms that keep the needs', async () => {
    const { signIn, add, browser } = await provingPeople()
    const ada = await signIn('one', 'ada')
    await add(ada, 'test', 'x')
    pass(400)
    expect(actionsIn(await (await ada.get(page)).text())).toEqual(['/auth/signin/one'])
    await signIn('one', 'ada', ada)
    await add(ada, 'email', 'ada@mail.example')
    pass(400)
    const html = await (await ada.get(page)).text()
    expect(html).toContain('<h1>Sign in again</h1>')
    expect(formsIn(html)).toEqual([
      {
        action: '/auth/signin/email',
        fields: {
          csrfToken: expect.any(String),
          callbackUrl: `${origin}/inbox`,
          maxAge: '300',
          acr: '1',
        },
      },
    ])
    // A visitor gets the usual page, which keeps the needs for the errors.
    const usual = formsIn(await (await browser().get(page)).text())
    expect(usual.map(({ action }) => action)).toEqual([
      '/auth/signin/test',
      '/auth/signin/one',
      '/auth/callback/credentials',
      '/auth/signin/email',
    ])
    for (const { fields } of usual) expect(fields).toMatchObject({ maxAge: '300', acr: '1' })
  })

  it('a form of it proves who is signed in, and leads back', async () => {
    const { signIn, now } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const { sid } = claimsIn(ada)
    pass(400)
    const [form] = formsIn(await (await ada.get(page)).text())
    const answer = await ada.post(form?.action ?? '', {
      ...form?.fields,
      username: 'ada',
      password: 'ada',
    })
    expect(locationOf(answer)).toBe(`${origin}/inbox`)
    expect(claimsIn(ada)).toMatchObject({ sid, auth_time: now() })
  })

  it('if none can, it is an ordinary sign-in: its form asks for nothing, and another person may use it', async () => {
    const { signIn, comeBack } = people()
    const ada = await signIn('one', 'ada')
    const { sub, sid } = claimsIn(ada)
    pass(400)
    const forms = formsIn(await (await ada.get(page.replace('&acr=1', ''))).text())
    expect(forms).toEqual([
      {
        action: '/auth/signin/one',
        fields: { csrfToken: expect.any(String), callbackUrl: `${origin}/inbox` },
      },
    ])
    const [{ action, fields } = { action: '', fields: {} }] = forms
    await comeBack(ada, 'one', await ada.post(action, fields), 'ada')
    expect(claimsIn(ada).sub).toBe(sub)
    expect(claimsIn(ada).sid).not.toBe(sid)
    await comeBack(ada, 'one', await ada.submit(action, { callbackUrl: '/inbox' }), 'eve')
    expect(claimsIn(ada).sub).not.toBe(sub)
  })

  it('but keeps that two factors were asked for, which no ordinary sign-in is by itself', async () => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    const html = await (await ada.get('/auth/signin?maxAge=300&acr=2&callbackUrl=%2Finbox')).text()
    expect(formsIn(html)[0]?.fields).toEqual({
      csrfToken: expect.any(String),
      callbackUrl: `${origin}/inbox`,
      acr: '2',
    })
  })

  it('a kind of its own is asked whether it can', async () => {
    let can = true
    const kind: Kind = {
      ...(oauth as never as Kind),
      canStepUp: () => can,
      resolve: (...given) => ({ ...oauth.resolve(...given), kind }),
    }
    const three = { ...accountsAt('three'), kind }
    const { signIn, add } = people({ providers: [three as never, accountsAt('two')] })
    const ada = await signIn('three', 'ada')
    await add(ada, 'two', 'x')
    pass(400)
    expect(actionsIn(await (await ada.get(page)).text())).toEqual(['/auth/signin/three'])
    can = false
    expect(actionsIn(await (await ada.get(page)).text())).toEqual([
      '/auth/signin/three',
      '/auth/signin/two',
    ])
  })

  it('a way whose provider is not configured any more is not offered', async () => {
    const { signIn, add, config } = await provingPeople()
    const ada = await signIn('one', 'ada')
    await add(ada, 'email', 'ada@mail.example')
    pass(400)
    const [test, one] = config.providers ?? []
    const providers = [test, one].flatMap((provider) => provider ?? [])
    const later = copyOf(ada, { ...config, providers })
    expect(actionsIn(await (await later.get(page)).text())).toEqual(['/auth/signin/one'])
  })

  it.each([
    ['maxAge=300', 300, 302],
    ['maxAge=300', 301, 200],
    ['acr=1', 100_000, 302],
    ['acr=2', 0, 200],
    ['maxAge=300&acr=2', 0, 200],
    ['maxAge=x&acr=2', 0, 200],
    ['maxAge=300&acr=x', 300, 302],
    ['maxAge=300&acr=3', 301, 200],
  ])('%s, %i s after the sign-in: %i', async (needs, age, status) => {
    const { signIn } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    pass(age)
    const answer = await ada.get(`/auth/signin?${needs}&callbackUrl=%2Finbox`)
    expect(answer.status).toBe(status)
    const head = await ada.send(`/auth/signin?${needs}&callbackUrl=%2Finbox`, { method: 'HEAD' })
    expect([head.status, locationOf(head)]).toEqual([status, locationOf(answer)])
  })

  it('says what is missing: a fresh sign-in, or a stronger one', async () => {
    const { signIn } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const weak = await (await ada.get('/auth/signin?maxAge=300&acr=2')).text()
    expect(weak).toContain('This needs a stronger sign-in')
    pass(400)
    const stale = await (await ada.get('/auth/signin?maxAge=300&acr=2')).text()
    expect(stale).toContain('You signed in a while ago.')
  })

  it('as JSON it says where to go', async () => {
    const { signIn } = await provingPeople({ pages: { signIn: '/login' } })
    const ada = await signIn('credentials', 'ada')
    const json = { 'x-auth-return-redirect': '1' }
    expect(await (await ada.get(page, json)).json()).toEqual({ url: `${origin}/inbox` })
    pass(400)
    const { url } = (await (await ada.get(page, json)).json()) as { url: string }
    expect(url).toBe(
      `${origin}/login?callbackUrl=${encodeURIComponent(`${origin}/inbox`)}&maxAge=300&acr=1`,
    )
  })
})

describe('a POST that needs a fresh sign-in', () => {
  it('leads to a proof and back to the page, where the same form then works', async () => {
    const { signIn, ways, startAdding, comeBack } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const { sid } = claimsIn(ada)
    pass(400)
    const turned = await startAdding(ada, 'test', { callbackUrl: '/auth/account' })
    const to = new URL(locationOf(turned))
    const [form] = formsIn(await (await ada.get(to.pathname + to.search)).text())
    const fields = { ...form?.fields, username: 'ada', password: 'ada' }
    const back = await ada.post(form?.action ?? '', fields)
    expect(locationOf(back)).toBe(`${origin}/auth/account`)
    const added = await comeBack(ada, await startAdding(ada, 'test'), 'x')
    expect(locationOf(added)).toBe(`${origin}/inbox`)
    expect(await ways(ada)).toHaveLength(2)
    expect(claimsIn(ada).sid).toBe(sid)
  })

  it('an addition by a stale session stays refused while another copy of the cookie is fresh', async () => {
    const { signIn, prove, copyOf, startAdding } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const thief = copyOf(ada)
    pass(400)
    await prove(ada, 'credentials', 'ada')
    const turned = new URL(locationOf(await startAdding(thief, 'test')))
    expect([turned.pathname, turned.searchParams.get('maxAge')]).toEqual(['/auth/signin', '300'])
  })
})

describe('the needs are kept', () => {
  it('by the start of a password, which shows its form', async () => {
    const { signIn } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const fields = { callbackUrl: '/inbox', maxAge: '300', acr: '2' }
    const url = new URL(locationOf(await ada.submit('/auth/signin/credentials', fields)))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      maxAge: '300',
      acr: '2',
      callbackUrl: `${origin}/inbox`,
    })
  })

  it('by the page of an error, whose link leads on', async () => {
    const { signIn, prove } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const end = await prove(ada, 'credentials', 'eve', { maxAge: '300', acr: '1' })
    expect(errorOf(end)).toBe('/auth/error AccessDenied')
    const shown = await ada.get(locationOf(end).slice(origin.length))
    expect(shown.status).toBe(403)
    const [, link = ''] = /href="(\/auth\/signin[^"]*)"/.exec(await shown.text()) ?? []
    const { searchParams } = new URL(origin + link.replaceAll('&amp;', '&'))
    expect(searchParams.get('maxAge')).toBe('300')
    expect(searchParams.get('acr')).toBe('1')
    expect(searchParams.get('callbackUrl')).toBe(`${origin}/inbox`)
  })

  it('by an old form', async () => {
    const { signIn } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const fields = { callbackUrl: '/inbox', acr: '2', csrfToken: 'old' }
    const url = new URL(locationOf(await ada.post('/auth/callback/credentials', fields)))
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'MissingCSRF', acr: '2' })
  })
})

describe('the cost of a proof', () => {
  /** The calls, without the look for endings that an isolate makes every four seconds. */
  const counted = ({ calls }: { calls: readonly { readonly name: string }[] }) =>
    calls.map(({ name }) => name).filter((name) => name !== 'revokedSince')

  it.each([
    // As an ordinary sign-in, but one question about the session in the place of its record, and of the end of the one
    // before. The browser is known, and the ledger says whether that has ended.
    ['credentials', 'ada', ['admit', 'forgive', 'get', 'isRevoked', 'standing']],
    ['test', 'ada', ['enter', 'get', 'standing']],
    ['email', 'ada@mail.example', ['get', 'redeemVerification', 'standing']],
  ])('%s: no write of KV', async (provider, account, expected) => {
    const service = await provingPeople()
    const ada = await service.signIn(provider, account)
    pass(400)
    const begun = await service.start(ada, provider === 'credentials' ? 'test' : provider, {
      maxAge: '300',
      ...(provider === 'email' ? { email: account } : {}),
    })
    service.calls.length = 0
    if (provider === 'test') await service.comeBack(ada, begun, account)
    else if (provider === 'email') await ada.get(service.lastMail().path)
    else await service.prove(ada, provider, account)
    const known = counted(service).filter((name) => name !== 'findVerification')
    expect(known.sort()).toEqual(expected)
  })

  it('its start costs a sign-in’s', async () => {
    const service = await provingPeople()
    const ada = await service.signIn('test', 'ada')
    service.calls.length = 0
    await service.start(ada, 'test', { maxAge: '300' })
    await service.start(ada, 'test')
    expect(counted(service)).toEqual([])
  })

  it('a page for a fresh session asks the ledger once; without the words in the query it does not', async () => {
    const service = await provingPeople()
    const ada = await service.signIn('test', 'ada')
    service.calls.length = 0
    await ada.get(page)
    expect(counted(service)).toEqual(['isRevoked'])
    service.calls.length = 0
    await ada.get('/auth/signin')
    expect(counted(service)).toEqual([])
  })
})
