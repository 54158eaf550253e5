import { discordAuth } from '@hono/oauth-providers/discord'
import { createSandbox } from '@latchkey/sandbox'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createSealer } from '../../lib/seal.js'
import { customFetch } from '../../lib/symbols.js'
import fromHono from '../../providers/from-hono.js'
import videoapp from '../../providers/videoapp.js'
import {
  copyOf,
  locationOf,
  secret,
  setsSession,
  withoutReference,
} from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import {
  answerTo,
  type Place,
  pathOf,
  placeAt,
  previewOrigin,
  proxyAndPreview,
  proxyOrigin,
  shared,
} from '../../test-support/previews.js'
import type { Profile, Provider } from '../../types.js'

const { pass } = clock()
const inbox = `${previewOrigin}/inbox`
const refusedAt = (at: string) => `${at}/auth/signin?error=InvalidCheck`

let issuer: TestIssuer

beforeEach(async () => {
  issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })
})

/** The requests with a code that the issuer got. */
const exchanges = () => issuer.requests.filter(({ method }) => method === 'POST')

/** Starts at the preview, and brings the provider's answer to the proxy. */
async function throughProxy(
  proxy: Place,
  preview: Place,
  changes: Record<string, string> = {},
): Promise<{ started: URL; passed: Response }> {
  const started = await preview.browser.start('test')
  const passed = await proxy.browser.get(answerTo(started, changes))
  return { started, passed }
}

/** A sealed value of which one character is another. */
function damaged(path: string): string {
  const at = path.indexOf('passed=') + 40
  return path.slice(0, at) + (path[at] === 'A' ? 'B' : 'A') + path.slice(at + 1)
}

describe('a preview signs in through the proxy', () => {
  it.each([previewOrigin, 'http://localhost:4321', 'http://127.0.0.1:5173'])(
    '%s: with the one redirect URI, and with no part of the answer in the clear',
    async (at) => {
      const { proxy, preview } = proxyAndPreview(issuer, at)
      const started = await preview.browser.start('test')
      expect(started.searchParams.get('redirect_uri')).toBe(`${proxyOrigin}/auth/callback/test`)
      const passed = await proxy.browser.get(answerTo(started, { scope: 'openid' }))
      expect(passed.status).toBe(302)
      const to = new URL(locationOf(passed))
      expect(to.origin + to.pathname).toBe(`${at}/auth/callback/test`)
      for (const said of ['nonce', 'state'].map((name) => started.searchParams.get(name) ?? '')) {
        expect(said.length).toBeGreaterThan(40)
        expect(to.href).not.toContain(said)
      }
      expect([...to.searchParams.keys()]).toEqual(['flow', 'passed'])
      expect(locationOf(await preview.browser.get(pathOf(passed)))).toBe(`${at}/inbox`)
      expect(await preview.browser.session()).not.toBeNull()
      expect(preview.said().concat(proxy.said())).toEqual([])
    },
  )

  it('which keeps no session, sets no cookie, reads none and asks the provider for nothing', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const started = await preview.browser.start('test')
    const before = issuer.requests.length
    // A user who is signed in at the proxy stays signed in, as the same user.
    const own = await proxy.browser.start('test')
    await proxy.browser.get(answerTo(own))
    const session = proxy.browser.jar.get('__Host-auth.session-token')
    const between = issuer.requests.length
    expect(between).toBeGreaterThan(before)
    const passed = await proxy.browser.get(answerTo(started))
    expect(issuer.requests.length).toBe(between)
    expect(passed.headers.getSetCookie()).toEqual([])
    expect(passed.headers.get('cache-control')).toBe('private, no-store')
    expect(passed.headers.get('referrer-policy')).toBe('strict-origin')
    expect(proxy.browser.jar.get('__Host-auth.session-token')).toBe(session)
  })

  it('and makes the token request itself, with the redirect URI of the proxy', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const { passed } = await throughProxy(proxy, preview)
    expect(exchanges()).toHaveLength(0)
    await preview.browser.get(pathOf(passed))
    const [exchange] = exchanges()
    const form = new URLSearchParams(await exchange?.text())
    expect(form.get('redirect_uri')).toBe(`${proxyOrigin}/auth/callback/test`)
    expect(form.get('code_verifier')).not.toBeNull()
  })

  it('by two seals, each of its own purpose: of the secret, and of the preview’s own state', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const { started, passed } = await throughProxy(proxy, preview)
    const sealer = await createSealer([shared.AUTH_SECRET], 'preview', Date.now)
    const asked = await sealer.open(started.searchParams.get('state') ?? '')
    expect(asked).toEqual({
      issuer: `${previewOrigin}/auth`,
      provider: 'test',
      state: expect.stringMatching(/^[0-9a-z]{9}-[\w-]{11}\.[\w-]{43}$/),
    })
    const ofFlow = await createSealer([String(asked?.state)], 'passed', Date.now)
    const sealed = new URL(locationOf(passed)).searchParams.get('passed') ?? ''
    expect(await ofFlow.open(sealed)).toEqual({ answer: expect.stringMatching(/^code=/) })
  })

  it('and both can say so: the proxy names the preview, if it debugs, and the preview its missing setting', async () => {
    const lines: unknown[][] = []
    const logger = { debug: (...line: unknown[]) => void lines.push(line) }
    const providers = [providerAt(issuer)]
    const proxy = placeAt(proxyOrigin, providers, {}, { debug: true, logger })
    const preview = placeAt(previewOrigin, providers)
    await throughProxy(proxy, preview)
    expect(lines).toContainEqual(['answer passed on', { provider: 'test', to: previewOrigin }])
    await preview.browser.get('/auth/callback/test')
    expect(preview.said().join()).toMatch(/^The proxy has passed on nothing for a sign-in that/)
  })

  it('if both have another path, and the URL has none of its own', async () => {
    const env = { AUTH_REDIRECT_PROXY_URL: `${proxyOrigin}/` }
    const providers = [providerAt(issuer)]
    const { browser } = placeAt(previewOrigin, providers, env)
    const started = await browser.start('test')
    expect(started.searchParams.get('redirect_uri')).toBe(`${proxyOrigin}/auth/callback/test`)
    const elsewhere = { AUTH_REDIRECT_PROXY_URL: `${proxyOrigin}/api/sign-in/` }
    const other = await placeAt(previewOrigin, providers, elsewhere).browser.start('test')
    const uri = `${proxyOrigin}/api/sign-in/callback/test`
    expect(other.searchParams.get('redirect_uri')).toBe(uri)
  })

  it('with a secret of its own, if both have that of the proxy', async () => {
    const both = { AUTH_REDIRECT_PROXY_SECRET: 'a-secret-for-previews-alone-0123456789' }
    const providers = [providerAt(issuer)]
    const own = { ...both, AUTH_SECRET: 'the-secret-of-one-preview-0123456789abc' }
    const proxy = placeAt(proxyOrigin, providers, both)
    const preview = placeAt(previewOrigin, providers, own)
    const { passed } = await throughProxy(proxy, preview)
    expect(locationOf(await preview.browser.get(pathOf(passed)))).toBe(inbox)
  })

  it('while the secret is replaced, if the proxy has the new one first', async () => {
    const providers = [providerAt(issuer)]
    const rotated = { AUTH_SECRET_1: 'the-secret-that-comes-next-0123456789abc' }
    const proxy = placeAt(proxyOrigin, providers, rotated)
    const preview = placeAt(previewOrigin, providers)
    const { passed } = await throughProxy(proxy, preview)
    expect(locationOf(await preview.browser.get(pathOf(passed)))).toBe(inbox)
  })

  it('with the video app, which takes static https addresses alone', async () => {
    const uri = `${proxyOrigin}/auth/callback/videoapp`
    const app = {
      clientKey: 'the-app',
      clientSecret: 'the-secret-of-the-app',
      type: 'web',
    } as const
    const sandbox = createSandbox({ clients: [{ ...app, redirectUris: [uri] }] })
    const network = (input: unknown, init?: unknown) =>
      sandbox.request(String(input), init as RequestInit)
    const client = { clientId: app.clientKey, clientSecret: app.clientSecret }
    const providers = [videoapp({ ...client, [customFetch]: network as typeof fetch })]
    const at = 'http://localhost:3999'
    const [proxy, preview] = [placeAt(proxyOrigin, providers), placeAt(at, providers)]
    const consent = await preview.browser.start('videoapp')
    expect(consent.searchParams.get('redirect_uri')).toBe(uri)
    const body = new URLSearchParams({ person: 'ada', decision: 'allow' })
    body.append('scope', 'user.info.basic')
    const back = await sandbox.request(consent.href, { method: 'POST', body })
    expect(locationOf(back)).toMatch(new RegExp(`^${uri}\\?`))
    const passed = await proxy.browser.get(pathOf(back))
    expect(locationOf(await preview.browser.get(pathOf(passed)))).toBe(`${at}/inbox`)
    expect(preview.said()).toEqual([])
  })

  it('and adds a way to sign in to the person who asks', async () => {
    const other = await testIssuer('https://other.example', { alg: 'ES256' })
    const providers = [providerAt(issuer), providerAt(other, { id: 'other' })]
    const [proxy, preview] = [placeAt(proxyOrigin, providers), placeAt(previewOrigin, providers)]
    const { passed } = await throughProxy(proxy, preview)
    await preview.browser.get(pathOf(passed))
    const fields = { provider: 'other', callbackUrl: '/account' }
    const asked = new URL(locationOf(await preview.browser.submit('/auth/ways/add', fields)))
    const added = await proxy.browser.get(answerTo(asked))
    expect(locationOf(await preview.browser.get(pathOf(added)))).toBe(`${previewOrigin}/account`)
    const { ways } = (await (await preview.browser.get('/auth/ways')).json()) as { ways: object[] }
    expect(ways).toHaveLength(2)
  })
})

describe('a provider that a middleware of Hono signs in with', () => {
  afterEach(() => void vi.unstubAllGlobals())

  it('works from a preview as well', async () => {
    const answers: Record<string, unknown> = {
      '/api/oauth2/token': { access_token: 'the-access-token', expires_in: 60, scope: 'identify' },
      '/api/oauth2/@me': { user: { id: '80351', username: 'ada' } },
    }
    const sent: string[] = []
    vi.stubGlobal('fetch', async (input: RequestInfo, init?: RequestInit) => {
      sent.push(String(init?.body))
      return Response.json(answers[new URL(String(input)).pathname])
    })
    const discord = fromHono({
      id: 'discord',
      name: 'Discord',
      clientId: 'the-client-id',
      clientSecret: 'the-client-secret',
      middleware: ({ clientId, clientSecret, redirectUri }) =>
        discordAuth({
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uri: redirectUri,
          scope: ['identify'],
        }),
    }) as Provider
    const [proxy, preview] = [placeAt(proxyOrigin, [discord]), placeAt(previewOrigin, [discord])]
    const started = await preview.browser.start('discord')
    const uri = `${proxyOrigin}/auth/callback/discord`
    expect(started.searchParams.get('redirect_uri')).toBe(uri)
    const passed = await proxy.browser.get(answerTo(started))
    expect(sent).toEqual([])
    expect(locationOf(await preview.browser.get(pathOf(passed)))).toBe(inbox)
    expect(sent[0]).toContain(new URLSearchParams({ redirect_uri: uri }).toString())
  })
})

describe('a provider’s answer is passed on as it came', () => {
  it('that the person canceled', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const started = await preview.browser.start('test')
    const state = started.searchParams.get('state') ?? ''
    const cancelled = new URLSearchParams({
      error: 'access_denied',
      error_description: 'no',
      state,
    })
    const passed = await proxy.browser.get(`/auth/callback/test?${cancelled}`)
    expect(locationOf(passed)).toMatch(/^https:\/\/pr-7\.shop\.pages\.dev\/auth\/callback\/test\?/)
    expect(locationOf(passed)).not.toContain('denied')
    const { searchParams } = new URL(locationOf(await preview.browser.get(pathOf(passed))))
    expect(searchParams.get('error')).toBe('OAuthCallbackError')
    expect(searchParams.get('code')).toBe('access_denied')
    expect(proxy.said()).toEqual([])
  })

  it.each([
    ['https://issuer.example', inbox],
    ['https://evil.example', `${previewOrigin}/auth/signin?callbackUrl=`],
  ])('mix-up (RFC 9207): the issuer of the answer, %s', async (iss, target) => {
    issuer.metadata = { authorization_response_iss_parameter_supported: true }
    const { proxy, preview } = proxyAndPreview(issuer)
    const { passed } = await throughProxy(proxy, preview, { iss })
    const answer = await preview.browser.get(pathOf(passed))
    expect(locationOf(answer).startsWith(target)).toBe(true)
    expect(exchanges()).toHaveLength(target === inbox ? 1 : 0)
  })

  it('mix-up: two of iss are not made one', async () => {
    issuer.metadata = { authorization_response_iss_parameter_supported: true }
    const { proxy, preview } = proxyAndPreview(issuer)
    const started = await preview.browser.start('test')
    const twice = `&iss=https://evil.example&iss=${encodeURIComponent(issuer.issuer)}`
    const passed = await proxy.browser.get(answerTo(started) + twice)
    const answer = await preview.browser.get(pathOf(passed))
    expect(locationOf(answer)).toContain('error=OAuthCallbackError')
    expect(exchanges()).toHaveLength(0)
  })

  it('by a POST, with Apple’s user name: it goes on by a GET, with no cookie of the preview', async () => {
    const names: unknown[] = []
    const conform = (profile: Profile, response: URLSearchParams) => {
      names.push(response.get('user'))
      return profile
    }
    const options = {
      conform,
      authorization: { params: { response_mode: 'form_post' } },
    }
    const providers = [providerAt(issuer, options)]
    const [proxy, preview] = [placeAt(proxyOrigin, providers), placeAt(previewOrigin, providers)]
    const started = await preview.browser.start('test')
    const user = JSON.stringify({ name: { firstName: 'Zoë' } })
    const [path = '', query] = answerTo(started, { user }).split('?')
    const fields = Object.fromEntries(new URLSearchParams(query))
    const from = { cookie: '', origin: 'https://issuer.example', 'sec-fetch-site': 'cross-site' }
    const passed = await proxy.browser.post(path, fields, from)
    expect(passed.status).toBe(302)
    expect(passed.headers.getSetCookie()).toEqual([])
    expect(locationOf(passed)).not.toContain('firstName')
    expect(locationOf(await preview.browser.get(pathOf(passed)))).toBe(inbox)
    expect(names).toEqual([user])
  })

  it('a parameter that came twice ends at the proxy', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const started = await preview.browser.start('test')
    const answer = await proxy.browser.get(`${answerTo(started)}&code=another`)
    expect(locationOf(answer)).toBe(refusedAt(proxyOrigin))
  })

  it('an answer that fits into no URL ends at the proxy', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const { passed } = await throughProxy(proxy, preview, { code: 'x'.repeat(9_000) })
    expect(locationOf(passed)).toBe(refusedAt(proxyOrigin))
    expect(proxy.said()).toEqual(['The answer is too long to be passed on.'])
  })

  it('an answer may have 12,000 characters once it is sealed, and no more', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const started = await preview.browser.start('test')
    const lengths: number[] = []
    for (let code = 8_835; code < 8_860; code++) {
      const passed = await proxy.browser.get(answerTo(started, { code: 'x'.repeat(code) }))
      lengths.push(new URL(locationOf(passed)).searchParams.get('passed')?.length ?? 0)
    }
    expect(lengths).toContain(0)
    expect(Math.max(...lengths)).toBe(12_000)
  })

  it('HEAD, and a browser that looks ahead, pass nothing on', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const path = answerTo(await preview.browser.start('test'))
    const head = await proxy.browser.send(path, { method: 'HEAD' })
    expect([head.status, locationOf(head)]).toEqual([200, ''])
    const ahead = await proxy.browser.get(path, { 'sec-purpose': 'prefetch' })
    expect([ahead.status, locationOf(ahead)]).toEqual([503, ''])
  })
})

describe('the proxy’s own sign-ins', () => {
  it('do not change, with a state of their own', async () => {
    const { proxy } = proxyAndPreview(issuer)
    const started = await proxy.browser.start('test')
    expect(started.searchParams.get('redirect_uri')).toBe(`${proxyOrigin}/auth/callback/test`)
    expect(started.searchParams.get('state')).toMatch(/^[0-9a-z]{9}-[\w-]{11}\.[\w-]{43}$/)
    const answer = await proxy.browser.get(answerTo(started))
    expect(locationOf(answer)).toBe(`${proxyOrigin}/inbox`)
    expect(setsSession(answer)).toBe(true)
  })

  it('are not finished by what a preview was passed', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    await proxy.browser.start('test')
    const { passed } = await throughProxy(proxy, preview)
    const answer = await proxy.browser.get(pathOf(passed))
    expect(locationOf(answer)).toBe(refusedAt(proxyOrigin))
  })
})

describe('nothing is passed on', () => {
  /** What the answer to a preview's sign-in becomes at another proxy. */
  async function broughtTo(proxy: Place, preview = proxyAndPreview(issuer).preview) {
    const answer = await proxy.browser.get(answerTo(await preview.browser.start('test')))
    expect(exchanges()).toHaveLength(0)
    return locationOf(answer)
  }
  const at = (env: Record<string, string | undefined>, origin = proxyOrigin) =>
    placeAt(origin, [providerAt(issuer)], env)

  it('by a service without AUTH_REDIRECT_PROXY_URL', async () => {
    const service = at({ AUTH_REDIRECT_PROXY_URL: undefined })
    expect(await broughtTo(service)).toBe(refusedAt(proxyOrigin))
  })

  it('by a service that is itself a preview of another: there is no chain of proxies', async () => {
    const middle = at({ AUTH_REDIRECT_PROXY_URL: 'https://far.example.com/auth' })
    expect(await broughtTo(middle)).toBe(refusedAt(proxyOrigin))
  })

  it('to a preview that was taken off the list meanwhile, and the log names it', async () => {
    const service = at({ AUTH_TRUSTED_ORIGINS: 'https://pr-8.shop.pages.dev' })
    expect(await broughtTo(service)).toBe(refusedAt(proxyOrigin))
    expect(service.said()).toEqual([
      `No answer is passed on to ${previewOrigin}/auth: AUTH_TRUSTED_ORIGINS has no such origin.`,
    ])
  })

  it('with a foreign secret', async () => {
    const service = at({ AUTH_SECRET: secret })
    expect(await broughtTo(service)).toBe(refusedAt(proxyOrigin))
  })

  it('with AUTH_SECRET if the proxy has another secret for previews', async () => {
    const service = at({ AUTH_REDIRECT_PROXY_SECRET: 'a-secret-for-previews-alone-0123456789' })
    expect(await broughtTo(service)).toBe(refusedAt(proxyOrigin))
  })

  it('for a state that is forged, cut, empty, or sealed for something else', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const started = await preview.browser.start('test')
    const state = started.searchParams.get('state') ?? ''
    const [flow = ''] = [...preview.browser.jar].flatMap(([name, value]) =>
      name.includes('flow') ? [value] : [],
    )
    const last = state.at(-1) === 'A' ? 'B' : 'A'
    const forged = [
      '',
      state.slice(0, -1),
      state.slice(0, -5) + last + state.slice(-4),
      `x${state}`,
      `${state}.${state}`,
      state.toLowerCase(),
      decodeURIComponent(flow),
    ]
    for (const one of forged) {
      const answer = await proxy.browser.get(answerTo(started, { state: one }))
      expect(locationOf(answer)).toBe(refusedAt(proxyOrigin))
    }
    const good = await proxy.browser.get(answerTo(started))
    expect(locationOf(good)).toContain(previewOrigin)
  })

  it.each([
    [899, previewOrigin],
    [900, proxyOrigin],
  ])('for a state of %i seconds ago: to %s', async (seconds, target) => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const started = await preview.browser.start('test')
    pass(seconds)
    const answer = await proxy.browser.get(answerTo(started))
    expect(new URL(locationOf(answer)).origin).toBe(target)
  })

  it('mix-up: at the callback of another provider', async () => {
    const other = await testIssuer('https://other.example', { alg: 'ES256' })
    const providers = [providerAt(issuer), providerAt(other, { id: 'other' })]
    const [proxy, preview] = [placeAt(proxyOrigin, providers), placeAt(previewOrigin, providers)]
    const path = answerTo(await preview.browser.start('test')).replace('/test?', '/other?')
    const answer = await proxy.browser.get(path)
    expect(locationOf(answer)).toBe(refusedAt(proxyOrigin))
    expect(proxy.said()).toEqual([`What "other" answers is not what ${previewOrigin} asked for.`])
  })
})

describe('a preview accepts', () => {
  const refused = expect.stringMatching(
    /^https:\/\/pr-7[^?]+\/auth\/signin\?(?:.*&)?error=InvalidCheck/,
  )

  it('nothing in another browser: login CSRF with a sealed answer', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const { passed } = await throughProxy(proxy, preview)
    const { browser } = preview
    const victim = copyOf(browser, {} as never, { at: previewOrigin, answer: browser.answer })
    victim.jar.clear()
    // With a sign-in of the victim's own, too.
    await victim.start('test')
    const answer = await victim.get(pathOf(passed))
    expect(locationOf(answer)).toEqual(refused)
    expect(setsSession(answer)).toBe(false)
    expect(exchanges()).toHaveLength(0)
    expect(locationOf(await browser.get(pathOf(passed)))).toBe(inbox)
  })

  it('nothing twice, also if the cookie is brought again', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const { passed } = await throughProxy(proxy, preview)
    const { cookie } = preview.browser
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => preview.browser.get(pathOf(passed), { cookie })),
    )
    expect(answers.filter(setsSession)).toHaveLength(1)
    expect(exchanges()).toHaveLength(1)
    expect(locationOf(await preview.browser.get(pathOf(passed), { cookie }))).toEqual(refused)
  })

  it('nothing in the clear, from any sender', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const { started, passed } = await throughProxy(proxy, preview)
    const { browser } = preview
    const flow = new URL(locationOf(passed)).searchParams.get('flow') ?? ''
    const plain = answerTo(started)
    for (const path of [plain, `${plain}&flow=${flow}`, `/auth/callback/test?flow=${flow}`]) {
      expect(locationOf(await browser.get(path))).toEqual(refused)
    }
    const [path = '', query] = plain.split('?')
    const fields = Object.fromEntries(new URLSearchParams(query))
    expect(locationOf(await browser.post(path, fields))).toEqual(refused)
    expect(locationOf(await browser.post(pathOf(passed), fields, { cookie: '' }))).toEqual(refused)
    expect(exchanges()).toHaveLength(0)
    expect(locationOf(await browser.get(pathOf(passed)))).toBe(inbox)
  })

  it('nothing that is damaged, or sealed for another sign-in of this browser', async () => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const [one, two] = [await throughProxy(proxy, preview), await throughProxy(proxy, preview)]
    const [first, second] = [one, two].map(({ passed }) => new URL(locationOf(passed)))
    const crossed = new URL(first as URL)
    crossed.searchParams.set('passed', second?.searchParams.get('passed') ?? '')
    for (const path of [crossed.pathname + crossed.search, damaged(pathOf(one.passed))]) {
      expect(locationOf(await preview.browser.get(path))).toEqual(refused)
    }
    expect(exchanges()).toHaveLength(0)
    expect(locationOf(await preview.browser.get(pathOf(one.passed)))).toBe(inbox)
  })

  it('nothing at the callback of another provider', async () => {
    const other = await testIssuer('https://other.example', { alg: 'ES256' })
    const providers = [providerAt(issuer), providerAt(other, { id: 'other' })]
    const [proxy, preview] = [placeAt(proxyOrigin, providers), placeAt(previewOrigin, providers)]
    const { passed } = await throughProxy(proxy, preview)
    const answer = await preview.browser.get(pathOf(passed).replace('/test?', '/other?'))
    expect(locationOf(answer)).toEqual(refused)
    expect(other.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it.each([
    [299, inbox],
    [300, refused],
  ])('a value sealed %i seconds ago: %s', async (seconds, target) => {
    const { proxy, preview } = proxyAndPreview(issuer)
    const { passed } = await throughProxy(proxy, preview)
    pass(seconds)
    expect(locationOf(await preview.browser.get(pathOf(passed)))).toEqual(target)
  })

  it('nothing that a service without the secret has sealed, though it knows what the browser was sent', async () => {
    const { preview } = proxyAndPreview(issuer)
    const foreign = { AUTH_SECRET: secret }
    const evil = placeAt(proxyOrigin, [providerAt(issuer)], foreign)
    const own = placeAt(previewOrigin, [providerAt(issuer)], foreign)
    const { passed } = await throughProxy(evil, own)
    const mine = await preview.browser.start('test')
    expect(mine.searchParams.get('state')).toBeTruthy()
    const flow = [...preview.browser.jar.keys()].find((name) => name.includes('flow.')) ?? ''
    const path = pathOf(passed).replace(/flow=[^&]+/, `flow=${flow.split('flow.')[1]}`)
    expect(locationOf(await preview.browser.get(path))).toEqual(refused)
  })
})

describe('the state that a provider is sent', () => {
  it('is one that providers take: of an ordinary preview it is shorter than 400 characters', async () => {
    const { preview } = proxyAndPreview(issuer)
    const started = await preview.browser.start('test')
    expect(started.searchParams.get('state')?.length).toBeLessThan(400)
    expect(started.searchParams.get('state')).toMatch(/^[\w.-]+$/)
  })

  it('may have 500 characters, and no more', async () => {
    const lengths: number[] = []
    for (let more = 0; more < 8; more++) {
      const at = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(more + 46)}.shop.pages.dev`
      const { preview } = proxyAndPreview(issuer, at)
      const answer = await preview.browser.submit('/auth/signin/test')
      const state = new URL(locationOf(answer)).searchParams.get('state')
      lengths.push(state?.length ?? 0)
    }
    expect(lengths).toContain(0)
    expect(Math.max(...lengths)).toBe(500)
  })

  it('is refused by name above that, and the provider is not asked', async () => {
    const label = 'a'.repeat(60)
    const at = `https://${label}.${label}.${label}.shop.pages.dev`
    const { preview } = proxyAndPreview(issuer, at)
    const answer = await preview.browser.submit('/auth/signin/test', { callbackUrl: '/' })
    expect(withoutReference(answer)).toBe(`${at}/auth/error?error=Configuration`)
    expect(preview.said()).toEqual([
      'The address of this preview is too long: providers would not bring it back.',
    ])
  })

  it('does not reveal the preview’s address', async () => {
    const { preview } = proxyAndPreview(issuer)
    const { href } = await preview.browser.start('test')
    expect(decodeURIComponent(href)).not.toContain('pr-7')
    const sealed = new URL(href).searchParams.get('state')?.split('.')[1] ?? ''
    expect(Buffer.from(sealed, 'base64url').toString()).not.toContain('pr-7')
  })
})

describe('a mistake in the variables is named, and nothing is served', () => {
  it.each([
    ['AUTH_REDIRECT_PROXY_URL', { AUTH_REDIRECT_PROXY_URL: 'auth.example.com' }],
    ['AUTH_REDIRECT_PROXY_URL', { AUTH_REDIRECT_PROXY_URL: 'https://auth.example.com/auth?x' }],
    ['AUTH_REDIRECT_PROXY_URL', { AUTH_REDIRECT_PROXY_URL: 'https://me@auth.example.com/auth' }],
    ['base path', { AUTH_REDIRECT_PROXY_URL: 'https://auth.example.com/a b' }],
    ['AUTH_REDIRECT_PROXY_SECRET', { AUTH_REDIRECT_PROXY_SECRET: 'short' }],
    ['AUTH_REDIRECT_PROXY_SECRET', { AUTH_REDIRECT_PROXY_SECRET: 'x'.repeat(40) }],
    ['AUTH_TRUSTED_ORIGINS', { AUTH_TRUSTED_ORIGINS: 'https://*.pages.dev' }],
    ['AUTH_TRUSTED_ORIGINS', { AUTH_TRUSTED_ORIGINS: 'https://*.workers.dev' }],
  ])('%s: %j', async (name, env) => {
    const { browser, said } = placeAt(proxyOrigin, [providerAt(issuer)], env)
    expect((await browser.get('/auth/csrf')).status).toBe(500)
    expect(said().join()).toContain(name)
    expect(said().join()).not.toContain('xxxx')
  })

  it('an empty variable counts as missing', async () => {
    const env = { AUTH_REDIRECT_PROXY_URL: '', AUTH_REDIRECT_PROXY_SECRET: '' }
    const { browser } = placeAt(previewOrigin, [providerAt(issuer)], env)
    const started = await browser.start('test')
    expect(started.searchParams.get('redirect_uri')).toBe(`${previewOrigin}/auth/callback/test`)
  })
})

it('a service with AUTH_URL has that origin, also at the address of a preview', async () => {
  const env = { ...shared, AUTH_URL: `${proxyOrigin}/auth` }
  const { browser } = placeAt(previewOrigin, [providerAt(issuer)], env)
  const started = await browser.start('test')
  expect(started.searchParams.get('state')).toMatch(/^[0-9a-z]{9}-/)
})

it('a preview with the AUTH_URL of the proxy, and without a list, refuses its own forms and says why', async () => {
  const env = { ...shared, AUTH_URL: `${proxyOrigin}/auth`, AUTH_TRUSTED_ORIGINS: undefined }
  const { browser, said } = placeAt(previewOrigin, [providerAt(issuer)], env)
  const sent = { origin: previewOrigin, 'sec-fetch-site': 'same-origin' }
  const answer = await browser.submit('/auth/signin/test', {}, sent)
  expect(locationOf(answer)).toContain('error=MissingCSRF')
  expect(said().join()).toContain('The request comes from another origin.')
})
