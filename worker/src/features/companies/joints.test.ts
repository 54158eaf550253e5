import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { drawSid } from '../../stores/ledger/placement.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { sqliteStore } from '../../stores/sqlite.js'
import { claimsIn, errorOf, setsSession } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { fails } from '../../test-support/faulty.js'

clock({ start: Date.UTC(2026, 10, 1), waits: true })

type World = Awaited<ReturnType<typeof companyWorld>>

async function logOut(world: World, claims: Record<string, unknown>) {
  const issuer = world.issuerOf('acme')
  const [key] = issuer.jwks().keys as { kid: string }[]
  const now = Math.floor(Date.now() / 1000)
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const all = {
    iss: issuer.issuer,
    aud: 'client-of-acme',
    iat: now,
    exp: now + 120,
    jti: crypto.randomUUID(),
    events,
  }
  const token = await new SignJWT({ ...all, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid: key?.kid ?? '' })
    .sign(issuer.privateKey())
  return world.browser().post('/auth/backchannel-logout/company-acme', { logout_token: token })
}

function inObjects(count: number): Stores {
  const ledgers = new FakeLedgers()
  return {
    sessions: memoryStore().sessions,
    ledger: durableLedger(ledgers.binding, [count]),
    drawSid: (sub, near) => drawSid([count], sub, near),
  }
}

function inFile(): Stores {
  const path = join(tmpdir(), `companies-${crypto.randomUUID()}.db`)
  const store = sqliteStore(path)
  onTestFinished(async () => {
    await store.close()
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  })
  return store
}

describe.each<[string, () => Stores]>([
  ['memory', memoryStore],
  ['a file', inFile],
  ['one object', () => inObjects(1)],
  ['four objects', () => inObjects(4)],
])('over %s', (_, open) => {
  it('a person signs in, joins, and is logged out', async () => {
    const world = await companyWorld([companyAt('acme', { join: true })], {}, { inner: open() })
    const old = await world.signIn('one', 'ada-of-old')
    const one = world.browser()
    await world.signInBy(one, 'acme', { sid: 'op-1' })
    const start = await one.submit('/auth/company/join', { choice: 'one' })
    expect(errorOf(await world.backFrom(one, 'one', start, 'ada-of-old'))).toBe('/inbox')
    expect(claimsIn(one).sub).toBe(claimsIn(old).sub)
    const two = world.browser()
    expect(errorOf(await world.signInBy(two, 'acme', { sid: 'op-2' }))).toBe('/inbox')
    expect((await logOut(world, { sid: 'op-1' })).status).toBe(200)
    expect([await one.session(), (await two.session()) !== null]).toEqual([null, true])
    expect((await logOut(world, { sub: 'ada' })).status).toBe(200)
    expect([await two.session(), (await old.session()) !== null]).toEqual([null, true])
  })
})

it('a block holds for the company’s way, and its end ends it', async () => {
  const world = await companyWorld()
  const auth = createAuth(world.config)
  const one = await world.of('acme')
  const { sub } = claimsIn(one)
  await auth.blockPerson({ sub })
  expect(await one.session()).toBeNull()
  expect(errorOf(await world.signInBy(world.browser(), 'acme'))).toBe(
    '/auth/error AccessDenied blocked',
  )
  await auth.unblockPerson(sub)
  expect(errorOf(await world.signInBy(world.browser(), 'acme'))).toBe('/inbox')
})

it('an export has the company of each session, and an erasure leaves no row that names the person', async () => {
  const world = await companyWorld()
  const auth = createAuth(world.config)
  const one = await world.of('acme', { sid: 'op-1' })
  const { sub } = claimsIn(one)
  expect((await auth.exportPerson(sub))?.sessions).toMatchObject([
    { company: 'acme', provider: 'company-acme' },
  ])
  expect(await auth.listSessions(sub)).toMatchObject([{ company: 'acme' }])
  const rows = world.calls.filter(
    ({ name, args }) => name === 'liveDocument' && String(args[0]).startsWith('company\n'),
  )
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain('op-1')
  expect(JSON.stringify(rows[0]?.args[2])).not.toContain(sub)
  await auth.deletePerson(sub)
  const left = await world.inner.ledger.document(String(rows[0]?.args[0]))
  expect(left?.content ?? null).toBeNull()
})

it('a sign-out deletes the row of its session', async () => {
  const world = await companyWorld()
  const one = await world.of('acme', { sid: 'op-1' })
  const row = world.calls.find(
    ({ name, args }) => name === 'liveDocument' && String(args[0]).startsWith('company\n'),
  )
  await one.submit('/auth/signout')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect((await world.inner.ledger.document(String(row?.args[0])))?.content ?? null).toBeNull()
})

it('a ledger that cannot note the sid lets no session begin', async () => {
  const world = await companyWorld()
  const one = world.browser()
  world.faults.set('liveDocument', fails)
  const end = await world.signInBy(one, 'acme', { sid: 'op-1' })
  expect([end.status, setsSession(end)]).toEqual([503, false])
})

it('a company that get no longer knows signs nobody in, and sessions stay', async () => {
  const world = await companyWorld()
  const one = await world.of('acme')
  const start = await one.submit('/auth/signin/company-acme')
  world.all.splice(0, 1)
  const { store } = world.config
  const later = await companyWorld(world.all, store ? { store } : {})
  const two = later.browser()
  for (const [name, value] of one.jar) two.jar.set(name, value)
  expect(await two.session()).toMatchObject({ company: 'acme' })
  expect(errorOf(await two.submit('/auth/signin/company-acme'))).toMatch(
    /^\/auth\/error Configuration/,
  )
  const { searchParams } = new URL(start.headers.get('location') ?? '')
  const back = new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '' })
  expect(errorOf(await two.get(`/auth/callback/company-acme?${back}`))).toMatch(
    /^\/auth\/error Configuration/,
  )
})

describe('costs', () => {
  const ledger = (world: World) =>
    world.calls.filter(({ name }) => !['get', 'put', 'delete', 'list'].includes(name)).length

  it('an address typed and a start: no call', async () => {
    const world = await companyWorld()
    const one = world.browser()
    const before = world.calls.length
    await world.type(one, 'ada@acme.example')
    await world.type(one, 'ada@private.example')
    await one.submit('/auth/signin/company-acme')
    expect(world.calls.length).toBe(before)
  })

  it('a sign-in: as by any OpenID provider, and one call more for a sid', async () => {
    const costOf = async (claims: Record<string, unknown>) => {
      const world = await companyWorld()
      const before = ledger(world)
      await world.of('acme', claims)
      return ledger(world) - before
    }
    const plain = await costOf({})
    expect(plain).toBe(1)
    expect(await costOf({ sid: 'op-1' })).toBe(plain + 1)
  })

  it('everybody else: no call more', async () => {
    const costOf = async (world: World) => {
      const before = world.calls.length
      await world.signIn('one', 'bob')
      return world.calls.length - before
    }
    const withThem = await costOf(await companyWorld())
    const without = await companyWorld()
    Object.assign(without.config, { features: [] })
    expect(withThem).toBe(await costOf(without))
  })
})
