import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn, locationOf, origin } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'

const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:144.0) Firefox/144.0' }

// The clock stands late in a second, since signing out everywhere waits for the next one.
const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

interface Listed {
  readonly id: string
  readonly current: boolean
}

async function listed(browser: Browser): Promise<readonly Listed[]> {
  const answer = await browser.get('/auth/sessions')
  return ((await answer.json()) as { sessions: readonly Listed[] }).sessions
}

const idsOf = async (browser: Browser) => (await listed(browser)).map(({ id }) => id)
const sidOf = (browser: Browser) => claimsIn(browser).sid
const revoke = (browser: Browser, session: string, headers = {}) =>
  browser.submit('/auth/sessions/revoke', { session }, headers)

describe('GET /sessions', () => {
  it('lists the user’s own sessions, the current one first, then the latest', async () => {
    const { signIn } = deployment()
    const first = await signIn('ada', undefined, firefox)
    pass(10)
    const second = await signIn()
    pass(10)
    const third = await signIn()
    pass(60)
    expect(await idsOf(first)).toEqual([first, third, second].map(sidOf))
    expect(await idsOf(second)).toEqual([second, third, first].map(sidOf))
    const [own, , other] = await listed(second)
    expect(own).toMatchObject({ current: true, provider: 'credentials', device: 'Unknown device' })
    expect(other).toEqual({
      id: sidOf(first),
      current: false,
      provider: 'credentials',
      device: 'Firefox on Windows',
      place: null,
      created: '2026-11-01T00:00:00.000Z',
      lastUsed: '2026-11-01T00:00:00.000Z',
      expires: '2026-12-01T00:00:00.000Z',
    })
  })

  it('shows the current session from the request itself if KV does not list it yet', async () => {
    const { signIn, isolate, copyAt } = deployment()
    const browser = await signIn()
    const elsewhere = copyAt(browser, isolate('elsewhere'))
    const answer = await elsewhere.get('/auth/sessions', firefox)
    expect(await answer.json()).toMatchObject({
      sessions: [{ id: sidOf(browser), current: true, device: 'Firefox on Windows' }],
    })
  })

  it('shows no other user’s session, and none that is over though KV still lists it', async () => {
    const { signIn, kv } = deployment()
    const ada = await signIn('ada')
    const grace = await signIn('grace')
    pass(60)
    const over = await signIn('ada')
    pass(60)
    kv.before.set('delete', () => Promise.reject(new Error('429')))
    await over.submit('/auth/signout')
    expect(await idsOf(ada)).toEqual([sidOf(ada)])
    expect(await idsOf(grace)).toEqual([sidOf(grace)])
  })

  it('returns no credential: no token, no sealed value, no full user agent', async () => {
    const { signIn, kv } = deployment()
    const browser = await signIn('ada', undefined, firefox)
    pass(60)
    const text = await (await browser.get('/auth/sessions')).text()
    const record = JSON.parse(kv.value(kv.keys[0] ?? '') ?? '')
    for (const secret of [browser.jar.get('auth.session-token'), record.sealed, 'Mozilla']) {
      expect(text).not.toContain(secret)
    }
  })

  it.each([
    ['no cookie', ''],
    ['an invalid cookie', 'auth.session-token=x'],
  ])('%s: 401', async (_, cookie) => {
    const { browserAt } = deployment()
    const answer = await browserAt().get('/auth/sessions', { cookie })
    expect([answer.status, await answer.json()]).toEqual([401, { error: 'SignedOut' }])
  })

  it('is private, and HEAD changes nothing', async () => {
    const { signIn, kv } = deployment()
    const browser = await signIn()
    kv.calls.length = 0
    const answer = await browser.send('/auth/sessions', { method: 'HEAD' })
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect([answer.status, answer.headers.getSetCookie(), kv.count('put')]).toEqual([200, [], 0])
  })
})

describe('POST /sessions/revoke', () => {
  it('an id ends that session, everywhere and for good, and no other', async () => {
    const { signIn, isolate, copyAt, settled, kv } = deployment()
    const [one, two] = [await signIn(), await signIn()]
    pass(60)
    const answer = await revoke(one, sidOf(two))
    expect([answer.status, locationOf(answer)]).toEqual([302, `${origin}/auth/account`])
    pass(5)
    expect(await copyAt(two, isolate('elsewhere')).session()).toBeNull()
    expect(await one.session()).not.toBeNull()
    expect(await idsOf(one)).toEqual([sidOf(one)])
    await settled()
    expect(kv.keys).toHaveLength(1)
  })

  it('the current session’s id signs out here: the cookie is removed, the csrf token is new', async () => {
    const { signIn } = deployment()
    const browser = await signIn()
    const { cookie } = browser
    const csrf = browser.jar.get('auth.csrf-token')
    await revoke(browser, sidOf(browser))
    expect(browser.jar.has('auth.session-token')).toBe(false)
    expect(browser.jar.get('auth.csrf-token')).not.toBe(csrf)
    expect(await (await browser.get('/auth/session', { cookie })).json()).toBeNull()
  })

  it('the id of another user’s session: not found, nothing revealed, nothing ended', async () => {
    const { signIn, ledgers } = deployment()
    const [ada, grace] = [await signIn('ada'), await signIn('grace')]
    pass(60)
    ledgers.calls.length = 0
    const [theirs, noneAtAll] = [await revoke(ada, sidOf(grace)), await revoke(ada, 'A'.repeat(22))]
    expect(await grace.session()).not.toBeNull()
    expect([theirs.status, locationOf(theirs), await theirs.text()]).toEqual([
      noneAtAll.status,
      locationOf(noneAtAll),
      await noneAtAll.text(),
    ])
    expect(ledgers.count('revoke')).toBe(0)
  })

  it('others ends all but this one', async () => {
    const { signIn } = deployment()
    const [one, two, three] = [await signIn(), await signIn(), await signIn()]
    pass(60)
    await revoke(two, 'others')
    expect([await one.session(), await three.session()]).toEqual([null, null])
    expect(await two.session()).not.toBeNull()
    expect(await idsOf(two)).toEqual([sidOf(two)])
  })

  it('all ends this one as well', async () => {
    const { signIn, settled, kv } = deployment()
    const [one, two] = [await signIn(), await signIn()]
    pass(60)
    await revoke(one, 'all')
    expect([await one.session(), await two.session()]).toEqual([null, null])
    expect(one.jar.has('auth.session-token')).toBe(false)
    await settled()
    expect(kv.keys).toEqual([])
  })

  it('emits signOut when it ends the current session', async () => {
    const signOut = vi.fn()
    const { signIn } = deployment({ events: { signOut } })
    const [one, two] = [await signIn(), await signIn()]
    pass(60)
    await revoke(one, sidOf(two))
    expect(signOut).not.toHaveBeenCalled()
    await revoke(one, 'all')
    expect(signOut.mock.calls).toMatchObject([[{ session: { user: { name: 'ada' } } }]])
  })

  it.each(['', 'everything', 'ALL', '../x', 'a'.repeat(65), '[object Object]'])(
    'session=%j is a 400',
    async (session) => {
      const { signIn } = deployment()
      expect((await revoke(await signIn(), session)).status).toBe(400)
    },
  )

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['without the csrf token', { session: 'all' }, {}],
    ['with another one', { session: 'all', csrfToken: 'x' }, {}],
    ['from another site', { session: 'all' }, { 'sec-fetch-site': 'cross-site' }],
  ])('%s no session ends', async (_, fields, headers) => {
    const { signIn } = deployment()
    const browser = await signIn()
    const csrfToken = headers['sec-fetch-site'] ? await browser.csrfToken() : ''
    const answer = await browser.post('/auth/sessions/revoke', { csrfToken, ...fields }, headers)
    expect(locationOf(answer)).toContain('error=MissingCSRF')
    expect(await browser.session()).not.toBeNull()
  })

  it('redirects to the callbackUrl, if that is safe', async () => {
    const { signIn } = deployment()
    const browser = await signIn()
    for (const [callbackUrl, target] of [
      ['/settings', `${origin}/settings`],
      ['https://evil.example/', `${origin}/`],
    ] as const) {
      const fields = { session: 'others', callbackUrl }
      expect(locationOf(await browser.submit('/auth/sessions/revoke', fields))).toBe(target)
    }
  })
})

describe('a browser with an ended session', () => {
  it.each(['one by one', 'all at once'])('can neither list nor revoke: %s', async (how) => {
    const { signIn, isolate, copyAt } = deployment()
    const [owner, stolen] = [await signIn(), await signIn()]
    pass(60)
    // This isolate has not seen the end yet.
    const thief = copyAt(stolen, isolate('elsewhere'))
    expect(await thief.session()).not.toBeNull()
    await revoke(owner, how === 'one by one' ? sidOf(stolen) : 'others')
    expect(await thief.session()).not.toBeNull()
    expect((await thief.get('/auth/sessions')).status).toBe(401)
    const again = copyAt(stolen, isolate('far away'))
    for (const session of [sidOf(owner), 'others', 'all']) await revoke(again, session)
    expect(await owner.session()).not.toBeNull()
    expect(await idsOf(owner)).toEqual([sidOf(owner)])
  })
})
