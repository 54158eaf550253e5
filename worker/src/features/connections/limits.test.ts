import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { customFetch } from '../../lib/symbols.js'
import {
  Browser,
  claimsIn,
  configWith,
  everythingIn,
  origin,
  signInAt,
} from '../../test-support/browser.js'
import { providerAt, testIssuer } from '../../test-support/issuer.js'
import { waitedFor } from '../../test-support/time.js'
import { signedInWithTokens } from '../../test-support/tokens.js'
import type { JWT } from '../../types.js'

const [MINUTE, HOUR, DAY] = [60, 60 * 60, 24 * 60 * 60]

const { pass, takeTimers, advance } = clock()

const given = (serial: number) =>
  expect.objectContaining({ ok: true, accessToken: `the-access-token-${serial}` })
const none = (reason: string) => ({ ok: false, reason })

describe('no secret is in plain text', () => {
  const secret = /the-(?:access|refresh)-token|the-client-secret/

  /** The same text, with every base64 part decoded. */
  function decoded(text: string): string {
    return text.replace(/[\w-]{8,}/g, (run) => Buffer.from(run, 'base64url').toString('latin1'))
  }

  it('in the store, in an answer or in the log, from the sign-in to the sign-out', async () => {
    const { browser, get, calls, errors, server } = await signedInWithTokens({
      callbacks: { jwt: ({ token }) => token },
    })
    const answers: string[] = [browser.cookie]
    const keep = async (response: Response) =>
      answers.push(everythingIn([...response.headers]), await response.text())
    pass(HOUR)
    expect(await get()).toEqual(given(2))
    pass(DAY)
    await keep(await browser.get('/auth/session'))
    server.instead = () => Response.json({ error: 'the-refresh-token-2' }, { status: 400 })
    expect(await get()).toEqual(none('unavailable'))
    server.instead = undefined
    expect(await get()).toEqual(given(3))
    await keep(await browser.submit('/auth/session', { data: 'x' }))
    await keep(await browser.get('/auth/signout'))
    await keep(await browser.submit('/auth/signout'))
    const written = JSON.stringify(calls.filter(({ name }) => /^(put|settle)/.test(name)))
    expect(written.match(/"name"/g)?.length).toBeGreaterThan(3)
    for (const text of [written, everythingIn(calls), answers.join(), everythingIn(errors)]) {
      expect(text).not.toMatch(secret)
      expect(decoded(text)).not.toMatch(secret)
    }
    expect(decoded(answers.join())).toContain('"sid":')
  })
})

describe('the log of an answer that repeats the refresh token', () => {
  const logged = async (refresh_token: string, echo: (token: string) => string) => {
    const { get, server, errors } = await signedInWithTokens()
    server.changes = { refresh_token }
    pass(HOUR)
    await get()
    const refusal = { error: 'slow_down', error_description: echo(refresh_token) }
    server.instead = () => Response.json(refusal, { status: 400 })
    pass(HOUR)
    await get()
    return everythingIn(errors)
  }
  const short = 'the+secret/token=='
  const long = 'the-secret-token.'.repeat(20)

  it('does not show the token', async () => {
    expect(await logged(short, (token) => `Unknown token ${token}.`)).not.toContain('secret')
  })

  // A token that was cut in half would no longer be recognized.
  it('does not show a token that is longer than a log line', async () => {
    expect(await logged(long, (token) => `Unknown token ${token}.`)).not.toContain('secret')
  })

  it('does not show a token that is encoded as in the request', async () => {
    const echo = (token: string) => `Unknown: ${new URLSearchParams({ token })}`
    expect(await logged(short, echo)).not.toContain('secret')
  })
})

describe('removing a secret', () => {
  const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]
  const jwt = ({ token }: { token: JWT }) => token

  it('ends its sessions: no token is returned', async () => {
    const { get, isolate, browser } = await signedInWithTokens({ secret: older })
    pass(HOUR)
    expect(await get()).toEqual(given(2))
    const both = isolate({ secret: [newer, older] })
    expect(await both.get()).toEqual(given(2))
    const during = both.browserOf(browser)
    await during.session()
    const after = isolate({ secret: newer })
    expect(await after.get()).toEqual(none('signed-out'))
    // Its token is signed with the new secret, its record still sealed with the old one.
    expect(await after.get(during.cookie)).toEqual(none('unavailable'))
  })

  // The record is sealed again; the ledger's copy of the same tokens is not, and cannot be opened.
  it('does not affect a session whose record is sealed with the new one', async () => {
    const { get, isolate, browser, errors } = await signedInWithTokens({
      secret: older,
      callbacks: { jwt },
    })
    pass(HOUR)
    expect(await get()).toEqual(given(2))
    pass(DAY)
    const during = isolate({ secret: [newer, older] }).browserOf(browser)
    await during.session()
    pass(DAY)
    const after = isolate({ secret: newer }).browserOf(during)
    const { sexp } = claimsIn(after)
    expect(await after.session()).not.toBeNull()
    const update = await after.submit('/auth/session', { data: 'x' })
    expect([claimsIn(after).sexp, update.status, errors]).toEqual([sexp + DAY, 200, []])
  })
})

describe('limits', () => {
  // The ledger's row ends with the session's end at that time, and is swept out later.
  it('a short, sliding session outlives its row in the ledger', async () => {
    const { browser, get } = await signedInWithTokens({
      session: { maxAge: 20 * MINUTE, updateAge: MINUTE },
    })
    for (let minutes = 0; minutes < 180; minutes += 4) {
      if (minutes === 60) expect(await get()).toEqual(given(2))
      expect([minutes, await browser.session()]).not.toContain(null)
      pass(4 * MINUTE)
    }
  })

  // A Worker's request ends with its client, and a refresh that is cut off loses the new tokens.
  it('a refresh continues when its caller has disconnected', async () => {
    const { auth, browser, server } = await signedInWithTokens()
    const work: Promise<unknown>[] = []
    let handedOver = 0
    server.meanwhile = async () => {
      handedOver = work.length
    }
    pass(HOUR)
    const request = new Request(origin, { headers: { cookie: browser.cookie } })
    const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
    expect(await auth.getAccessToken(request, {}, { waitUntil })).toEqual(given(2))
    expect(handedOver).toBeGreaterThan(0)
  })

  // The holder of the claim makes it, and would take longer than the claim lasts.
  it('a client secret that takes long to make causes no second refresh', async () => {
    const waits = [0, 40_000, 0]
    let made = 0
    const clientSecret = async () => {
      made++
      await new Promise((done) => setTimeout(done, waits.shift() ?? 0))
      return 'the-client-secret'
    }
    takeTimers()
    const { get, server } = await waitedFor(signedInWithTokens({}, { options: { clientSecret } }))
    pass(HOUR)
    const first = get()
    while (made < 2) await new Promise((resolve) => setImmediate(resolve))
    await advance(30_000)
    await waitedFor(Promise.all([first, get()]))
    expect(server.used).toHaveLength(1)
  })

  // Discovery of the endpoints comes before the call to the ledger.
  it('tokens in the ledger are returned while the provider is down', async () => {
    const issuer = await testIssuer()
    issuer.tokens = { refresh_token: 'the-refresh-token' }
    const provider = providerAt(issuer)
    const config = configWith({ providers: [provider] })
    const browser = new Browser(config)
    await signInAt(browser)
    const ask = (fetch: typeof globalThis.fetch) =>
      createAuth({ ...config, providers: [{ ...provider, [customFetch]: fetch }] }).getAccessToken(
        new Request(origin, { headers: { cookie: browser.cookie } }),
      )
    pass(HOUR)
    expect(await ask(issuer.fetch)).toMatchObject({ ok: true })
    issuer.answers['openid-configuration'] = () => new Response(null, { status: 503 })
    // Another isolate has no documents in its cache yet.
    const fresh: typeof fetch = (input, init) => issuer.fetch(input, init)
    expect(await ask(fresh)).toMatchObject({ ok: true })
  })
})
