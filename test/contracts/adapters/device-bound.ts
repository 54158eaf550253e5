import { mintSession } from '@latchkey/session/testing'
import { describe, expect, test, vi } from 'vitest'
import { challengeIn, newDevice, offerIn } from '../../support/bound-device.ts'
import {
  type Adapter,
  BASE,
  Browser,
  binding,
  bound,
  type Config,
  inProcess,
  NAME,
  OFFER,
  ORIGIN,
  over,
  SECRET,
} from './app.ts'

const HTML = { accept: 'text/html' }
const SKIPPED = { 'secure-session-skipped': 'quota_exceeded;session_identifier="lk.1"' }

const modes: readonly (readonly [name: string, config: () => Config])[] = [
  ['in process', () => inProcess()],
  ['over a binding', () => bound()],
]

/** What holds of sessions that are bound to a device, in an app with any adapter. */
export function deviceContract(name: string, adapter: Adapter): void {
  const open = async (config: Config) => new Browser(await adapter.start(config))
  const cookieOf = async (more: object = {}) => {
    const minted = { secret: SECRET, issuer: ORIGIN + BASE, user: { id: 'bo', name: 'Bo' } }
    return (await mintSession({ ...minted, bound: true, ...more })).cookie
  }

  describe(`${name}: a bound session`, () => {
    test('is read, and says so', async () => {
      const browser = await open(inProcess())
      const seen = async (cookie: string) =>
        (await browser.go('/device', { headers: { cookie } })).json()
      expect(await seen(await cookieOf())).toBe(true)
      expect(await seen(await cookieOf({ bound: false }))).toBe(null)
    })

    test('attack: a copy of its cookie is good until its token ends, and no app renews it', async () => {
      const asked: string[] = []
      const browser = await open(bound(asked))
      const at = async (tokenMaxAge: number) => {
        const now = () => Date.now() - 200_000
        const cookie = await cookieOf({ tokenMaxAge: 200 + tokenMaxAge, now })
        const answer = await browser.go('/me', { headers: { cookie } })
        return [answer.status, await answer.json(), answer.headers.getSetCookie()]
      }
      // Near its end, and after it.
      expect(await at(10)).toEqual([200, 'Bo', []])
      expect(await at(-1)).toEqual([200, null, []])
      expect(asked.filter((path) => path === `${BASE}/session`)).toEqual([])
    })
  })

  describe.each(modes)(
    `${name}, %s: a browser that could not renew its session now`,
    (_, config) => {
      test('is not known: no page lets it in, and no cookie is touched', async () => {
        const browser = await open(config())
        const paths = adapter.hasGuard ? ['/me', '/members'] : ['/me']
        for (const path of paths) {
          for (const cookie of ['', 'theme=dark', `${NAME}=`]) {
            const headers = { ...HTML, ...SKIPPED, ...(cookie && { cookie }) }
            const answer = await browser.go(path, { headers })
            expect([path, cookie, answer.status]).toEqual([path, cookie, 503])
            expect([answer.headers.getSetCookie(), answer.headers.get('location')]).toEqual([
              [],
              null,
            ])
            if (path === '/members') expect(answer.headers.get('retry-after')).toBe('5')
          }
        }
        const post = await browser.go('/me', { method: 'POST', headers: SKIPPED })
        expect(post.status).toBe(503)
        expect((await browser.go('/plain', { headers: SKIPPED })).status).toBe(200)
      })

      test('may sign in anew', async () => {
        const browser = await open(config())
        for (const route of ['/csrf', '/providers', '/signin', '/jwks.json']) {
          const { status } = await browser.go(BASE + route, { headers: SKIPPED })
          expect([route, status]).toEqual([route, 200])
        }
        const body = new URLSearchParams({
          csrfToken: await browser.csrfToken(),
          username: 'ann',
          password: 'right',
        })
        const path = `${BASE}/callback/credentials`
        await browser.go(path, { method: 'POST', headers: SKIPPED, body })
        expect(await browser.who(SKIPPED)).toBe('ann')
      })

      test('attack: does not hear that it has signed out, since its session would come back', async () => {
        const browser = await open(config())
        const body = new URLSearchParams({ csrfToken: await browser.csrfToken() })
        const path = `${BASE}/signout`
        const answer = await browser.go(path, { method: 'POST', headers: SKIPPED, body })
        expect([answer.status, answer.headers.get('location')]).toEqual([503, null])
        expect(answer.headers.getSetCookie().join()).not.toContain(NAME)
      })

      test.each([
        ['with a session of others', 'unreachable;session_identifier="of-others"'],
        ['without a session', 'unreachable'],
        ['with ours in another place', 'unreachable;note="lk.1"'],
        ['of 9 KB', `${SKIPPED['secure-session-skipped']}, ${'x'.repeat(9_000)}`],
      ])('attack: a header %s says nothing', async (_name, header) => {
        const browser = await open(config())
        expect(await browser.who({ 'secure-session-skipped': header })).toBe(null)
      })

      test('attack: beside a cookie of ours the header says nothing, whatever the cookie', async () => {
        const browser = await open(config())
        const who = (cookie: string) => browser.who({ cookie, ...SKIPPED })
        expect(await who(await cookieOf())).toBe('Bo')
        expect(await who(await cookieOf({ bound: false }))).toBe('Bo')
        expect(await who(await cookieOf({ tokenMaxAge: -1 }))).toBe(null)
        expect(await who(`${NAME}=forged`)).toBe(null)
      })
    },
  )

  describe(`${name}: a service elsewhere that binds sessions`, () => {
    test('gets the headers of the browser, and the browser gets its own', async () => {
      const seen: Headers[] = []
      const answering = async (url: string, init?: RequestInit) => {
        seen.push(new Request(url, init).headers)
        const headers = new Headers({
          'secure-session-registration': OFFER,
          'secure-session-challenge': '"c2";id="lk.1"',
        })
        return new Response('{}', { headers })
      }
      const browser = await open(over(answering))
      const sent = {
        'secure-session-response': 'a.b.c',
        'sec-secure-session-id': 'lk.1',
        'secure-session-skipped': 'unreachable;session_identifier="lk.1"',
        'secure-session-of-next-year': '1',
        'sec-fetch-site': 'same-origin',
      }
      const answer = await browser.go(`${BASE}/csrf`, { headers: sent })
      expect(Object.fromEntries(seen[0] ?? [])).toMatchObject(sent)
      expect(answer.headers.get('secure-session-registration')).toBe(OFFER)
      expect(answer.headers.get('secure-session-challenge')).toBe('"c2";id="lk.1"')
    })
  })

  describe.each<readonly [string, () => Config]>([
    ['in process', () => inProcess({ boundSessions: true })],
    ['over a binding', () => over(binding({ boundSessions: true }).fetch)],
  ])(`${name}, %s: a browser binds its session`, (_, config) => {
    const SITE = 'https://app.example'
    const SECURE = `__Host-${NAME}`

    /** A browser behind a proxy that ends TLS. */
    async function signedIn() {
      vi.useFakeTimers({ toFake: ['Date'] })
      vi.stubEnv('AUTH_URL', SITE + BASE)
      const browser = await open(config())
      return { browser, entered: await browser.signIn(), device: await newDevice() }
    }
    type Visit = Awaited<ReturnType<typeof signedIn>>

    async function register({ browser, entered, device }: Visit) {
      const { path, challenge } = offerIn(entered)
      const proof = await device.proof(challenge, true)
      const headers = { 'secure-session-response': proof, 'sec-fetch-site': 'same-origin' }
      return browser.go(path, { method: 'POST', headers })
    }
    async function refresh({ browser, device }: Visit, id: string, challenge?: string) {
      const headers = new Headers({ 'sec-secure-session-id': id, cookie: '' })
      if (challenge) headers.set('secure-session-response', await device.proof(challenge))
      return browser.go(`${BASE}/bound/refresh`, { method: 'POST', headers })
    }
    const deviceSeen = async ({ browser }: Visit) => (await browser.go('/device')).json()

    test('at the app’s own origin and base path, and renews it by its key alone', async () => {
      const visit = await signedIn()
      const { browser } = visit
      expect([offerIn(visit.entered).path, await deviceSeen(visit)]).toEqual([
        `${BASE}/bound/register`,
        null,
      ])
      const registered = await register(visit)
      const told = (await registered.json()) as { session_identifier: string }
      expect(told).toMatchObject({
        session_identifier: expect.stringMatching(/^lk\./),
        refresh_url: `${BASE}/bound/refresh`,
        scope: { origin: SITE },
        credentials: [{ type: 'cookie', name: SECURE }],
      })
      expect([registered.status, await deviceSeen(visit), await browser.who()]).toEqual([
        200,
        true,
        'ann',
      ])
      const before = browser.cookies.get(SECURE)
      // Tokens of the same second are the same.
      vi.setSystemTime(Date.now() + 200_000)
      browser.cookies.delete(SECURE)
      const renewed = await refresh(visit, told.session_identifier, challengeIn(registered))
      expect([renewed.status, browser.cookies.has(SECURE)]).toEqual([200, true])
      expect(browser.cookies.get(SECURE)).not.toBe(before)
      expect([await deviceSeen(visit), await browser.who()]).toEqual([true, 'ann'])
      // As a browser whose challenge is used up: it is asked to prove it once more.
      const asked = await refresh(visit, told.session_identifier)
      expect([asked.status, challengeIn(asked)]).toEqual([403, expect.stringMatching(/./)])
      const again = await refresh(visit, told.session_identifier, challengeIn(asked))
      expect(again.status).toBe(200)
    })

    test('attack: no other device renews it', async () => {
      const visit = await signedIn()
      const registered = await register(visit)
      const { session_identifier: id } = (await registered.json()) as { session_identifier: string }
      const thief = { ...visit, device: await newDevice() }
      const answer = await refresh(thief, id, challengeIn(registered))
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
    })

    test('attack: a page of a sibling host registers nothing', async () => {
      const visit = await signedIn()
      const { path, challenge } = offerIn(visit.entered)
      const proof = await visit.device.proof(challenge, true)
      const headers = { 'secure-session-response': proof, 'sec-fetch-site': 'same-site' }
      const answer = await visit.browser.go(path, { method: 'POST', headers })
      expect([answer.status, await answer.json()]).toEqual([403, { error: 'MissingCSRF' }])
      expect(await deviceSeen(visit)).toBe(null)
    })

    test('the service does not know either who asks while the browser cannot renew', async () => {
      const { browser } = await signedIn()
      for (const path of [`${BASE}/session`, `${BASE}/renew?callbackUrl=/`]) {
        const headers = { ...SKIPPED, cookie: 'theme=dark' }
        const answer = await browser.go(path, { headers })
        expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '5'])
        expect(answer.headers.getSetCookie()).toEqual([])
      }
      expect((await browser.go(`${BASE}/session`, { headers: SKIPPED })).status).toBe(200)
    })
  })

  describe.runIf(adapter.hasGuard)(`${name}: a guard that asks for a bound session`, () => {
    const now = Math.floor(Date.now() / 1000)

    test('lets one pass', async () => {
      const browser = await open(inProcess())
      const cookie = await cookieOf()
      for (const path of ['/vault', '/safe']) {
        expect(await (await browser.go(path, { headers: { cookie } })).json()).toBe('Bo')
      }
      const old = await cookieOf({ authTime: now - 100 })
      expect((await browser.go('/vault', { headers: { cookie: old } })).status).toBe(200)
    })

    test('attack: a session that is not bound is sent to sign in, or refused', async () => {
      const browser = await open(inProcess())
      const cookie = await cookieOf({ bound: false, session: { bound: true } })
      const page = await browser.go('/vault?a=1', { headers: { ...HTML, cookie } })
      expect([page.status, page.headers.get('location')]).toEqual([
        302,
        `${BASE}/signin?bound=1&callbackUrl=%2Fvault%3Fa%3D1`,
      ])
      for (const init of [{ method: 'POST' }, { headers: { accept: 'application/json' } }]) {
        const headers = { ...init.headers, cookie, referer: `${ORIGIN}/home` }
        const answer = await browser.go('/vault', { ...init, headers })
        expect([answer.status, await answer.json()]).toEqual([
          401,
          {
            error: 'BoundSessionRequired',
            bound: true,
            url: `${ORIGIN}${BASE}/signin?bound=1&callbackUrl=%2Fhome`,
          },
        ])
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
      }
      const nobody = await browser.go('/vault', { method: 'POST' })
      expect([nobody.status, await nobody.json()]).toEqual([401, { error: 'SessionRequired' }])
    })

    test('attack: a bound token that has ended, is another service’s, is forged, or comes as a bearer lets nobody in', async () => {
      const browser = await open(inProcess())
      const good = await cookieOf()
      const token = good.slice(good.indexOf('=') + 1)
      const [head, payload, signature = ''] = token.split('.')
      const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
      const wrong: Record<string, string>[] = [
        { cookie: await cookieOf({ tokenMaxAge: -1 }) },
        { cookie: await cookieOf({ issuer: `https://other.example${BASE}` }) },
        { cookie: await cookieOf({ secret: `another ${SECRET}` }) },
        { cookie: `${NAME}=${head}.${payload}.${signature.split('').toReversed().join('')}` },
        { cookie: `${NAME}=${unsigned}.${payload}.` },
        { cookie: '', authorization: `Bearer ${token}` },
        { cookie: `other=${token}` },
      ]
      for (const headers of wrong) {
        for (const path of ['/vault', '/safe']) {
          const answer = await browser.go(path, { method: 'POST', headers })
          expect([path, headers, answer.status, await answer.json()]).toEqual([
            ...[path, headers, 401],
            { error: 'SessionRequired' },
          ])
          const page = await browser.go(path, { headers: { ...HTML, ...headers } })
          expect([path, page.status, page.headers.get('location')]).toEqual([
            ...[path, 302],
            expect.stringMatching(/^\/(?:login\?|auth\/signin\?callbackUrl=)/),
          ])
        }
      }
    })

    test.each([true, false])(
      'attack: an old session has to be fresh as well, in one: bound %s',
      async (isBound) => {
        const browser = await open(inProcess())
        const cookie = await cookieOf({ bound: isBound, authTime: now - 100 })
        const page = await browser.go('/safe', { headers: { ...HTML, cookie } })
        expect(page.headers.get('location')).toBe(
          `${BASE}/signin?maxAge=60&bound=1&callbackUrl=%2Fsafe`,
        )
        const answer = await browser.go('/safe', { method: 'POST', headers: { cookie } })
        expect([answer.status, await answer.json()]).toMatchObject([
          401,
          { error: 'FreshSignInRequired', maxAge: 60, bound: true },
        ])
        expect(answer.headers.get('www-authenticate')).toContain('max_age="60"')
      },
    )
  })
}
