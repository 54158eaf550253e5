import { createTokenVerifier } from '@latchkey/session'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import {
  type Answer,
  audience,
  authorizePath,
  codeAt,
  decide,
  type Isolate,
  isolate,
  letIn,
  makeKey,
  person,
  redirectUri,
} from './oauth-support.ts'
import { location } from './support.ts'

const { pass } = clock({ start: 'now' })
const issuer = 'http://localhost:8787/auth'

/** The claims of a token that somebody else's library has verified. */
async function verified({ send }: Isolate, token = '', aud: string) {
  const keys = createLocalJWKSet((await send('/oauth/jwks.json')) as never)
  const read = await jwtVerify(token, keys, {
    issuer,
    audience: aud,
    currentDate: new Date(Date.now()),
  })
  return { alg: read.protectedHeader.alg, ...read.payload }
}

describe.each([1, 4])('in workerd, with the ledger in %i of its objects', (count) => {
  test('a person lets an app in, which refreshes, reads who it is, and ends it', async () => {
    const one = isolate(count)
    const ada = await person(one)
    const asked = await ada.go(await authorizePath())
    expect(await asked.clone().text()).toContain('Read your notes')
    const sent = await decide(ada, asked)
    const { origin, pathname, searchParams } = location(sent)
    expect(origin + pathname).toBe(redirectUri)
    expect(Object.fromEntries(searchParams)).toEqual({
      code: expect.any(String),
      state: 'the-state',
      iss: issuer,
    })
    const first = await one.exchange(codeAt(sent))
    expect(first).toMatchObject({ status: 200, scope: 'openid profile notes:read' })
    const { sub } = ada.claims
    expect(await verified(one, first.access_token, audience)).toMatchObject({ alg: 'EdDSA', sub })
    expect(await verified(one, first.id_token, 'spa')).toMatchObject({ alg: 'ES256', sub })
    // Another isolate goes on with it.
    const other = isolate(count)
    const second = await other.refresh(first.refresh_token)
    expect(second.status).toBe(200)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const told = await other.userInfo(second.access_token)
    expect(told).toMatchObject({ status: 200, sub, name: expect.any(String) })
    expect((await one.revoke(second.refresh_token)).status).toBe(200)
    expect((await other.userInfo(second.access_token)).error).toBe('invalid_token')
    expect((await other.refresh(second.refresh_token)).error).toBe('invalid_grant')
    expect([...one.of.errors, ...other.of.errors]).toEqual([])
  })

  test('access and ID tokens by RS256 are verified by its published key', async () => {
    const one = isolate(count)
    const ada = await person(one)
    const old = { client_id: 'old', resource: 'https://old.example.com/' }
    const got = await one.exchange(await letIn(ada, old), { client_id: 'old' })
    for (const [token, aud] of [
      [got.access_token, old.resource],
      [got.id_token, 'old'],
    ] as const) {
      // Its keys come from another isolate, which has not made it.
      const claims = await verified(isolate(count), token, aud)
      expect(claims).toMatchObject({ alg: 'RS256', sub: ada.claims.sub })
    }
    expect(decodeProtectedHeader(got.access_token ?? '').typ).toBe('at+jwt')
  })

  test('a device gets its tokens once, when its person has allowed it', async () => {
    const [one, other] = [isolate(count), isolate(count)]
    const started = await one.startDevice()
    expect((await one.poll(started.device_code)).error).toBe('authorization_pending')
    const ada = await person(other)
    const page = await ada.post('/auth/device', { user_code: started.user_code ?? '' })
    expect(await (await decide(ada, page)).text()).toContain('connected')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).poll(started.device_code)),
    )
    const [good, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    expect(await verified(one, good?.access_token, audience)).toMatchObject({
      client_id: 'tv',
      sub: ada.claims.sub,
    })
  })

  test('an API key becomes an access token, until a finder ends it', async () => {
    const [one, other] = [isolate(count), isolate(count)]
    const ada = await person(one)
    const key = await makeKey(ada)
    const { auth, env } = other.of
    const ask: typeof fetch = async (input, init) => auth.fetch(new Request(input, init), env)
    const verifier = createTokenVerifier({ worker: { fetch: ask }, issuer, audience })
    const read = await verifier.read(`Bearer ${key}`, { scope: 'notes:read' })
    expect(read.token).toMatchObject({ sub: ada.claims.sub, clientId: 'api-key' })
    verifier.close()
    expect((await other.post('/oauth/revoke', { token: key })).status).toBe(200)
    expect((await one.exchangeKey(key)).error).toBe('invalid_grant')
  })

  test('200 exchanges at once in 20 isolates begin one grant, and 200 refreshes get one successor', async () => {
    const isolates = Array.from({ length: 20 }, () => isolate(count))
    const all = (ask: (one: Isolate) => Promise<Answer>) =>
      Promise.all(Array.from({ length: 200 }, (_, at) => ask(isolates[at % 20] as Isolate)))
    const code = await letIn(await person(isolates[0] as Isolate))
    const exchanged = await all((one) => one.exchange(code))
    const [begun, ...more] = exchanged.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    const failed = exchanged.filter(({ status }) => status !== 200)
    expect(new Set(failed.map(({ error }) => error))).toEqual(new Set(['invalid_grant']))
    pass(60)
    const refreshed = await all((one) => one.refresh(begun?.refresh_token))
    expect(new Set(refreshed.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(refreshed.map(({ refresh_token }) => refresh_token)).size).toBe(1)
    pass(60)
    const [first] = refreshed
    expect((await isolates[7]?.refresh(first?.refresh_token))?.status).toBe(200)
    expect((await isolates[3]?.refresh(begun?.refresh_token))?.error).toBe('invalid_grant')
    expect((await isolates[9]?.refresh(first?.refresh_token))?.error).toBe('invalid_grant')
  })
})
