import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { type Browser, claimsIn, copyOf } from '../../../test-support/browser.js'
import { logoutWorld } from '../../../test-support/logout-world.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

type Method = (...args: readonly unknown[]) => Promise<unknown>

const down = { redirectUris: ['https://down.example/cb'], firstParty: true }
const AT_DOWN = { client_id: 'down', redirect_uri: 'https://down.example/cb' }

describe('attack: a person with a copy of a cookie', () => {
  it.each([
    ['hears it', undefined],
    ['is down', 500],
  ])('signs out again and again: an app that %s is asked a few times', async (_, status) => {
    const world = await logoutWorld({ isHere: true })
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    world.app.status = status
    await ada.csrfToken()
    const copies = Array.from({ length: 20 }, () =>
      copyOf(ada, world.config, { answer: ada.answer }),
    )
    await ada.submit('/auth/signout')
    for (const copy of copies) await copy.submit('/auth/signout')
    await expect.poll(() => world.app.heard.length).toBeGreaterThan(0)
    await new Promise((done) => setTimeout(done, 300))
    expect(world.app.heard.length).toBeLessThan(5)
    expect((await world.rows()).length).toBeLessThan(5)
  })
})

it('attack: a session that begins right after all others have ended is not over for the app', async () => {
  const world = await logoutWorld({ isHere: true })
  const ada = await world.signIn('ada')
  await world.enterOwn(ada)
  await ada.csrfToken()
  let sid = ''
  let lists = 0
  world.faults.set('documentsOf', async (...args) => {
    if (args[0] === claimsIn(ada).sub && ++lists === 2) {
      world.faults.clear()
      pass(2)
      sid = await world.enterOwn(await world.signIn('ada'))
    }
    return (world.inner.ledger.documentsOf as Method)(...args)
  })
  await ada.submit('/auth/sessions/revoke', { session: 'all' })
  await world.settle()
  expect(sid).not.toBe('')
  expect([...world.app.sessions.keys()]).toEqual([sid])
})

it('attack: a registered app that is down, and people who sign out there, keep no other app waiting', async () => {
  const world = await logoutWorld({
    isHere: true,
    apps: { down: { ...down, backchannelLogoutUri: 'http://127.0.0.1:9/' } },
  })
  const ada = await world.signIn('ada')
  await world.enterOwn(ada)
  await world.enter(ada, AT_DOWN)
  world.app.status = 500
  await ada.submit('/auth/signout')
  await expect.poll(async () => (await world.rows())[0]?.version).toBe(2)
  world.app.status = undefined
  const [both] = await world.rows()
  // As the version before has written it: the seal of a row is for that row alone.
  const { whose: _, ...rest } = JSON.parse(both?.content ?? '')
  const content = { ...rest, v: 1, sub: world.app.heard[0]?.claims.sub }
  const at = (app: string) => content.endings.filter((one: { app: string }) => one.app === app)
  const { ledger } = world.inner
  const put = (key: string, version: number, app: string) =>
    ledger.changeDocument(key, version, JSON.stringify({ ...content, endings: at(app) }))
  await put(both?.key ?? '', 2, 'own')
  // Many logouts of the app that is down come first.
  for (let nth = 0; nth < 40; nth++) await put(`logout\noutbox\n-${nth}`, 0, 'down')
  pass(62)
  const next = world.process(world.inner)
  await next.nobody().get('/auth/oauth/jwks.json')
  await next.settle()
  expect(world.app.sessions.size).toBe(0)
  // One of them tells that the app is down, and the others wait.
  expect((await world.rows()).filter(({ version }) => version > 1)).toHaveLength(1)
})

it('attack: fifty newer grants at an app push out one of an older session, which the app hears of all the same', async () => {
  const world = await logoutWorld({ isHere: true })
  const ada = await world.signIn('ada')
  const first = await world.enterOwn(ada)
  const thief: Browser = await world.signIn('ada')
  for (let times = 0; times < 51; times++) {
    pass(2)
    await world.enterOwn(thief)
  }
  await ada.submit('/auth/signout')
  await world.settle()
  expect(world.app.sessions.has(first)).toBe(false)
})

it.each(['code', 'refresh token'])(
  'attack: a %s that is used twice ends its grant, and the app hears of the end of the session all the same',
  async (which) => {
    const world = await logoutWorld({ isHere: true })
    const ada = await world.signIn('ada')
    const own = {
      client_id: 'own',
      redirect_uri: 'https://own.example/cb',
      scope: 'openid offline_access',
    }
    const { code } = await world.letIn(ada, own)
    const tokens = await world.exchange(code, { client_id: 'own' })
    const sid = await world.app.begin(tokens.id_token)
    pass(60)
    if (which === 'code') await world.exchange(code, { client_id: 'own' })
    else {
      const again = () =>
        world.exchange('', {
          grant_type: 'refresh_token',
          refresh_token: tokens.refresh_token ?? '',
          client_id: 'own',
        })
      await again()
      pass(60)
      await again()
    }
    await ada.submit('/auth/signout')
    await expect.poll(() => world.app.sessions.has(sid)).toBe(false)
  },
)

it.each(['openid', 'openid offline_access'])(
  'attack: a session that goes on for months ends at the app too, whose grant for %s is over long since',
  async (scope) => {
    const world = await logoutWorld({ isHere: true })
    const ada = await world.signIn('ada')
    const tokens = await world.enter(ada, { scope })
    const sid = await world.app.begin(tokens.id_token)
    const refresh = () =>
      world.exchange('', {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token ?? '',
        client_id: 'own',
      })
    if (tokens.refresh_token !== undefined) expect((await refresh()).status).toBe(200)
    for (let day = 0; day < 80; day++) {
      pass(86_400)
      await ada.session()
    }
    expect(await ada.session()).not.toBeNull()
    expect((await refresh()).status).toBe(400)
    const { access_token: token } = tokens
    const bearer = { authorization: `Bearer ${token}` }
    expect((await world.nobody().get('/auth/oauth/userinfo', bearer)).status).toBe(401)
    // The list leaves out an app that may do nothing any more.
    expect(await (await ada.get('/auth/apps')).json()).toMatchObject({ apps: [] })
    await ada.submit('/auth/signout')
    await world.settle()
    expect(world.app.sessions.has(sid)).toBe(false)
  },
)
