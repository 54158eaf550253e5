import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { drawSid } from '../../stores/ledger/placement.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { claimsOf, type OAuthIsolate, oauthIsolate, serverWith } from '../../test-support/oauth.js'
import { Objects } from '../../test-support/resharding.js'

// A deployment between any two steps: without the feature, with other settings, with another number of objects, or with
// objects in other regions.

const { pass } = clock()

const PEOPLE = Array.from({ length: 12 }, (_, at) => `person-${at}`)
const offline = ['openid', 'offline_access']

/** A service without the feature. */
const away = (store: Stores) => oauthIsolate({ store, server: 'off' })

it('a service without the feature does not have its routes, and its grants go on afterwards', async () => {
  const one = oauthIsolate()
  const code = await one.code()
  const { refreshToken, accessToken } = await one.grant()
  const off = away(one.store)
  expect((await off.exchange(code)).status).toBe(404)
  expect((await off.refresh(refreshToken)).status).toBe(404)
  expect((await off.userInfo(accessToken)).status).toBe(404)
  expect((await off.revoke(refreshToken)).status).toBe(404)
  const again = oauthIsolate({ store: one.store })
  expect((await again.exchange(code)).status).toBe(200)
  expect((await again.refresh(refreshToken)).status).toBe(200)
  expect(again.warnings).toEqual([])
})

it('a grant that ends while the feature is away has ended when it is back', async () => {
  const one = oauthIsolate()
  const now = Date.now() / 1000
  const sid = 'the-session-of-ada-0123456789'
  const grants = {
    ofSession: await one.grant({ sid }),
    ofPerson: await one.grant({ sub: 'grace', scopes: offline, began: now - 10 }),
    ofErased: await one.grant({ sub: 'hedy', scopes: offline, began: now - 10 }),
    kept: await one.grant({ sub: 'mary', scopes: offline, began: now - 10 }),
  }
  const { ledger } = one.store
  await away(one.store).within(async ({ keys }) => {
    await ledger.revoke(sid, now + 86_400)
    await ledger.cutOff({ sub: 'grace', until: now }, now + 86_400 * 90)
    await ledger.erase(
      { sub: 'hedy', until: now },
      await keys.pseudonyms.all('hedy'),
      now + 86_400 * 90,
    )
    await ledger.forget('hedy', true)
  })
  const again = oauthIsolate({ store: one.store })
  const statuses = await Promise.all(
    Object.entries(grants).map(async ([name, { refreshToken, accessToken }]) => [
      name,
      (await again.refresh(refreshToken)).status,
      (await again.userInfo(accessToken)).status,
    ]),
  )
  expect(statuses).toEqual([
    ['ofSession', 400, 401],
    ['ofPerson', 400, 401],
    ['ofErased', 400, 401],
    ['kept', 200, 200],
  ])
})

it('another secret of an app, name or alg changes no grant', async () => {
  const [spa, ...rest] = serverWith().apps.values()
  const one = oauthIsolate()
  const { refreshToken } = await one.grant()
  const secret = 'a-secret-that-the-app-has-from-now-on-0123'
  const apps = new Map(
    [spa, ...rest].map((app) => [app?.id, app?.id === 'spa' ? { ...app, secrets: [secret] } : app]),
  )
  const other = oauthIsolate({ store: one.store, server: serverWith({ apps: apps as never }) })
  expect((await other.refresh(refreshToken)).error).toBe('invalid_client')
  expect((await other.refresh(refreshToken, { client_secret: secret })).status).toBe(200)
})

it('another number of objects signs no app out, and brings no ended grant back', async () => {
  const objects = new Objects()
  const { sessions } = memoryStore()
  const service = (...shards: number[]) =>
    oauthIsolate({
      store: {
        sessions,
        ledger: objects.seen(...shards),
        drawSid: (sub, near) => drawSid(shards, sub, near),
      },
    })
  const before = service(1)
  const apps = await Promise.all(
    PEOPLE.map(async (sub, at) => ({
      sub,
      isIdle: at % 3 === 0,
      isEnded: at % 3 === 1,
      last: await before.grant({ sub, scopes: at % 2 === 0 ? offline : ['openid'] }),
    })),
  )
  const refreshAll = async (one: OAuthIsolate, all = apps) => {
    pass(60)
    const answers = await Promise.all(all.map(({ last }) => one.refresh(last.refreshToken)))
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200))
    for (const [at, answer] of answers.entries()) Object.assign(all[at] ?? {}, { last: answer })
  }
  const busy = apps.filter(({ isIdle }) => !isIdle)
  const during = service(1, 4)
  // Isolates of both versions, before, while and after the documents are handed over.
  for (const one of [during, before, during]) await refreshAll(one, busy)
  await objects.reshard(1, 4)
  await refreshAll(during, busy)
  const ended = apps.filter(({ isEnded }) => isEnded)
  for (const { last } of ended) await during.revoke(last.refreshToken)
  await objects.settle()
  const kept = apps.filter(({ isEnded }) => !isEnded)
  await refreshAll(during, kept)
  const after = service(4)
  await refreshAll(after, kept)
  for (const { last } of ended) {
    expect((await after.refresh(last.refreshToken)).error).toBe('invalid_grant')
    expect((await after.userInfo(last.accessToken)).status).toBe(401)
  }
  expect([before, during, after].flatMap(({ warnings }) => warnings)).toEqual([])
  // The end of each is still the one that it had.
  pass(31 * 86_400)
  for (const { last } of kept) expect((await after.refresh(last.refreshToken)).status).toBe(400)
})

it('a grant belongs to its session in whatever region that has begun', async () => {
  const objects = new Objects()
  const { sessions } = memoryStore()
  const shards = [1, { count: 2, regions: ['weur', 'apac'] as const }]
  const store: Stores = {
    sessions,
    ledger: objects.seen(...(shards as never[])),
    drawSid: (sub, near) => drawSid(shards, sub, near),
  }
  const one = oauthIsolate({ store })
  for (const region of ['weur', 'apac', undefined] as const) {
    const sid = drawSid(shards, 'ada', region)
    const [ended, kept] = [
      await one.grant({ sid }),
      await one.grant({ sid: drawSid(shards, 'ada', region) }),
    ]
    const second = await one.refresh(ended.refreshToken)
    expect(second.status).toBe(200)
    await store.ledger.revoke(sid, Date.now() / 1000 + 86_400)
    expect((await one.refresh(second.refreshToken)).error).toBe('invalid_grant')
    expect((await one.userInfo(second.accessToken)).status).toBe(401)
    expect((await one.refresh(kept.refreshToken)).status).toBe(200)
    expect(claimsOf(kept.accessToken).sid).not.toBe(sid)
  }
})
