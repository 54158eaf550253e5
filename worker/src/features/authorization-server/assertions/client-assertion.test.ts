import { createHmac } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { fails, faulty } from '../../../test-support/faulty.js'
import { machineWorld } from '../../../test-support/machine-world.js'
import { clientSecret, issuer, resource } from '../../../test-support/oauth.js'
import {
  ASSERTION_TYPE,
  assertionFields,
  type Claims,
  clientClaims,
  signed,
  signedText,
  type TestKey,
  testKey,
} from '../../../test-support/oauth-keys.js'

// `private_key_jwt`: RFC 7523, section 3, and draft-ietf-oauth-rfc7523bis.

const { pass } = clock()

let keys: Record<'EdDSA' | 'ES256' | 'RS256', TestKey>
let other: TestKey
beforeAll(async () => {
  const [EdDSA, ES256, RS256] = await Promise.all(
    ['EdDSA', 'ES256', 'RS256'].map((alg) => testKey(alg)),
  )
  keys = { EdDSA, ES256, RS256 } as typeof keys
  other = await testKey('ES256')
})

const asked = { grant_type: 'client_credentials', resource, scope: 'notes:read' }
const redirectUris = ['https://web.example/cb']

/** A service with a machine and a web app, each with these keys. */
function world(changes: Parameters<typeof machineWorld>[0] = {}) {
  const jwks = { keys: Object.values(keys).map(({ jwk }) => jwk) }
  return machineWorld({
    options: {
      apps: {
        ci: { machine: true, jwks, resources: { [resource]: true } },
        web: { redirectUris, jwks },
        secret: { redirectUris, secret: clientSecret },
        spa: { redirectUris },
      },
    },
    ...changes,
  })
}

type World = ReturnType<typeof world>

/** What the token endpoint says of an assertion of `ci`. */
async function verdict(one: World, claims: Claims = {}, header: Claims = {}, key = keys.ES256) {
  const answer = await one.token({
    ...asked,
    ...(await assertionFields(key, 'ci', claims, header)),
  })
  return [answer.status, answer.error ?? 'token'].join(' ')
}

const good = '200 token'
const bad = '401 invalid_client'
const now = () => Math.floor(Date.now() / 1000)

describe('an app proves itself by its key', () => {
  it.each(['EdDSA', 'ES256', 'RS256'] as const)('with %s', async (alg) => {
    expect(await verdict(world(), {}, {}, keys[alg])).toBe(good)
  })

  it.each(['client-authentication+jwt', 'application/client-authentication+jwt', 'JWT', undefined])(
    'with the typ %j',
    async (typ) => {
      expect(await verdict(world(), {}, { typ })).toBe(good)
    },
  )

  it('for the whole five minutes, by a clock that is ahead, as the client of MCP does', async () => {
    expect(await verdict(world(), { iat: now() + 3, exp: now() + 303 })).toBe(good)
    expect(await verdict(world(), { iat: undefined, exp: now() + 300 })).toBe(good)
  })

  it('with a list of one audience, and without the id of a key', async () => {
    expect(await verdict(world(), { aud: [issuer] })).toBe(good)
    expect(await verdict(world(), {}, { kid: undefined })).toBe(good)
  })

  it('with one of two keys of a kind, though it does not say which', async () => {
    const jwks = { keys: [other.jwk, keys.ES256.jwk] }
    const apps = { ci: { machine: true, jwks, resources: { [resource]: true } } } as const
    const one = machineWorld({ options: { apps } })
    expect(await verdict(one, {}, { kid: undefined })).toBe(good)
  })

  it('at the endpoints for codes, endings and devices', async () => {
    const one = world()
    const fields = () => assertionFields(keys.ES256, 'web')
    const code = { grant_type: 'authorization_code', code: 'made-up' }
    expect((await one.token({ ...code, ...(await fields()) })).error).toBe('invalid_grant')
    const ended = await one.post('/oauth/revoke', { token: 'unknown', ...(await fields()) })
    expect(ended.status).toBe(200)
    const devices = machineWorld({
      options: { apps: { web: { device: true, jwks: { keys: [keys.ES256.jwk] } } } },
    })
    const device = await devices.post('/oauth/device', { ...(await fields()) })
    expect(device.status).toBe(200)
    expect((await devices.post('/oauth/device', { client_id: 'web' })).error).toBe('invalid_client')
  })

  it('and may name itself beside the assertion, but nobody else', async () => {
    const one = world()
    const send = async (more: object, headers = {}) =>
      (
        await one.token(
          { ...asked, ...(await assertionFields(keys.ES256, 'ci')), ...more },
          headers,
        )
      ).error
    expect(await send({ client_id: 'ci' })).toBeUndefined()
    expect(await send({ client_id: 'web' })).toBe('invalid_request')
    expect(await send({ client_secret: clientSecret })).toBe('invalid_request')
    expect(await send({}, { authorization: 'Basic Y2k6eA==' })).toBe('invalid_request')
  })
})

describe('attack: an assertion is refused', () => {
  it.each<[string, () => Claims]>([
    ['for the address of the token endpoint', () => ({ aud: `${issuer}/oauth/token` })],
    ['for this issuer and another one', () => ({ aud: [issuer, 'https://other.example'] })],
    ['for another issuer', () => ({ aud: 'https://other.example' })],
    ['for nobody', () => ({ aud: undefined })],
    ['of another issuer', () => ({ iss: 'web' })],
    ['that has ended', () => ({ exp: now() })],
    ['that ends in more than five minutes', () => ({ exp: now() + 301 })],
    [
      'that ends in more than five minutes, and began in the past',
      () => ({ iat: now() - 60, exp: now() + 241 }),
    ],
    [
      'that does not say when it began, for more than five minutes',
      () => ({ iat: undefined, exp: now() + 301 }),
    ],
    ['without an end', () => ({ exp: undefined })],
    ['with a text as its end', () => ({ exp: String(now() + 60) })],
    ['from the future', () => ({ iat: now() + 61 })],
    ['for later', () => ({ nbf: now() + 61 })],
    ['without an id', () => ({ jti: undefined })],
    ['with an empty id', () => ({ jti: '' })],
    ['about an unknown app', () => ({ sub: 'nobody', iss: 'nobody' })],
    ['about an app with a secret', () => ({ sub: 'secret', iss: 'secret' })],
    ['about a public app', () => ({ sub: 'spa', iss: 'spa' })],
  ])('%s', async (_, claims) => {
    expect(await verdict(world(), claims())).toBe(bad)
  })

  it.each<[string, Claims]>([
    ['of another type', { typ: 'at+jwt' }],
    ['that is an ID-JAG', { typ: 'oauth-id-jag+jwt' }],
    ['with an extension that nobody understands', { crit: ['exp'], exp: 1 }],
  ])('%s', async (_, header) => {
    const one = world()
    if (!('crit' in header)) return expect(await verdict(one, {}, header)).toBe(bad)
    const head = JSON.stringify({ alg: 'ES256', kid: keys.ES256.kid, ...header })
    const text = await signedText(keys.ES256, JSON.stringify(clientClaims('ci')), head)
    const fields = { client_assertion_type: ASSERTION_TYPE, client_assertion: text }
    expect((await one.token({ ...asked, ...fields })).error).toBe('invalid_client')
  })

  it.each<[string, () => Claims]>([
    ['with an id of 10 kB', () => ({ jti: 'x'.repeat(10_000) })],
    ['with a number as its id', () => ({ jti: 7 })],
    ['for the address with a slash more', () => ({ aud: `${issuer}/` })],
    ['for another base path here', () => ({ aud: issuer.replace('/auth', '/other') })],
    ['for a list in a list', () => ({ aud: [[issuer]] })],
    ['with an end beyond numbers', () => ({ exp: 1e300 })],
    ['with a beginning as a text', () => ({ iat: String(now()) })],
    ['names an app in another case', () => ({ iss: 'CI', sub: 'CI' })],
    ['of a list of apps', () => ({ sub: ['ci'] })],
  ])('%s', async (_, claims) => {
    expect(await verdict(world(), claims())).toBe(bad)
  })

  it('with a key of its own in the header, or an address of one', async () => {
    for (const header of [
      { jwk: other.jwk },
      { jku: 'https://mallory.example/jwks' },
      { x5u: 'https://mallory.example/cert' },
      { x5c: ['AAAA'] },
    ]) {
      expect(await verdict(world(), {}, { ...header, kid: keys.ES256.kid }, other)).toBe(bad)
      expect(await verdict(world(), {}, { ...header, kid: undefined }, other)).toBe(bad)
    }
  })

  it('by an algorithm that its key is not for', async () => {
    const pss = await testKey('PS256')
    expect(await verdict(world(), {}, { kid: keys.RS256.kid }, pss)).toBe(bad)
    const { jwk } = keys.RS256
    const jwks = { keys: [{ ...jwk, alg: 'PS256' }] }
    expect(() => machineWorld({ options: { apps: { ci: { machine: true, jwks } } } })).toThrow(
      'jwks',
    )
    // An RSA key under the name of another kind.
    const text = JSON.stringify(clientClaims('ci'))
    for (const alg of ['ES256', 'EdDSA', 'Ed25519', 'RS512']) {
      const head = JSON.stringify({ alg, kid: keys.RS256.kid })
      const client_assertion = await signedText(keys.RS256, text, head)
      const fields = { client_assertion_type: ASSERTION_TYPE, client_assertion }
      expect((await one(fields)).error).toBe('invalid_client')
    }
    function one(fields: Record<string, string>) {
      return world().token({ ...asked, ...fields })
    }
  })

  it('by another key, also under the id of a known one', async () => {
    expect(await verdict(world(), {}, {}, other)).toBe(bad)
    expect(await verdict(world(), {}, { kid: keys.ES256.kid }, other)).toBe(bad)
  })

  // RFC 8725, 2.1 and 3.1.
  it('by HS256 with the public key as the secret, and by none', async () => {
    const one = world()
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const alg of ['HS256', 'none', 'None', '']) {
      for (const text of [JSON.stringify(keys.RS256.jwk), String(keys.RS256.jwk.n)]) {
        const input = `${encode({ alg, kid: keys.RS256.kid })}.${encode(clientClaims('ci'))}`
        const mac = createHmac('sha256', text).update(input).digest('base64url')
        for (const client_assertion of [`${input}.${mac}`, `${input}.`, `${input}.AA`]) {
          const fields = { client_assertion_type: ASSERTION_TYPE, client_assertion }
          expect((await one.token({ ...asked, ...fields })).error).toBe('invalid_client')
        }
      }
    }
  })

  it('with a member twice, in the claims, in the header and in any spelling', async () => {
    const one = world()
    const claims = JSON.stringify(clientClaims('ci'))
    const head = JSON.stringify({ alg: 'ES256', kid: keys.ES256.kid })
    const texts = [
      await signedText(keys.ES256, claims.replace('{', '{"aud":"https://other.example",')),
      await signedText(keys.ES256, claims.replace('{', '{"\\u0061ud":"https://other.example",')),
      await signedText(keys.ES256, claims, head.replace('{', '{"alg":"none",')),
    ]
    for (const client_assertion of texts) {
      const fields = { client_assertion_type: ASSERTION_TYPE, client_assertion }
      expect((await one.token({ ...asked, ...fields })).error).toBe('invalid_client')
    }
    const fields = {
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await signedText(keys.ES256, claims),
    }
    expect((await one.token({ ...asked, ...fields })).error).toBeUndefined()
  })

  it('with 16,385 characters, and not with 16,384', async () => {
    const one = world()
    const ofLength = async (length: number) => {
      const claims = (pad: number) => clientClaims('ci', { jti: 'the-same', pad: 'x'.repeat(pad) })
      let pad = Math.floor((length * 3) / 4) - 400
      let text = await signed(keys.ES256, claims(pad))
      while (text.length < length) text = await signed(keys.ES256, claims(++pad))
      return text
    }
    const send = async (client_assertion: string) =>
      (await one.token({ ...asked, client_assertion_type: ASSERTION_TYPE, client_assertion })).error
    const longest = await ofLength(16_384)
    expect(longest.length).toBe(16_384)
    const longer = await ofLength(16_385)
    expect(longer.length).toBeGreaterThan(16_384)
    expect(await send(longer)).toBe('invalid_client')
    expect(await send(longest)).toBeUndefined()
  })

  it('that is sent twice: one of any number at once gets a token', async () => {
    const one = world()
    const fields = { ...asked, ...(await assertionFields(keys.ES256, 'ci')) }
    const answers = await Promise.all(Array.from({ length: 20 }, () => one.token(fields)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await one.token(fields)).error).toBe('invalid_client')
  })

  it('that another app has sent under the same id counts for each of them once', async () => {
    const one = world()
    expect(await verdict(one, { jti: 'one' })).toBe(good)
    const fields = await assertionFields(keys.ES256, 'web', { jti: 'one' })
    const code = { grant_type: 'authorization_code', code: 'made-up' }
    expect((await one.token({ ...code, ...fields })).error).toBe('invalid_grant')
    expect((await one.token({ ...code, ...fields })).error).toBe('invalid_client')
  })

  it('that was used stays used after a rotation of the secret', async () => {
    const { store } = faulty()
    const fields = { ...asked, ...(await assertionFields(keys.ES256, 'ci')) }
    expect((await world({ store: store as never }).token(fields)).status).toBe(200)
    const secret = [
      'another-secret-of-the-tests-0123456789',
      'a-secret-of-the-tests-0123456789abcdef',
    ]
    const rotated = world({ store: store as never, config: { secret } as never })
    expect((await rotated.token(fields)).error).toBe('invalid_client')
  })

  it('with another type of assertion, or without one', async () => {
    const one = world()
    const { client_assertion = '' } = await assertionFields(keys.ES256, 'ci')
    for (const fields of [
      { client_assertion },
      {
        client_assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      },
      { client_assertion_type: ASSERTION_TYPE, client_id: 'ci' },
      { client_assertion_type: ASSERTION_TYPE, client_assertion: 'a.b.c' },
    ]) {
      expect((await one.token({ ...asked, ...fields } as never)).error).toBe('invalid_client')
    }
  })

  it('as a secret, and a secret in the place of an assertion', async () => {
    const one = world()
    for (const client_secret of ['', clientSecret, JSON.stringify(keys.ES256.jwk)]) {
      const fields = { ...asked, client_id: 'ci', client_secret }
      expect((await one.token(fields)).error).toBe('invalid_client')
    }
    expect((await one.token({ ...asked, client_id: 'ci' })).error).toBe('invalid_client')
  })

  it('and the log says why, ten times a minute at most, without any part of it', async () => {
    const one = world()
    for (let times = 0; times < 20; times++) await verdict(one, { aud: 'https://other.example' })
    const told = one.warnings.filter(([code]) => code === 'assertion-refused')
    expect(told).toHaveLength(10)
    expect(told[0]).toEqual(['assertion-refused', 'ci: audience'])
    pass(61)
    await verdict(one, { exp: now() - 1 })
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'ci: times'])
  })

  it('and counts as a wrong secret of its network: a flood is 429', async () => {
    const one = world()
    const headers = { 'cf-connecting-ip': '192.0.2.1' }
    const fields = { ...asked, client_assertion_type: ASSERTION_TYPE, client_assertion: 'a.b.c' }
    const statuses: number[] = []
    for (let times = 0; times < 310; times++) {
      statuses.push((await one.token(fields, headers)).status)
    }
    expect([statuses.indexOf(429), statuses.at(-1)]).toEqual([300, 429])
    const elsewhere = { 'cf-connecting-ip': '192.0.2.2' }
    expect((await one.token(fields, elsewhere)).status).toBe(401)
  })
})

describe('a store that fails', () => {
  it.each(['consume', 'liveDocument'] as const)(
    'at %s is 503, and the same assertion counts afterwards',
    async (method) => {
      const { store, faults } = faulty()
      const one = world({ store: store as never })
      const fields = { ...asked, ...(await assertionFields(keys.ES256, 'ci')) }
      faults.set(method, fails)
      const failed = await one.token(fields)
      expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
      faults.delete(method)
      expect((await one.token(fields)).status).toBe(200)
      expect((await one.token(fields)).error).toBe('invalid_client')
    },
  )

  it('nobody gives back an id whose use was not answered: another request may have it', async () => {
    const { store, faults, calls } = faulty()
    const one = world({ store: store as never })
    const fields = { ...asked, ...(await assertionFields(keys.ES256, 'ci')) }
    expect((await one.token(fields)).status).toBe(200)
    faults.set('consume', fails)
    expect((await one.token(fields)).status).toBe(503)
    faults.delete('consume')
    expect((await one.token(fields)).error).toBe('invalid_client')
    expect(calls.filter(({ name }) => name === 'giveBack')).toEqual([])
  })
})

describe('keys at an address', () => {
  const uri = 'https://ci.example/keys'

  /** A service whose app publishes keys, and what it publishes. */
  function published(first: () => Response | Promise<Response>) {
    const site = { answer: first, asked: 0 }
    const fetch = (async () => {
      site.asked++
      return site.answer()
    }) as unknown as typeof globalThis.fetch
    const apps = { ci: { machine: true, jwksUri: uri, resources: { [resource]: true } } } as const
    return { site, one: machineWorld({ options: { apps, fetch } }) }
  }
  const setOf =
    (...all: TestKey[]) =>
    () =>
      Response.json({ keys: all.map(({ jwk }) => jwk) })

  it('are read once an hour, and once more for an unknown id, but not each minute for a made-up one', async () => {
    const { site, one } = published(setOf(keys.ES256))
    for (let times = 0; times < 3; times++) expect(await verdict(one)).toBe(good)
    expect(site.asked).toBe(1)
    site.answer = setOf(keys.ES256, other)
    pass(120)
    expect(await verdict(one, {}, {}, other)).toBe(good)
    expect(site.asked).toBe(2)
    pass(120)
    for (let times = 0; times < 5; times++) {
      expect(await verdict(one, {}, { kid: `made-up-${times}` }, other)).toBe(bad)
    }
    expect(site.asked).toBe(3)
  })

  it('attack: a key that was taken out counts for an hour at most', async () => {
    const { site, one } = published(setOf(keys.ES256, other))
    expect(await verdict(one)).toBe(good)
    site.answer = setOf(other)
    pass(3_599)
    expect(await verdict(one)).toBe(good)
    pass(2)
    expect(await verdict(one)).toBe(bad)
  })

  it('that cannot be read are 503, and a copy counts for a day', async () => {
    const down = () => new Response('', { status: 500 })
    const { site, one } = published(down)
    expect(await verdict(one)).toMatch(/^503/)
    site.answer = setOf(keys.ES256)
    expect(await verdict(one)).toBe(good)
    site.answer = down
    pass(23 * 3_600)
    expect(await verdict(one)).toBe(good)
    pass(2 * 3_600)
    expect(await verdict(one)).toMatch(/^503/)
  })

  it.each<[string, () => Response]>([
    ['behind a redirect', () => Response.redirect('https://other.example/keys')],
    ['with more than 64 KiB', () => Response.json({ keys: [], pad: 'x'.repeat(65_536) })],
    ['with more than 20 keys', () => Response.json({ keys: Array(21).fill(keys.ES256.jwk) })],
    ['that is not JSON', () => new Response('keys')],
    ['that is a list', () => Response.json([])],
  ])('attack: a set %s is not read', async (_, answer) => {
    const { one } = published(answer)
    expect(await verdict(one)).toMatch(/^503/)
  })

  it('attack: a private key, and one of another use, are passed over', async () => {
    const set = {
      keys: [
        { ...keys.ES256.jwk, d: 'AA' },
        { ...other.jwk, use: 'enc' },
      ],
    }
    const { one } = published(() => Response.json(set))
    expect(await verdict(one)).toBe(bad)
    expect(await verdict(one, {}, {}, other)).toBe(bad)
  })
})

describe('libraries', () => {
  it('oauth4webapi, with `private_key_jwt`', async () => {
    const one = world()
    const as = { issuer, token_endpoint: `${issuer}/oauth/token` }
    const { privateKey, kid } = keys.ES256
    const send = (...[input, init]: Parameters<typeof fetch>) =>
      one.answer(new Request(input as string, init))
    const options = { [oauth.customFetch]: send, [oauth.allowInsecureRequests]: true }
    const answer = await oauth.clientCredentialsGrantRequest(
      as,
      { client_id: 'ci' },
      oauth.PrivateKeyJwt({ key: privateKey, kid }),
      { resource, scope: 'notes:read' },
      options as never,
    )
    const tokens = await oauth.processClientCredentialsResponse(as, { client_id: 'ci' }, answer)
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'notes:read' })
  })

  it('openid-client, by discovery', async () => {
    const one = world()
    const { privateKey, kid } = keys.EdDSA
    const config = await client.discovery(
      new URL(`${issuer}/.well-known/openid-configuration`),
      'ci',
      undefined,
      client.PrivateKeyJwt({ key: privateKey, kid }),
      {
        [client.customFetch]: ((input: string, init: RequestInit) =>
          one.answer(new Request(input, init))) as never,
        execute: [client.allowInsecureRequests],
      },
    )
    const tokens = await client.clientCredentialsGrant(config, { resource })
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 300 })
    expect(tokens.scope).toBeUndefined()
  })
})
