import { describe, expect, test } from 'vitest'
import { AUDIENCE, accessClaims, accessJwks, forgeAccess } from '../test-support/access.js'
import { ISSUER, NOW, claims as sessionClaims } from '../test-support/keys.js'
import { importTokenKeys } from '../verifier/token-keys.js'
import { accessTokenStanding, type MachineClaims, verifyAccessToken } from './access-token.js'
import { parseClaims } from './claims.js'

const all = await importTokenKeys(accessJwks)

const { iss, aud, iat, exp, jti } = accessClaims
const machine: MachineClaims = {
  ...{ iss, sub: 'machine:ci', aud, client_id: 'ci', iat, exp },
  ...{ jti: 'A'.repeat(22), scope: 'notes:read', began: iat, pid: 'P'.repeat(12), machine: true },
}

async function verdict(payload: object, now = NOW): Promise<string> {
  const found = await verifyAccessToken(await forgeAccess({ payload }), all)
  if (typeof found === 'string') return found
  return accessTokenStanding(found.claims, { issuer: ISSUER, audience: AUDIENCE, now })
}

const without = (name: string, from: object = machine) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))

describe('the token of a machine', () => {
  test('is read as it was written', async () => {
    const found = await verifyAccessToken(await forgeAccess({ payload: machine }), all)
    expect(found).toEqual({ claims: machine, notBefore: 0 })
    expect(await verdict(without('scope'))).toBe('live')
    expect(await verdict(machine, exp)).toBe('expired')
  })

  test.each(Object.keys(without('scope')).filter((name) => name !== 'machine'))(
    'needs %s',
    async (name) => {
      expect(await verdict(without(name))).toBe('claims')
    },
  )

  test.each([false, 'true', 1, null, {}, []])('is marked by true, and not by %j', async (mark) => {
    expect(await verdict({ ...machine, machine: mark })).toBe('claims')
    expect(await verdict({ ...accessClaims, machine: mark })).toBe('claims')
  })

  test.each(['user-1', 'machine:', 'machine:other', 'machine:CI', 'Machine:ci', ' machine:ci'])(
    'attack: a machine with the `sub` of a person, or of another machine, is refused: %j',
    async (sub) => {
      expect(await verdict({ ...machine, sub })).toBe('claims')
    },
  )

  test.each([
    ['auth_time', iat],
    ['acr', '1'],
    ['acr', '2'],
    ['amr', ['one']],
    ['grant', accessClaims.grant],
    ['sid', 'S'.repeat(22)],
    ['key_pid', 'P'.repeat(12)],
    ['company', 'acme'],
  ])('attack: has no %s of a sign-in', async (name, value) => {
    expect(await verdict({ ...machine, [name]: value })).toBe('claims')
  })

  test('ends in five minutes', async () => {
    expect(await verdict({ ...machine, exp: iat + 301 })).toBe('claims')
  })
})

test.each(['machine:ci', 'machine:'])(
  'attack: a person with the `sub` of a machine is refused: a token, a session',
  async (sub) => {
    expect(await verdict({ ...accessClaims, sub })).toBe('claims')
    expect(parseClaims({ ...sessionClaims, sub })).toBeUndefined()
    expect(parseClaims({ ...sessionClaims, sub: 'user-1' })).toBeDefined()
  },
)

// The claims that version 0.3 and all earlier ones required of each token.
test('attack: a version that does not know machines refuses them', () => {
  const required = [
    'iss',
    'sub',
    'aud',
    'client_id',
    'iat',
    'exp',
    'jti',
    'auth_time',
    'acr',
    'grant',
    'began',
  ]
  expect(required.filter((name) => !Object.hasOwn(machine, name))).toEqual([
    'auth_time',
    'acr',
    'grant',
  ])
  expect(jti).not.toBe('')
})
