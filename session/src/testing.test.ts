import { expect, test } from 'vitest'
import { ISSUER, SECRET } from './test-support/keys.js'
import { type MintOptions, mintSession } from './testing.js'
import { createVerifier } from './verifier/create-verifier.js'

const given = { secret: SECRET, issuer: ISSUER }

async function read(options: Partial<MintOptions> = {}, of = { ...given, ...options }) {
  const minted = await mintSession(of)
  const { secret, issuer, cookie } = of
  const verifier = createVerifier({ secret, issuer, cookie })
  return { minted, reading: await verifier.read(minted.cookie) }
}

test('a minted session is read like any other', async () => {
  const user = { id: 'ada', name: 'Ada' }
  const { minted, reading } = await read({ user, session: { plan: 'paid' }, provider: 'github' })
  expect(reading.session).toEqual(minted.session)
  expect(reading.claims).toEqual(minted.claims)
  expect(reading.session).toMatchObject({
    user: { id: 'ada', name: 'Ada', email: null, image: null },
    plan: 'paid',
  })
  expect(reading.claims).toMatchObject({ sub: 'ada', amr: ['github'] })
  expect(minted.cookies).toEqual([['__Host-auth.session-token', minted.token]])
})

test('the person may be left out', async () => {
  expect((await read()).reading.session?.user).toMatchObject({ id: 'test-user', name: null })
})

test.each([
  ['http', { issuer: 'http://localhost:3000/auth' }, 'auth.session-token'],
  ['a shared domain', { cookie: { domain: 'example.com' } }, '__Secure-auth.session-token'],
  ['a name of its own', { cookie: { name: 'sid' } }, 'sid'],
])('the cookie is named as the service names it: %s', async (_, options, name) => {
  const { minted, reading } = await read(options)
  expect(minted.cookies.map(([found]) => found)).toEqual([name])
  expect(reading.session).not.toBeNull()
})

test('a large session comes in several cookies', async () => {
  const { minted, reading } = await read({ session: { note: 'x'.repeat(9_000) } })
  expect(minted.cookies.length).toBeGreaterThan(2)
  expect(reading.session).toMatchObject({ note: 'x'.repeat(9_000) })
})

test.each([
  ['has ended', { tokenMaxAge: -10 }, true],
  ['has just ended', { tokenMaxAge: 0 }, true],
  ['has ended long ago', { tokenMaxAge: -100_000 }, true],
  ['belongs to a session that is over', { maxAge: -10 }, false],
])('a token that %s does not sign in', async (_, options, isExpired) => {
  expect((await read(options)).reading).toMatchObject({ session: null, isExpired })
})

test('a session that ends before its token does is good until then', async () => {
  const { minted, reading } = await read({ maxAge: 60 })
  expect(reading.session).not.toBeNull()
  expect(minted.claims.exp).toBe(minted.claims.sexp)
})

test('the clock can be given', async () => {
  const { claims } = await mintSession({ ...given, now: () => 1_000_000_000 })
  expect([claims.iat, claims.exp]).toEqual([1_000_000, 1_000_300])
})

test('a test of fresh sign-ins says when and how the person signed in', async () => {
  const now = Math.floor(Date.now() / 1000)
  const amr = ['passkey', 'hwk', 'user']
  const { minted, reading } = await read({ authTime: now - 600.5, amr })
  expect(reading.claims).toEqual(minted.claims)
  expect(reading.claims).toMatchObject({ auth_time: now - 601, amr, sid: minted.claims.sid })
  expect((await read({ authTime: 0 })).reading.claims).toMatchObject({ auth_time: 0 })
  const plain = (await read({ provider: 'github' })).reading.claims
  expect(plain).toMatchObject({ auth_time: plain?.iat, amr: ['github'] })
})

test('a test of bound sessions says that one is', async () => {
  const { minted, reading } = await read({ bound: true })
  expect(reading.session).toMatchObject({ bound: true })
  expect(reading.claims).toEqual(minted.claims)
  for (const plain of [await read(), await read({ bound: false })]) {
    expect(plain.reading.session).not.toHaveProperty('bound')
  }
})

test('two minted sessions have two ids', async () => {
  const [one, other] = [await mintSession(given), await mintSession(given)]
  expect(one.claims.sid).not.toBe(other.claims.sid)
})

test('the first of several secrets signs, as in the service', async () => {
  const secrets = ['another-secret-0123456789abcdef-0123', SECRET]
  const { cookie } = await mintSession({ ...given, secret: secrets })
  expect((await createVerifier(given).read(cookie)).session).toBeNull()
  const both = createVerifier({ ...given, secret: secrets })
  expect((await both.read(cookie)).session).not.toBeNull()
})

test('a secret that is too short is refused', async () => {
  await expect(mintSession({ ...given, secret: 'short' })).rejects.toThrow(/32 characters/)
})
