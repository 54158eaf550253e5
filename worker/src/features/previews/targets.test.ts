import { beforeEach, expect, it } from 'vitest'
import { createSealer } from '../../lib/seal.js'
import { locationOf } from '../../test-support/browser.js'
import { providerAt, testIssuer } from '../../test-support/issuer.js'
import { type Place, placeAt, proxyOrigin, shared } from '../../test-support/previews.js'

const state = '0mabcdefg-AAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const AUTH_TRUSTED_ORIGINS = [
  'https://*.shop.pages.dev',
  'https://preview.example.com',
  'https://eight.example.com:8443',
  'http://localhost:*',
  'http://127.0.0.1:*',
].join()

let proxy: Place

beforeEach(async () => {
  const issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })
  proxy = placeAt(proxyOrigin, [providerAt(issuer)], { AUTH_TRUSTED_ORIGINS })
})

/** The proxy's redirect for a properly sealed state with any target. */
async function passedTo(asked: Record<string, unknown>): Promise<string> {
  const sealer = await createSealer([shared.AUTH_SECRET], 'preview', Date.now)
  const sealed = await sealer.seal({ provider: 'test', state, ...asked }, Date.now() / 1000 + 60)
  const answer = new URLSearchParams({ code: 'the-code', state: sealed })
  return locationOf(await proxy.browser.get(`/auth/callback/test?${answer}`))
}

it.each([
  // The list has these.
  'https://pr-7.shop.pages.dev/auth',
  'https://a.b.shop.pages.dev/auth',
  'https://preview.example.com/auth',
  'https://preview.example.com/api/auth',
  'https://eight.example.com:8443/auth',
  'http://localhost/auth',
  'http://localhost:3000/auth',
  'http://localhost:65535/auth',
  'http://127.0.0.1:5173/auth',
])('an answer goes to %s', async (issuer) => {
  expect(await passedTo({ issuer })).toMatch(`${issuer}/callback/test?flow=0mabcdefg-AAAAAAAAAAA&`)
  expect(proxy.said()).toEqual([])
})

it.each([
  // Look-alikes, and invalid labels.
  'https://evil.example/auth',
  'https://shop.pages.dev/auth',
  'https://pages.dev/auth',
  'https://evilshop.pages.dev/auth',
  'https://pr-7-shop.pages.dev/auth',
  'https://pr-7.shop.pages.dev.evil.example/auth',
  'https://pr-7.shop.pages.devil/auth',
  'https://pr-7.shop-pages.dev/auth',
  'https://pr-7.shop.workers.dev/auth',
  'https://xpreview.example.com/auth',
  'https://preview.example.com.evil.example/auth',
  'https://preview.example.co/auth',
  'https://preview.example.comm/auth',
  'https://a.preview.example.com/auth',
  'https://example.com/auth',
  // User info and what parts it.
  'https://pr-7.shop.pages.dev@evil.example/auth',
  'https://pr-7.shop.pages.dev:443@evil.example/auth',
  'https://me@preview.example.com/auth',
  'https://me:pass@preview.example.com/auth',
  'https://@preview.example.com/auth',
  'https://evil.example\\@preview.example.com/auth',
  'https://evil.example#@preview.example.com/auth',
  'https://evil.example?@preview.example.com/auth',
  'https://evil.example/.shop.pages.dev/auth',
  'https://evil.example#.shop.pages.dev',
  'https://evil.example?.shop.pages.dev',
  'https://evil.example%2f.shop.pages.dev/auth',
  'https://evil.example%23.shop.pages.dev/auth',
  // Ports.
  'https://preview.example.com:8443/auth',
  'https://preview.example.com:443/auth',
  'https://preview.example.com:/auth',
  'https://eight.example.com/auth',
  'https://eight.example.com:8444/auth',
  'https://pr-7.shop.pages.dev:8443/auth',
  'http://localhost:80/auth',
  'http://localhost:65536/auth',
  'http://localhost:3000:4000/auth',
  'http://localhost:*/auth',
  // Schemes.
  'http://preview.example.com/auth',
  'http://pr-7.shop.pages.dev/auth',
  'https://localhost:3000/auth',
  'ftp://preview.example.com/auth',
  'javascript://preview.example.com/%0aalert(1)//auth',
  'data:text/html,auth',
  'blob:https://preview.example.com/auth',
  'view-source:https://preview.example.com/auth',
  'wss://preview.example.com/auth',
  '//preview.example.com/auth',
  'https:preview.example.com/auth',
  'https:/preview.example.com/auth',
  'https:///preview.example.com/auth',
  // Other spellings: case, dots, escapes, Unicode, Punycode.
  'HTTPS://preview.example.com/auth',
  'https://PREVIEW.example.com/auth',
  'https://preview.example.com./auth',
  'https://pr-7.shop.pages.dev./auth',
  'https://preview..example.com/auth',
  'https://.shop.pages.dev/auth',
  'https://%70review.example.com/auth',
  'https://ｐreview.example.com/auth',
  'https://preview。example。com/auth',
  'https://prevıew.example.com/auth',
  'https://рreview.example.com/auth',
  'https://xn--review-31e.example.com/auth',
  'https://preview.example.com\u200b/auth',
  'https://pr-7\u0000.shop.pages.dev/auth',
  ' https://preview.example.com/auth',
  'https://preview.example.com/auth ',
  'https://preview.exa\nmple.com/auth',
  'https://preview.example.com\t/auth',
  'https:\\\\preview.example.com\\auth',
  // This machine under other names, and addresses.
  'http://localhost./auth',
  'http://localhost.evil.example:3000/auth',
  'http://app.localhost:3000/auth',
  'http://localhost:3000@evil.example/auth',
  'http://127.0.0.2:3000/auth',
  'http://127.1:3000/auth',
  'http://2130706433:3000/auth',
  'http://0x7f000001:3000/auth',
  'http://0.0.0.0:3000/auth',
  'http://[::1]:3000/auth',
  'http://[::ffff:127.0.0.1]:3000/auth',
  'http://[::1%25lo]:3000/auth',
  'http://169.254.169.254/auth',
  // Paths that lead elsewhere, or hide something.
  'https://preview.example.com',
  'https://preview.example.com/',
  'https://preview.example.com/auth/',
  'https://preview.example.com//evil.example/auth',
  'https://preview.example.com/auth/../../open-redirect',
  'https://preview.example.com/%2e%2e/auth',
  'https://preview.example.com/a%2fb',
  'https://preview.example.com/open?to=https://evil.example',
  'https://preview.example.com/auth?',
  'https://preview.example.com/auth#',
  'https://preview.example.com/auth;x',
  'https://preview.example.com/auth\\evil',
  // No address at all, and the proxy itself.
  'null',
  '',
  '/auth',
  'auth',
  'preview.example.com/auth',
  'undefined/auth',
  proxyOrigin,
  `${proxyOrigin}/auth`,
  `${proxyOrigin}/elsewhere`,
  null,
  7,
  {},
  ['https://preview.example.com/auth?'],
])('no answer goes to %j', async (issuer) => {
  expect(await passedTo({ issuer })).toBe(`${proxyOrigin}/auth/signin?error=InvalidCheck`)
  expect(proxy.said()).toHaveLength(1)
  expect(proxy.said()[0]).toMatch(/^No answer is passed on to [^\n]*: AUTH_TRUSTED_ORIGINS has no/)
})

it.each([
  { provider: 'other' },
  { provider: '' },
  { provider: undefined },
  { provider: 'test/../x' },
  { state: undefined },
  { state: '' },
])('a target that is on the list does not suffice: %j', async (asked) => {
  const issuer = 'https://preview.example.com/auth'
  const answer = await passedTo({ issuer, ...asked })
  expect(answer).toBe(`${proxyOrigin}/auth/signin?error=InvalidCheck`)
})

it('a proxy that is on its own list gets nothing back: there is no loop', async () => {
  const trusted = { AUTH_TRUSTED_ORIGINS: `${proxyOrigin},https://*.example.com` }
  const issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })
  proxy = placeAt(proxyOrigin, [providerAt(issuer)], trusted)
  const answer = await passedTo({ issuer: `${proxyOrigin}/auth` })
  expect(answer).toBe(`${proxyOrigin}/auth/signin?error=InvalidCheck`)
})
