import { Redis } from 'ioredis'
import { SignJWT } from 'jose'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  hasPostgres,
  hasRedis,
  startPostgres,
  startRedis,
} from '../../../../test/support/servers.js'
import type { Stores } from '../../stores/ports.js'
import { postgresStore } from '../../stores/postgres.js'
import { redisStore } from '../../stores/redis.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'

async function atPostgres(): Promise<Stores> {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const pool = new pg.Pool({ connectionString: server.url })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  return postgresStore(pool) as unknown as Stores
}

async function atRedis(): Promise<Stores> {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const client = new Redis(server.url)
  onTestFinished(() => client.disconnect())
  return redisStore(client) as unknown as Stores
}

describe.each([
  ['Postgres', hasPostgres, atPostgres],
  ['Redis', hasRedis, atRedis],
])('over %s', (_, isHere, open) => {
  it.runIf(isHere)('a person signs in, joins, and is logged out', async () => {
    const inner = await open()
    const world = await companyWorld([companyAt('acme', { join: true })], {}, { inner })
    const old = await world.signIn('one', 'ada-of-old')
    const one = world.browser()
    await world.signInBy(one, 'acme', { sid: 'op-1' })
    const start = await one.submit('/auth/company/join', { choice: 'one' })
    expect(errorOf(await world.backFrom(one, 'one', start, 'ada-of-old'))).toBe('/inbox')
    expect(claimsIn(one).sub).toBe(claimsIn(old).sub)
    const two = world.browser()
    expect(errorOf(await world.signInBy(two, 'acme', { sid: 'op-2' }))).toBe('/inbox')
    const issuer = world.issuerOf('acme')
    const [key] = issuer.jwks().keys as { kid: string }[]
    const logOut = async (claims: object) => {
      const now = Math.floor(Date.now() / 1000)
      const logout_token = await new SignJWT({
        ...{ iss: issuer.issuer, aud: 'client-of-acme', iat: now, exp: now + 60 },
        ...{ jti: crypto.randomUUID(), ...claims },
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid: key?.kid ?? '' })
        .sign(issuer.privateKey())
      return world.browser().post('/auth/backchannel-logout/company-acme', { logout_token })
    }
    expect((await logOut({ sid: 'op-1' })).status).toBe(200)
    expect([await one.session(), (await two.session()) !== null]).toEqual([null, true])
    expect((await logOut({ sub: 'ada' })).status).toBe(200)
    expect([await two.session(), (await old.session()) !== null]).toEqual([null, true])
  })
})
