import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { memoryStore } from '../../stores/memory.js'
import {
  BindingBrowser,
  bindingConfig,
  boundUnder,
  COOKIE,
  offerIn,
  thiefOf,
} from '../../test-support/binding-browser.js'
import type { AuthConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })

/** The same key, identifier and challenge at another service or isolate. */
function at(browser: BindingBrowser, config: AuthConfig, options = {}): BindingBrowser {
  const other = new BindingBrowser(config, options)
  Object.assign(other, { identifier: browser.identifier, challenge: browser.challenge })
  other.keys = browser.keys
  return other
}

const isNothing = async (answer: Response) => {
  expect(answer.headers.getSetCookie().filter((line) => line.startsWith(COOKIE))).toEqual([])
  return answer.status
}

describe('attack: a proof, an identifier or a challenge is carried elsewhere', () => {
  it('to another service with the same secret and ledger, at another path or origin: it signs nobody in there', async () => {
    const store = memoryStore()
    const browser = await boundUnder(bindingConfig({ store }))
    const staff = bindingConfig({ store, basePath: '/staff/auth' })
    const elsewhere = [
      at(browser, staff, { answer: moved('/auth/', '/staff/auth/', staff) }),
      at(browser, bindingConfig({ store }), { at: 'https://other.example' }),
    ]
    for (const other of elsewhere) {
      expect(await isNothing(await other.refresh())).toBe(200)
      expect(await isNothing(await other.renew())).toBe(200)
    }
    expect((await browser.renew()).status).toBe(403)
    expect((await browser.renew()).status).toBe(200)
  })

  it('to an isolate whose clock is behind or ahead: it counts once, and no browser is shut out', async () => {
    for (const skew of [-50, -20, 20, 50]) {
      const config = bindingConfig()
      const browser = await boundUnder(config)
      pass(100)
      const proof = await browser.proof()
      const statuses: number[] = []
      for (const move of [0, skew, -skew, -skew, skew]) {
        pass(move)
        const answer = await at(browser, { ...config }).refresh({
          'secure-session-response': proof,
        })
        statuses.push(answer.status)
      }
      expect([skew, statuses]).toEqual([skew, [200, 403, 403, 403, 403]])
      await browser.refresh()
      pass(skew)
      expect((await browser.renew()).status).toBe(200)
      pass(-skew)
      expect((await browser.renew()).status).toBe(200)
      // A challenge that an isolate behind gives without a call may be of before the one that counted last.
      pass(-50)
      await browser.renew({ jti: 'made-up' })
      const tries = [await browser.renew(), await browser.renew()].map(({ status }) => status)
      expect(tries).toContain(200)
      pass(50)
    }
  })

  it('to a registration: a challenge of a renewal registers nothing, and one of a registration renews nothing', async () => {
    const config = bindingConfig()
    const browser = new BindingBrowser(config)
    const offered = await browser.signIn('fake')
    const { challenge } = offerIn(offered) as { challenge: string }
    await browser.register(offered)
    const renewal = browser.challenge
    expect(await isNothing(await browser.renew({ jti: challenge }))).toBe(403)
    expect(await isNothing(await browser.register(offered, { jti: renewal }))).toBe(400)
    expect(await isNothing(await browser.renew({ jti: browser.identifier?.slice(3) }))).toBe(403)
  })

  it('as the identifier of another session of the same person, or of another person', async () => {
    const config = bindingConfig()
    const [one, other] = [new BindingBrowser(config), new BindingBrowser(config)]
    await one.register(await one.signInAs('ada'))
    await other.register(await other.signInAs('eve'))
    const id = { 'sec-secure-session-id': one.identifier ?? '', cookie: '' }
    expect(await isNothing(await other.renew({}, id))).toBe(403)
    // A challenge of that session, signed with a key of another one.
    const asked = await other.refresh(id)
    expect(asked.status).toBe(403)
    expect(await isNothing(await other.renew({}, id))).toBe(400)
    expect((await one.renew()).status).toBe(200)
  })
})

describe('attack: the headers of a proof', () => {
  it('name a key, an address of one, a certificate or another form: none of it counts, and nothing is fetched', async () => {
    const browser = await boundUnder(bindingConfig())
    const { publicKey } = await generateKeyPair('ES256')
    const stranger = await generateKeyPair('ES256')
    const headers = [
      { kid: 'other' },
      { jku: 'https://evil.example/jwks.json' },
      { x5u: 'https://evil.example/key.pem' },
      { x5c: ['AAAA'] },
      { b64: false },
      { zip: 'DEF' },
      { jwk: await exportJWK(publicKey) },
    ]
    for (const header of headers) {
      const names = Object.keys(header)
      expect([names, (await browser.renew({ header })).status]).toEqual([names, 200])
      const forged = await browser.renew({ header, keys: stranger })
      expect([names, await isNothing(forged)]).toEqual([names, 400])
    }
  })

  it('ask for HS256 by the public key as its secret', async () => {
    const browser = await boundUnder(bindingConfig())
    const jwk = await exportJWK((browser.keys as { publicKey: CryptoKey }).publicKey)
    const { SignJWT } = await import('jose')
    for (const text of [JSON.stringify(jwk), jwk.x ?? '', `${jwk.x}.${jwk.y}`]) {
      const secret = new TextEncoder().encode(text.padEnd(32, ' '))
      const proof = await new SignJWT({ jti: browser.challenge ?? '' })
        .setProtectedHeader({ alg: 'HS256', typ: 'dbsc+jwt' })
        .sign(secret)
      const answer = await browser.refresh({ 'secure-session-response': proof })
      expect(await isNothing(answer)).toBe(400)
    }
  })

  it('come twice, in a list, in quotes with more behind, or in other letters', async () => {
    const browser = await boundUnder(bindingConfig())
    const [proof, id] = [await browser.proof(), browser.identifier ?? '']
    for (const text of [
      `${proof}, ${proof}`,
      `"${proof}", "${proof}"`,
      `"${proof}";a=1`,
      `("${proof}")`,
      `:${proof}:`,
      `"${proof}`,
      `${proof}=`,
    ]) {
      const answer = await browser.refresh({ 'secure-session-response': text })
      expect([text.slice(0, 2), await isNothing(answer)]).toEqual([text.slice(0, 2), 400])
    }
    for (const text of [`${id}, ${id}`, `"${id}";x`, `'${id}'`, id.toUpperCase(), `${id}=`]) {
      const headers = { 'sec-secure-session-id': text, 'secure-session-response': proof }
      const status = await isNothing(await browser.refresh({ ...headers, cookie: '' }))
      expect([text.slice(-2), [200, 400].includes(status)]).toEqual([text.slice(-2), true])
    }
    expect((await browser.refresh({ 'secure-session-response': proof })).status).toBe(200)
  })

  it('bring a key of a registration that is huge, private without `d`, or has members twice', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signIn('fake')
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    const own = await exportJWK(publicKey)
    const all = [
      { ...own, x: `${own.x}${'A'.repeat(3_000)}` },
      { ...own, more: 'A'.repeat(9_000) },
      { ...own, d: null },
      { ...(await exportJWK(privateKey)), kty: 'EC' },
      { ...own, crv: 'secp256k1' },
      { ...own, crv: 'P-384' },
      { ...own, x: '', y: '' },
      { ...own, x: 'A'.repeat(43), y: 'A'.repeat(43) },
      { kty: 'OKP', crv: 'Ed25519', x: own.x },
      { kty: 'RSA', e: 'AQAB', n: 'A'.repeat(342) },
      [own],
    ]
    for (const jwk of all) {
      const answer = await browser.register(offered, { jwk: jwk as never })
      expect([JSON.stringify(jwk).slice(0, 80), await isNothing(answer)]).toEqual([
        JSON.stringify(jwk).slice(0, 80),
        400,
      ])
    }
    expect((await browser.register(offered)).status).toBe(200)
  })
})

describe('attack: a thief downgrades a session', () => {
  it('by missing cookies, another browser’s name, or a false header of skipped sessions: no token without a proof', async () => {
    const browser = await boundUnder(bindingConfig())
    const thief = thiefOf(browser)
    const { exp, cnf } = browser.claims
    const lies: Record<string, string>[] = [
      {},
      { 'user-agent': 'Firefox' },
      { 'secure-session-skipped': 'quota_exceeded;session_identifier="lk.1"' },
      { 'secure-session-skipped': `unreachable;session_identifier="${browser.identifier}"` },
      { 'sec-secure-session-id': browser.identifier ?? '' },
      { 'secure-session-response': await browser.proof({ jti: 'x' }) },
    ]
    for (const seconds of [100, 180, 21]) {
      pass(seconds)
      for (const headers of lies) {
        for (const cookie of [thief.cookie, '']) {
          for (const path of ['/auth/session', '/auth/renew', '/auth/session?online=1']) {
            const answer = await thief.get(path, { ...headers, cookie })
            if (cookie === '') await isNothing(answer)
            expect(thief.claims).toMatchObject({ exp, cnf })
          }
        }
      }
    }
    expect(await thief.session()).toBeNull()
  })

  it('by a step-up without its person: the sign-in as somebody else begins another session, and ends this one', async () => {
    const config = bindingConfig()
    const browser = new BindingBrowser(config)
    await browser.register(await browser.signInAs('ada'))
    const thief = thiefOf(browser)
    const answer = await thief.submit('/auth/callback/credentials', {
      username: 'eve',
      maxAge: '5',
    })
    expect(await isNothing(answer)).not.toBe(200)
    expect(thief.claims.sub).toBe(browser.claims.sub)
    expect((await browser.renew()).status).toBe(200)
  })
})

/** A service at another path, as the browser of the first one would call it. */
function moved(from: string, to: string, config: AuthConfig) {
  const { answer } = new BindingBrowser(config)
  return (request: Request) => answer(new Request(request.url.replace(from, to), request))
}
