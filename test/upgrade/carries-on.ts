import { createHmac, hkdfSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser, isSignedIn, locationOf } from './browser.ts'
import type { Deployed } from './deployed.ts'
import {
  BOTH_SECRETS,
  clockAt,
  DAY,
  HOUR,
  type LedgerName,
  MINUTE,
  NEWER_SECRET,
  otherCode,
  SHARDS,
  type State,
} from './story.ts'
import { UPGRADE } from './upgrade-time.ts'

/**
 * The promises when one version takes over the state of another: no user is signed out, no ended
 * session comes back, and every sign-in that was begun can be finished.
 *
 * @param begin the Worker that takes over, on the given state
 * @param knowsFinished does its ledger say that a flow was finished? With several objects, version
 * 0.2 does not look where this version marks a flow as finished; then only the rule holds that a
 * code works once
 * @param namedUsers did the previous version's feed list cut-offs by `sub`? Only 0.1's does
 */
export function carriesOn(
  ledger: LedgerName,
  begin: () => Promise<{ worker: Deployed; state: State }>,
  { knowsFinished = true, namedUsers = false } = {},
): void {
  const shards = SHARDS[ledger].after
  let worker: Deployed
  let state: State

  beforeAll(async () => {
    ;({ worker, state } = await begin())
  })
  afterAll(() => worker?.stop())

  /** A time in seconds after the upgrade, in an isolate of the test's own, or in another. */
  const at = (later = 0, secrets: Record<string, string> = BOTH_SECRETS, isolate = 'here') => {
    const ISOLATE = encodeURIComponent(`${isolate}, ${expect.getState().currentTestName}`)
    const env = { ...secrets, AUTH_LEDGER_SHARDS: shards, ISOLATE }
    return { now: clockAt(later), env }
  }
  const browserOf = (name: string) => {
    const cookies = state.browsers[name]
    if (!cookies) throw new Error(`There are no cookies of "${name}".`)
    return new Browser(worker, cookies)
  }
  const inSeconds = (expires: string | undefined) => (Date.parse(expires ?? '') - UPGRADE) / 1000

  describe('a signed-in person', () => {
    const people = [
      ['fresh', 'fresh'],
      ['extended', 'extended'],
      ['planned', 'planned'],
      ['big', 'big'],
      ['ada', 'ada'],
      ['lena', 'lena'],
      ['grace', 'grace'],
      ['alan again', 'alan'],
      ['finished', 'finished'],
      ['mail used', null],
      ['retired', 'retired'],
    ] as const

    test.each(people)('%s is still signed in, and is the same person', async (name, called) => {
      const browser = browserOf(name)
      const { sub, sid } = browser.claims
      const seen = await browser.session(at())
      expect(seen?.user.name).toBe(called)
      const { id } = browser.claims.session.user
      expect(seen?.user.id).toBe(sub)
      expect([sub, undefined]).toContain(id)
      expect(browser.claims).toMatchObject({ sub, sid })
    })

    test.each(people)('%s is renewed when the token ends', async (name) => {
      const browser = browserOf(name)
      const { sub } = browser.claims
      expect((await browser.session(at(6 * MINUTE)))?.user.id).toBe(sub)
      expect(browser.claims.exp).toBe(UPGRADE / 1000 + 11 * MINUTE)
    })

    test('a new sign-in gives the same person', async () => {
      const browser = new Browser(worker)
      await browser.signIn('alan', at(20))
      expect(browser.claims.sub).toBe(browserOf('alan again').claims.sub)
      await browser.signInAt('plain', 'ada', at(20))
      expect(browser.claims.sub).toBe(browserOf('ada').claims.sub)
    })

    test('values that the callbacks store are kept, and a session is extended when that is due', async () => {
      const browser = browserOf('planned')
      const seen = await browser.session(at())
      expect(seen?.plan).toBe('gold')
      expect(inSeconds(seen?.expires)).toBe(30 * DAY)
      expect((await browser.session(at(29 * DAY)))?.plan).toBe('gold')
    })

    test('a cookie in pieces is read and written', async () => {
      const browser = browserOf('big')
      const seen = await browser.session(at(2 * HOUR))
      expect(seen?.notes).toHaveLength(4000)
      expect(Object.keys(browser.cookies).filter((name) => /[.][01]$/.test(name))).toHaveLength(2)
      expect((await browser.session(at(2 * HOUR)))?.notes).toHaveLength(4000)
    })

    test('an update reaches the record', async () => {
      const browser = browserOf('finished')
      const answer = await browser.post('/auth/session', { data: 'Finn' }, at())
      expect(await answer.json()).toMatchObject({ nickname: 'Finn' })
      expect((await browser.session(at(HOUR)))?.nickname).toBe('Finn')
    })

    test('the list of one’s sessions shows them with their devices', async () => {
      const answer = await browserOf('grace').go('/auth/sessions', at())
      const { sessions } = (await answer.json()) as { sessions: Record<string, unknown>[] }
      expect(sessions).toMatchObject([{ current: true, device: 'Firefox on Windows' }])
    })

    test('a form that was open is accepted with its csrf token', async () => {
      const browser = browserOf('visitor')
      const [cookie = ''] = Object.values(browser.cookies)
      const [csrfToken = ''] = cookie.split('.')
      const fields = { csrfToken, username: 'visitor', password: 'right', callbackUrl: '/inbox' }
      const post = { method: 'POST', body: new URLSearchParams(fields) }
      expect(isSignedIn(await browser.go('/auth/callback/credentials', at(), post))).toBe(true)
    })
  })

  describe('tokens of the provider', () => {
    test('the refreshed token is used, and then refreshed with its refresh token', async () => {
      const browser = browserOf('ada')
      const now = await browser.token(at())
      expect(now).toMatchObject({ ok: true, accessToken: 'access.ada.2' })
      const later = await browser.token(at(HOUR))
      expect(later).toMatchObject({ ok: true, accessToken: 'access.ada.3' })
      expect(await browser.token(at(HOUR, BOTH_SECRETS, 'there'))).toEqual(later)
    })

    test('a refresh that was under way is made by another caller when its claim has ended', async () => {
      const answer = await browserOf('lena').token(at(30))
      expect(answer).toMatchObject({ ok: true, accessToken: 'access.lena.2' })
    })
  })

  const ended = ['gone', 'alan', 'alan elsewhere', 'grace elsewhere', 'otto', 'omar', 'olga']

  describe('an ended session does not come back', () => {
    test.each(ended)('%s', async (name) => {
      // Two of the sessions were ended while their token was live; it lives a minute more.
      for (const later of [0, 10 * MINUTE]) {
        const browser = browserOf(name)
        expect(await browser.session(at(later))).toBeNull()
        expect(await browser.token(at(later))).toEqual({ ok: false, reason: 'signed-out' })
        expect((await browserOf(name).go('/auth/sessions', at(later))).status).toBe(401)
      }
    })

    test('removing a secret ends its sessions, and no others', async () => {
      const retired = at(0, NEWER_SECRET)
      expect(await browserOf('retired').session(retired)).toBeNull()
      const { user } = (await browserOf('extended').session(retired)) ?? {}
      expect(user?.name).toBe('extended')
    })

    test('the feed tells apps of it', async () => {
      const answer = await worker.ask('/auth/revocations', at())
      const feed = payloadOf(await answer.text())
      const [before, omar, olga] = [payloadOf(state.feed), browserOf('omar'), browserOf('olga')]
      const until = UPGRADE / 1000 - 30
      const members = ['iss', 'next', 'sids', 'since', 'users', 'window']
      for (const [{ sids, users, cutoffs, ...rest }, areNamed] of [
        [before, namedUsers],
        [feed, false],
      ] as const) {
        expect(sids).toContain(omar.claims.sid)
        expect(Object.keys({ sids, users, ...rest }).sort()).toEqual(members)
        if (areNamed) expect(users).toContainEqual({ sub: olga.claims.sub, until })
        else expect(users).toEqual([])
        for (const secret of Object.values(BOTH_SECRETS)) {
          const pid = pidOf(olga.claims.sub, secret)
          expect(cutoffs ?? []).toEqual(areNamed ? [] : expect.arrayContaining([{ pid, until }]))
        }
      }
    })
  })

  describe('a sign-in that was begun', () => {
    test.each(['plain', 'open', 'posting', 'x'])(
      'a sign-in at “%s” is finished, once',
      async (provider) => {
        const name = `started ${provider}`
        const path = state.paths[name] ?? ''
        const [browser, again] = [browserOf(name), browserOf(name)]
        expect(isSignedIn(await browser.go(path, at()))).toBe(true)
        expect((await browser.session(at()))?.user.name).toBe(`started-${provider}`)
        expect(isSignedIn(await again.go(path, at()))).toBe(false)
        expect(await again.session(at())).toBeNull()
      },
    )

    test('a sign-in that was finished is not finished again', async () => {
      const browser = browserOf('finished before')
      const answer = await browser.go(state.paths.finished ?? '', at())
      // By chance the flow's own object may be that of the way.
      const errors = ['InvalidCheck', ...(knowsFinished ? [] : ['OAuthCallbackError'])]
      expect(errors).toContain(locationOf(answer).searchParams.get('error'))
      expect(await browser.session(at())).toBeNull()
    })

    test('a link works once, in the browser that asked', async () => {
      const path = linkIn(state, 'link')
      const [browser, again] = [browserOf('mail link'), browserOf('mail link')]
      expect(isSignedIn(await browser.go(path, at()))).toBe(true)
      expect((await browser.session(at()))?.user.email).toBe('link@mail.example')
      expect((await again.go(path, at())).status).not.toBe(200)
      expect(await again.session(at())).toBeNull()
    })

    test('a link works elsewhere after a confirmation', async () => {
      const browser = new Browser(worker)
      const path = linkIn(state, 'elsewhere')
      expect(await (await browser.go(path, at())).text()).toContain('elsewhere@mail.example')
      const token = new URLSearchParams(path.split('?')[1]).get('token') ?? ''
      expect(isSignedIn(await browser.post('/auth/callback/email', { token }, at()))).toBe(true)
    })

    const enter = (name: string, off = 0) => {
      const mailed = state.mails[`${name}@mail.example`]?.code ?? ''
      const code = off === 0 ? mailed : otherCode(mailed, off)
      const fields = { flow: state.paths[`mail ${name}`] ?? '', code }
      return browserOf(`mail ${name}`).post('/auth/callback/email', fields, at())
    }

    test('wrong codes go on counting, and the right one works while it may', async () => {
      for (const off of [3, 4]) {
        expect(locationOf(await enter('code', off)).searchParams.get('code')).toBe('wrong_code')
      }
      expect(isSignedIn(await enter('code'))).toBe(true)
    })

    test('only the link works after five wrong codes', async () => {
      expect(locationOf(await enter('spent')).searchParams.get('code')).toBe('spent_code')
      expect(isSignedIn(await browserOf('mail spent').go(linkIn(state, 'spent'), at()))).toBe(true)
    })

    test('a used code no longer works, and a newer mail has replaced an older one', async () => {
      const fields = { flow: state.paths['mail used'] ?? '', code: codeIn(state, 'used') }
      const used = await browserOf('mail used before').post('/auth/callback/email', fields, at())
      expect(isSignedIn(used)).toBe(false)
      // The code is from the newer mail, the flow from the older one.
      expect(isSignedIn(await enter('replaced'))).toBe(false)
      const path = linkIn(state, 'replaced')
      expect(isSignedIn(await browserOf('mail replaced').go(path, at()))).toBe(true)
    })

    test('mails and flows end at their own time', async () => {
      const late = at(15 * MINUTE)
      const path = state.paths['started plain'] ?? ''
      expect(isSignedIn(await browserOf('started plain').go(path, late))).toBe(false)
      expect(
        isSignedIn(await browserOf('mail elsewhere').go(linkIn(state, 'elsewhere'), late)),
      ).toBe(false)
    })
  })

  describe('attempts', () => {
    const guess = (name: string, network: string, later: number, password = 'wrong') => {
      const headers = { 'cf-connecting-ip': network }
      return browserOf(name).signIn(name, { ...at(later), headers }, password)
    }

    test('a client that guessed too often still waits, and no longer than before', async () => {
      expect((await guess('victor', '192.0.2.10', 0, 'right')).status).toBe(429)
      expect(isSignedIn(await guess('victor', '192.0.2.10', 11 * MINUTE, 'right'))).toBe(true)
    })

    test('attempts that were counted still count', async () => {
      for (let count = 4; count < 10; count++) {
        expect((await guess('vera', '192.0.2.20', 0)).status).toBe(302)
      }
      expect((await guess('vera', '192.0.2.20', 0, 'right')).status).toBe(429)
    })
  })

  describe('a signed-in person can end the session', () => {
    test('by signing out', async () => {
      const [browser, copy] = [browserOf('fresh'), browserOf('fresh')]
      await browser.post('/auth/signout', {}, at(20))
      expect(await copy.session(at(20))).toBeNull()
      expect(await copy.session(at(10 * MINUTE, BOTH_SECRETS, 'there'))).toBeNull()
    })

    test('everywhere', async () => {
      const [browser, copy] = [browserOf('alan again'), browserOf('alan again')]
      await browser.post('/auth/sessions/revoke', { session: 'all' }, at(20))
      expect(await copy.session(at(10 * MINUTE, BOTH_SECRETS, 'there'))).toBeNull()
    })
  })

  test('rows that are over are swept out, and no ended session comes back by that', async () => {
    await worker.sweep(shards, clockAt(2 * HOUR))
    for (const name of ended) {
      expect(await browserOf(name).session(at(2 * HOUR))).toBeNull()
    }
  })

  test('the public keys are the same', async () => {
    expect(await (await worker.ask('/auth/jwks.json', at())).json()).toEqual(state.jwks)
  })
}

function payloadOf(jwt: string): { sids: string[]; users: unknown[]; cutoffs?: unknown[] } {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}

function linkIn({ mails }: State, name: string): string {
  const { pathname, search } = new URL(mails[`${name}@mail.example`]?.url ?? '')
  return pathname + search
}

function codeIn({ mails }: State, name: string): string {
  return mails[`${name}@mail.example`]?.code ?? ''
}

/** The name of a user in tokens and in the feed, as docs/session-token.md has it. */
function pidOf(sub: string, secret: string): string {
  const key = hkdfSync('sha256', secret, '', 'latchkey/pid/hmac-sha256/v1', 32)
  const mac = createHmac('sha256', Buffer.from(key)).update(sub).digest()
  return mac.subarray(0, 9).toString('base64url')
}
