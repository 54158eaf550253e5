import { beforeEach, describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { OAuthCallbackError } from '../../errors.js'
import {
  Browser,
  configWith,
  errorOf,
  everythingIn,
  fakeProvider,
  locationOf,
  origin,
  signInAt,
} from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'

let issuer: TestIssuer
let errors: Error[]

const at = 'https://issuer.example'
const document = 'openid-configuration'
const failed = '/auth/signin OAuthCallbackError'

beforeEach(async () => {
  issuer = await testIssuer(at, { alg: 'ES256' })
  errors = []
})
const { takeTimers, advance } = clock({ start: 'now' })

/** A browser at a service with this issuer and a second, working provider. */
function newBrowser(): Browser {
  const logger = { error: (error: Error) => void errors.push(error) }
  return new Browser(configWith({ providers: [providerAt(issuer), fakeProvider()], logger }))
}

/** The sign-in ends on a page with one line in the log, and the other provider still works. */
async function refused(reason: string): Promise<void> {
  const browser = newBrowser()
  const start = await browser.submit('/auth/signin/test')
  const end = errorOf(start) === at ? await signInAt(browser) : start
  expect([end.status, errorOf(end)]).toEqual([302, failed])
  const page = await browser.get(locationOf(end).replace(origin, ''))
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('Fake')
  expect(errors).toHaveLength(1)
  expect(errors[0]).toBeInstanceOf(OAuthCallbackError)
  expect(everythingIn(errors)).toContain(reason)
  expect(await browser.session()).toBeNull()
  expect(issuer.requests[0]?.redirect).toBe('manual')
  expect(errorOf(await browser.signIn('fake'))).toBe('/inbox')
}

describe('a discovery document ends the sign-in that is', () => {
  const html = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  const text = (body: string) => () => new Response(body)
  const json = (changes: object, status = 200) =>
    Response.json({ ...issuer.document(), ...changes }, { status })
  const redirect = (location: string) => () =>
    new Response(JSON.stringify(issuer.document()), { status: 302, headers: { location } })

  it.each<[string, string, () => Response]>([
    ['of another issuer', 'another issuer', () => json({ issuer: 'https://evil.example' })],
    ['with a longer name', 'another issuer', () => json({ issuer: `${at}.evil.example` })],
    ['with an issuer with two slashes', 'another issuer', () => json({ issuer: `${at}//` })],
    ['with an issuer in capitals', 'another issuer', () => json({ issuer: at.toUpperCase() })],
    ['with a list of issuers', 'another issuer', () => json({ issuer: [at] })],
    ['of no issuer', 'another issuer', () => json({ issuer: undefined })],
    ['without authorization', 'no valid', () => json({ authorization_endpoint: undefined })],
    ['without token endpoint', 'no valid', () => json({ token_endpoint: undefined })],
    ['without keys', 'no valid jwks_uri', () => json({ jwks_uri: undefined })],
    ['HTML', 'not JSON', html],
    ['truncated', 'not JSON', text(`{"issuer":"${at}","token_endpo`)],
    ['nothing', 'not JSON', text('')],
    ['null', 'not an object', text('null')],
    ['a list', 'not an object', text('[]')],
    ['of 5 MiB', 'longer than 1048576', () => json({ pad: 'x'.repeat(5 * 1024 * 1024) })],
    ['a redirect to an internal address', 'a redirect', redirect('http://169.254.169.254/')],
    ['a redirect to the same host', 'a redirect', redirect(`${at}/other`)],
    ['with status 500', 'status 500', () => json({}, 500)],
    ['with status 404', 'status 404', () => json({}, 404)],
  ])('%s', async (_, reason, answer) => {
    issuer.answers = { [document]: answer }
    await refused(reason)
  })

  const endpoints = [
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'revocation_endpoint',
    'jwks_uri',
  ]
  const addresses = [
    'http://169.254.169.254/',
    'http://issuer.example/',
    'http://localhost:8787/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    '/relative',
    '',
    { url: at },
    7,
    null,
    true,
  ]
  const isNeeded = (name: string, address: unknown) =>
    name !== 'revocation_endpoint' &&
    (name !== 'userinfo_endpoint' || (address !== '' && address !== null))
  const all = endpoints.flatMap((name) => addresses.map((address) => [name, address] as const))
  it.each(all.filter(([name, address]) => isNeeded(name, address)))(
    'with a %s of %j, and no request goes there',
    async (name, address) => {
      issuer.metadata = { [name]: address }
      await refused(`no valid ${name}`)
      expect(issuer.requests).toHaveLength(1)
    },
  )

  it.each(all.filter(([name, address]) => !isNeeded(name, address)))(
    'but a %s of %j, which only adds, refuses nobody, and no request goes there',
    async (name, address) => {
      issuer.metadata = { [name]: address }
      const browser = newBrowser()
      expect(errorOf(await signInAt(browser))).toBe('/inbox')
      const asked = issuer.requests.map(({ url }) => new URL(url).pathname)
      expect(asked).not.toContain('/userinfo')
      expect(issuer.requests.every(({ url }) => url.startsWith(`${at}/`))).toBe(true)
    },
  )

  it('with an endpoint that is a list', async () => {
    issuer.metadata = { token_endpoint: [`${at}/token`] }
    await refused('no valid token_endpoint')
  })

  it('with an address whose line breaks forge lines of the log', async () => {
    issuer.metadata = { jwks_uri: `${at}/keys\nforged` }
    issuer.answers = { keysforged: () => new Response('down', { status: 500 }) }
    await refused('answered with status 500')
    expect(everythingIn(errors)).not.toContain('\nforged')
  })

  it('silent for ten seconds', async () => {
    takeTimers()
    const browser = newBrowser()
    const csrfToken = await browser.csrfToken()
    const asked = new Promise<void>((resolve) => {
      issuer.answers[document] = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    const ends: string[] = []
    const start = browser.post('/auth/signin/test', { csrfToken }).then((answer) => {
      ends.push(errorOf(answer))
    })
    await asked
    await advance(9_999)
    expect(ends).toEqual([])
    await advance(1)
    await start
    expect(ends).toEqual([failed])
    expect(issuer.requests[0]?.signal.aborted).toBe(true)
    expect(everythingIn(errors)).toContain('No answer within 10000 ms')
  })
})
