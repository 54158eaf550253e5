import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { Browser, claimsIn, copyOf, secret } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { fails } from '../../test-support/faulty.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }

type World = Awaited<ReturnType<typeof companyWorld>>
let serial = 0

/** A logout token of a company's provider. */
async function tokenOf(
  world: World,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  id = 'acme',
) {
  const issuer = world.issuerOf(id)
  const now = Math.floor(Date.now() / 1000)
  const all = {
    iss: issuer.issuer,
    aud: `client-of-${id}`,
    iat: now,
    exp: now + 120,
    jti: `jti-${++serial}`,
    events: EVENTS,
    sub: 'ada',
    ...claims,
  }
  const there = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  const [key] = issuer.jwks().keys as { kid: string }[]
  const full = { alg: 'ES256', typ: 'logout+jwt', kid: key?.kid, ...header }
  const shown = Object.fromEntries(Object.entries(full).filter(([, value]) => value !== undefined))
  return new SignJWT(there).setProtectedHeader(shown as never).sign(issuer.privateKey())
}

const send = (one: Browser, logout_token: string, id = 'acme') =>
  one.send(`/auth/backchannel-logout/company-${id}`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token }),
    headers: { cookie: '' },
  })

const isIn = async (one: Browser) => (await one.session()) !== null

describe('a logout token', () => {
  it('with sid ends the session of that sign-in, and no other', async () => {
    const world = await companyWorld()
    const [one, two] = [
      await world.of('acme', { sid: 'op-1' }),
      await world.of('acme', { sid: 'op-2' }),
    ]
    const answer = await send(world.browser(), await tokenOf(world, { sid: 'op-1' }))
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect(answer.headers.getSetCookie()).toEqual([])
    expect([await isIn(one), await isIn(two)]).toEqual([false, true])
    expect(world.lines).toContainEqual(
      expect.objectContaining({ event: 'company-logout', provider: 'company-acme', which: 'one' }),
    )
  })

  it('with sid alone does too', async () => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    await send(world.browser(), await tokenOf(world, { sub: undefined, sid: 'op-1' }))
    expect(await isIn(one)).toBe(false)
  })

  it('with sub alone ends all sessions of that person that this company began; those of other ways go on', async () => {
    const world = await companyWorld()
    const own = await world.signIn('one', 'ada')
    const start = await world.startAdding(own, 'company-acme')
    await world.comeBack(own, 'acme', start)
    const [one, two, other] = [
      await world.of('acme'),
      await world.of('acme', { sid: 'x' }),
      await world.of('acme', { sub: 'bob' }),
    ]
    expect(claimsIn(one).sub).toBe(claimsIn(own).sub)
    expect((await send(world.browser(), await tokenOf(world))).status).toBe(200)
    expect([await isIn(one), await isIn(two), await isIn(other), await isIn(own)]).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(world.lines).toContainEqual(
      expect.objectContaining({ event: 'company-logout', which: 'all' }),
    )
  })

  it.each(['logout+jwt', 'LOGOUT+JWT', 'application/logout+jwt', 'JWT', undefined])(
    '%s as the typ counts',
    async (typ) => {
      const world = await companyWorld()
      expect((await send(world.browser(), await tokenOf(world, {}, { typ }))).status).toBe(200)
    },
  )

  it('for a session that is over or unknown is 200', async () => {
    const world = await companyWorld()
    for (const claims of [{ sid: 'unknown' }, { sub: 'nobody' }]) {
      expect((await send(world.browser(), await tokenOf(world, claims))).status).toBe(200)
    }
  })

  it('finds the sid of a sign-in under an earlier secret', async () => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    const config = { ...world.config, secret: ['a-new-secret-of-the-tests-0123456789', secret] }
    await send(new Browser(config), await tokenOf(world, { sid: 'op-1' }))
    expect(await isIn(copyOf(one, config))).toBe(false)
  })

  it('counts once: sent again it is 200 and ends nothing', async () => {
    const world = await companyWorld()
    await world.of('acme')
    const token = await tokenOf(world)
    expect((await send(world.browser(), token)).status).toBe(200)
    pass(1)
    const one = await world.of('acme')
    expect((await send(world.browser(), token)).status).toBe(200)
    expect(await isIn(one)).toBe(true)
  })

  it('that met a store that fails is 503, and counts afterwards', async () => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    const token = await tokenOf(world, { sid: 'op-1' })
    for (const name of ['documentsOf', 'revoke', 'liveDocument'] as const) {
      world.faults.set(name, fails)
      expect([name, (await send(world.browser(), token)).status]).toEqual([name, 503])
      world.faults.delete(name)
    }
    expect((await send(world.browser(), token)).status).toBe(200)
    expect(await isIn(one)).toBe(false)
  })

  it('while the provider’s keys cannot be read is 503, and counts afterwards', async () => {
    const world = await companyWorld()
    world.issuerOf('acme').answers = { keys: () => new Response('', { status: 500 }) }
    const token = await tokenOf(world)
    expect((await send(world.browser(), token)).status).toBe(503)
    world.issuerOf('acme').answers = {}
    expect((await send(world.browser(), token)).status).toBe(200)
  })

  it('costs three calls at most and one row, and a made-up one none', async () => {
    const world = await companyWorld()
    await world.of('acme', { sid: 'op-1' })
    const ledger = () =>
      world.calls.filter(({ name }) => !['get', 'put', 'delete', 'list'].includes(name))
    const before = ledger().length
    await send(world.browser(), await tokenOf(world, { sub: undefined, sid: 'unknown' }))
    expect(ledger().length - before).toBeLessThanOrEqual(3)
    const then = world.calls.length
    await send(world.browser(), await tokenOf(world, {}, { kid: 'made-up' }))
    await send(world.browser(), 'a.b.c')
    expect(world.calls.length).toBe(then)
  })
})

describe('attack: a logout token is refused alike', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>?]>([
    ['with a nonce', { nonce: 'x' }],
    ['with an empty nonce', { nonce: '' }],
    ['without events', { events: undefined }],
    ['with events of another kind', { events: { 'http://schemas.openid.net/event/other': {} } }],
    [
      'with a text as its event',
      { events: { 'http://schemas.openid.net/event/backchannel-logout': true } },
    ],
    ['without a subject and a session', { sub: undefined }],
    ['with an empty sub', { sub: '' }],
    ['with a number as its sub', { sub: 7 }],
    ['of another issuer', { iss: 'https://bolt.idp.example' }],
    ['of another client', { aud: 'client-of-bolt' }],
    ['without an audience', { aud: undefined }],
    ['older than ten minutes', { iat: Math.floor(Date.UTC(2026, 10, 1) / 1000) - 662 }],
    ['from the future', { iat: Math.floor(Date.UTC(2026, 10, 1) / 1000) + 62 }],
    ['without iat', { iat: undefined }],
    ['that has ended', { exp: Math.floor(Date.UTC(2026, 10, 1) / 1000) - 61 }],
    ['without exp', { exp: undefined }],
    ['without jti', { jti: undefined }],
    ['that is an access token', {}, { typ: 'at+jwt' }],
    ['of another key', {}, { kid: 'other' }],
  ])('%s', async (_, claims, header = {}) => {
    const world = await companyWorld()
    const one = await world.of('acme')
    const answer = await send(world.browser(), await tokenOf(world, claims, header))
    expect([answer.status, await answer.json()]).toEqual([400, { error: 'invalid_request' }])
    expect(await isIn(one)).toBe(true)
    expect(world.warnings.map(([code]) => code)).toEqual(['logout-token-refused'])
    expect(JSON.stringify(world.warnings)).not.toContain('ada')
  })

  it('with a member twice, with alg none, and signed by nobody', async () => {
    const world = await companyWorld()
    const one = await world.of('acme')
    const good = await tokenOf(world)
    const [head = '', body = '', signature = ''] = good.split('.')
    const text = Buffer.from(body, 'base64url').toString()
    const twice = Buffer.from(text.replace('{', '{"sub":"bob",')).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const token of [
      `${head}.${twice}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${good}${'A'.repeat(17_000)}`,
    ]) {
      expect((await send(world.browser(), token)).status).toBe(400)
    }
    expect(await isIn(one)).toBe(true)
  })

  it('an ID token of the company', async () => {
    const world = await companyWorld()
    const one = await world.of('acme')
    const token = await tokenOf(world, { events: undefined, nonce: 'x' }, { typ: 'JWT' })
    expect((await send(world.browser(), token)).status).toBe(400)
    expect(await isIn(one)).toBe(true)
  })

  it('another company’s, for a person of this one', async () => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    const foreign = await tokenOf(world, { sid: 'op-1' }, {}, 'bolt')
    expect((await send(world.browser(), foreign)).status).toBe(400)
    // By its own address it is good, and names another person.
    expect((await send(world.browser(), foreign, 'bolt')).status).toBe(200)
    expect(await isIn(one)).toBe(true)
  })

  it('with the sid of another person', async () => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    expect(
      (await send(world.browser(), await tokenOf(world, { sub: 'bob', sid: 'op-1' }))).status,
    ).toBe(200)
    expect(await isIn(one)).toBe(true)
  })

  it('two tokens, none, JSON, a query and an unknown company', async () => {
    const world = await companyWorld()
    const one = world.browser()
    const at = '/auth/backchannel-logout/company-acme'
    const token = await tokenOf(world)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const init of [
      { body: `logout_token=${token}&logout_token=${token}`, headers: form },
      { body: '', headers: form },
      {
        body: JSON.stringify({ logout_token: token }),
        headers: { 'content-type': 'application/json' },
      },
    ]) {
      expect((await one.send(at, { method: 'POST', ...init })).status).toBe(400)
    }
    expect((await one.post(`${at}?logout_token=${token}`, {})).status).toBe(400)
    expect((await one.get(at)).status).toBe(405)
    expect((await send(one, token, 'none')).status).toBe(400)
  })

  it('floods make ten lines of the log a minute, and no row', async () => {
    const world = await companyWorld([companyAt('acme')])
    const one = world.browser()
    const calls = world.calls.length
    for (let at = 0; at < 30; at++) await send(one, `a.${at}.c`)
    expect([world.warnings.length, world.calls.length - calls]).toEqual([10, 0])
  })
})
