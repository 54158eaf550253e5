import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  AUDIENCE,
  accessClaims,
  accessJwks,
  bearer,
  closeVerifiers,
  tokenFate,
  tokenVerifier,
} from '../test-support/access.js'
import { ISSUER, SECRET, seeded } from '../test-support/keys.js'
import { settle, silence, useWorker, worker } from '../test-support/worker.js'
import { API_KEY_BYTES, formatApiKey } from '../token/api-key.js'

const random = seeded(2914)

function newKey(): string {
  return formatApiKey({
    prefix: 'acme',
    bytes: Uint8Array.from({ length: API_KEY_BYTES }, () => random(256)),
  })
}

/** The forms that the service was sent. */
let forms: URLSearchParams[] = []
/** Keys that the service knows. */
let known = new Set<string>()
const key = newKey()

useWorker()
beforeEach(() => {
  worker.accessJwks = accessJwks
  forms = []
  known = new Set([key])
  worker.replaced.set('oauth/token', async (_, init) => {
    const form = new URLSearchParams(String(init.body))
    forms.push(form)
    if (!known.has(form.get('subject_token') ?? '')) {
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    }
    return Response.json({ access_token: await keyToken(), token_type: 'Bearer', expires_in: 300 })
  })
})
afterEach(closeVerifiers)

async function keyToken(changes: object = {}): Promise<string> {
  const { now } = worker.clock
  const none = { sid: undefined as never, pid: undefined as never, client_id: 'api-key' }
  const times = { iat: now, exp: now + 300, auth_time: now - 9_000, began: now - 9_000 }
  return (await bearer({ ...none, ...times, ...changes })).slice('Bearer '.length)
}

describe('an API key', () => {
  test('is exchanged by RFC 8693, and its token is as any other', async () => {
    const { token } = await tokenVerifier().read(`Bearer ${key}`)
    expect(forms.map((form) => Object.fromEntries(form))).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: key,
        subject_token_type: 'urn:latchkey:params:oauth:token-type:api-key',
        resource: AUDIENCE,
      },
    ])
    expect(token).toMatchObject({ clientId: 'api-key', sub: 'user-1', extra: { sub: 'user-1' } })
    expect(token?.scopes).toEqual(['notes:read', 'notes:write'])
    expect(JSON.stringify(token)).not.toContain(key)
  })

  test('costs one call in five minutes, and no promise after the first', async () => {
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    for (let minute = 0; minute < 4; minute++) {
      worker.clock.now += 60
      await settle()
      await tokenFate(verifier, `Bearer ${key}`)
      expect(verifier.read(`Bearer ${key}`)).not.toBeInstanceOf(Promise)
    }
    worker.clock.now += 59
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    expect(forms).toHaveLength(1)
    worker.clock.now += 1
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    expect(forms).toHaveLength(2)
  })

  test('costs one call when a hundred requests come at once', async () => {
    const verifier = tokenVerifier()
    const fates = await Promise.all(
      Array.from({ length: 100 }, () => tokenFate(verifier, `Bearer ${key}`)),
    )
    expect(new Set(fates)).toEqual(new Set(['live']))
    expect(forms).toHaveLength(1)
  })

  test('costs no more calls when the clock of the service is behind', async () => {
    const verifier = tokenVerifier()
    worker.replaced.set('oauth/token', async (_, init) => {
      forms.push(new URLSearchParams(String(init.body)))
      const { now } = worker.clock
      const token = await keyToken({ iat: now - 290, exp: now + 10 })
      return Response.json({ access_token: token })
    })
    for (let minute = 0; minute < 5; minute++) {
      expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
      worker.clock.now += 59
    }
    expect(forms).toHaveLength(1)
  })

  test('is not asked about again when the keys of the service change', async () => {
    const verifier = tokenVerifier()
    await tokenFate(verifier, `Bearer ${key}`)
    worker.accessJwks = { keys: [...accessJwks.keys].slice(0, 2) }
    worker.clock.now += 299
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    expect(forms).toHaveLength(1)
  })

  test('is for the audience of its verifier alone', async () => {
    const other = tokenVerifier({ audience: 'https://other.example/' })
    expect(await tokenFate(other, `Bearer ${key}`)).toBe('audience')
    expect(forms[0]?.get('resource')).toBe('https://other.example/')
  })

  test('that has ended is refused by the feed', async () => {
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    worker.signOut(accessClaims.grant)
    worker.clock.now += 15
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('grant-ended')
  })

  test('outlives an end to all sessions of its user', async () => {
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    const { now } = worker.clock
    const cutoffs = [{ pid: 'pid-AAECAwQFBgcI', until: now }]
    const users = [{ sub: 'user-1', until: now }]
    const feed = await worker.feed({ cutoffs, users })
    worker.replaced.set('revocations', () => new Response(feed))
    worker.clock.now += 15
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    expect(worker.errors).toEqual([])
  })

  test('has its scopes and its strength looked at', async () => {
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, `Bearer ${key}`, { scope: 'notes:delete' })).toBe('scope')
    expect(await tokenFate(verifier, `Bearer ${key}`, { acr: '2' })).toBe('acr')
    expect(await tokenFate(verifier, `Bearer ${key}`, { maxAge: 300 })).toBe('max-age')
    expect(forms).toHaveLength(1)
  })
})

describe('a key that the service refuses', () => {
  test('is refused to the letter, and not asked about again for five minutes', async () => {
    const verifier = tokenVerifier()
    const wrong = newKey()
    const { refusal } = await verifier.read(`Bearer ${wrong}`)
    expect(refusal).toEqual({
      status: 401,
      error: 'invalid_token',
      reason: 'api-key',
      challenge:
        'Bearer error="invalid_token", error_description="The access token is not valid here"',
    })
    worker.clock.now += 299
    expect(await tokenFate(verifier, `Bearer ${wrong}`)).toBe('api-key')
    expect(forms).toHaveLength(1)
    known.add(wrong)
    worker.clock.now += 1
    expect(await tokenFate(verifier, `Bearer ${wrong}`)).toBe('live')
  })

  test('does not push out one that counts', async () => {
    const verifier = tokenVerifier()
    await tokenFate(verifier, `Bearer ${key}`)
    for (let count = 0; count < 30; count++) {
      await Promise.all(
        Array.from({ length: 100 }, () => tokenFate(verifier, `Bearer ${newKey()}`)),
      )
      worker.clock.now++
    }
    const calls = forms.length
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    expect(forms).toHaveLength(calls)
  })

  test('comes from a stranger at most a hundred times a second', async () => {
    const verifier = tokenVerifier()
    const fates = await Promise.all(
      Array.from({ length: 150 }, () => tokenFate(verifier, `Bearer ${newKey()}`)),
    )
    expect(forms).toHaveLength(100)
    expect(fates.filter((one) => one === '503')).toHaveLength(50)
    worker.clock.now++
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
  })
})

describe('a key that was good, and is due for its exchange', () => {
  /** A stranger presents keys that they have made up. */
  const flood = (verifier: ReturnType<typeof tokenVerifier>, count = 300) =>
    Promise.all(Array.from({ length: count }, () => tokenFate(verifier, `Bearer ${newKey()}`)))
  const refuseAll = () =>
    worker.replaced.set('oauth/token', () => new Response('', { status: 503 }))

  test('attack: made-up keys, more than are asked about in a second, do not shut it out', async () => {
    const verifier = tokenVerifier()
    const keys = [key, ...Array.from({ length: 50 }, newKey)]
    for (const one of keys) known.add(one)
    for (const one of keys) expect(await tokenFate(verifier, `Bearer ${one}`)).toBe('live')
    worker.clock.now += 300
    for (let second = 0; second < 3; second++) {
      await flood(verifier)
      for (const one of keys) expect(await tokenFate(verifier, `Bearer ${one}`)).toBe('live')
      worker.clock.now++
    }
  })

  test('attack: made-up keys in great number do not make its requests one call each', async () => {
    const verifier = tokenVerifier()
    await tokenFate(verifier, `Bearer ${key}`)
    worker.clock.now += 300
    await flood(verifier, 10_500)
    forms = []
    await Promise.all(Array.from({ length: 50 }, () => tokenFate(verifier, `Bearer ${key}`)))
    expect(forms).toHaveLength(1)
  })

  test('counts ten seconds more if the service does not answer, and no longer', async () => {
    const verifier = tokenVerifier()
    await tokenFate(verifier, `Bearer ${key}`)
    refuseAll()
    worker.clock.now += 300
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    worker.clock.now += 9
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
    worker.clock.now += 1
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('503')
  })

  test.each([0, 200, 299])(
    'attack: one that ended %d seconds after its exchange is refused in those seconds too',
    async (seconds) => {
      const verifier = tokenVerifier()
      await tokenFate(verifier, `Bearer ${key}`)
      worker.clock.now += seconds
      worker.signOut(accessClaims.grant)
      refuseAll()
      for (let left = 300 - seconds; left > 0; left -= 5) {
        worker.clock.now += Math.min(left, 5)
        await tokenFate(verifier, `Bearer ${key}`)
        await settle()
      }
      for (let more = 0; more < 9; more++) {
        worker.clock.now += 1
        if (seconds < 290 || more > 5)
          expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('grant-ended')
      }
    },
  )

  test('attack: one that has ended since costs one call in five minutes, as any other', async () => {
    const verifier = tokenVerifier()
    await tokenFate(verifier, `Bearer ${key}`)
    known.delete(key)
    worker.clock.now += 300
    forms = []
    for (let time = 0; time < 20; time++)
      expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('api-key')
    expect(forms).toHaveLength(1)
    known.add(key)
    worker.clock.now += 300
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('live')
  })
})

describe('no call is made', () => {
  test.each([
    ['of another form', 'acme_123'],
    [
      'with a mistyped character',
      `${key.slice(0, 20)}${key[20] === 'x' ? 'y' : 'x'}${key.slice(21)}`,
    ],
    ['with a wrong checksum', `${key.slice(0, -1)}${key.at(-1) === '0' ? '1' : '0'}`],
    ['in upper case', key.toUpperCase()],
    ['with a word behind', `${key} x`],
  ])('for a key %s', async (_, text) => {
    expect(await tokenFate(tokenVerifier(), `Bearer ${text}`)).toBe('not-a-jws')
    expect(worker.requests).toEqual([])
  })

  test('by a verifier without a service', async () => {
    const verifier = tokenVerifier({ worker: undefined, issuer: ISSUER, secret: SECRET })
    expect(await tokenFate(verifier, `Bearer ${key}`)).toBe('not-a-jws')
  })

  test('for a key behind another scheme', async () => {
    expect(await tokenFate(tokenVerifier(), `Basic ${key}`)).toBe('no-token')
    expect(worker.requests).toEqual([])
  })
})

describe('an invalid answer', () => {
  test.each<[string, () => Response | Promise<Response>]>([
    ['an error of the service', () => new Response('', { status: 500 })],
    ['no such route', () => new Response('', { status: 404 })],
    ['too many requests', () => new Response('', { status: 429 })],
    ['a redirect', () => Response.redirect('https://attacker.example/')],
    ['no JSON', () => new Response('<html>')],
    ['no token', () => Response.json({})],
    ['a token that is not text', () => Response.json({ access_token: 1 })],
    ['a very long text', () => new Response('x'.repeat(100_000))],
  ])('such as %s makes it unknown', async (_, answer) => {
    worker.replaced.set('oauth/token', answer)
    expect(await tokenFate(tokenVerifier(), `Bearer ${key}`)).toBe('503')
    expect(JSON.stringify(worker.errors.map(String))).not.toContain(key)
  })

  test('that never comes makes it unknown, and the next request is not held up', async () => {
    worker.replaced.set('oauth/token', silence)
    const verifier = tokenVerifier()
    const fate = tokenFate(verifier, `Bearer ${key}`)
    await settle()
    await worker.pass(6)
    expect(await fate).toBe('503')
    expect(await tokenFate(verifier, `Bearer ${newKey()}`)).toBe('503')
  })

  test.each<[string, () => string | Promise<string>]>([
    ['for another audience', () => keyToken({ aud: 'https://other.example/' })],
    ['of another issuer', () => keyToken({ iss: 'https://other.example/auth' })],
    ['that is an API key', () => key],
  ])('with a token %s is refused and remembered', async (_, make) => {
    let calls = 0
    worker.replaced.set('oauth/token', async () => {
      calls++
      return Response.json({ access_token: await make() })
    })
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, `Bearer ${key}`)).toMatch(/^(audience|issuer|not-a-jws)$/)
    await tokenFate(verifier, `Bearer ${key}`)
    expect(calls).toBe(1)
  })
})
