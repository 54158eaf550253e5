import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { claimsIn, locationOf } from '../../../test-support/browser.js'
import { EVENT, logoutWorld, startApp } from '../../../test-support/logout-world.js'
import { clientSecret, issuer } from '../../../test-support/oauth.js'

const { pass, takeTimers, advance } = clock({ start: Date.UTC(2026, 10, 1, 10) })

type World = Awaited<ReturnType<typeof logoutWorld>>

describe('a walk', () => {
  it('a person signs in at an app by this service, and out here: the session of the app is gone', async () => {
    const world = await logoutWorld()
    const ada = await world.signIn('ada')
    const sid = await world.enterOwn(ada)
    expect([...world.app.sessions.keys()]).toEqual([sid])
    await ada.submit('/auth/signout')
    await world.settle()
    expect(world.app.sessions.size).toBe(0)
    expect(world.app.heard).toHaveLength(1)
    // A note goes once the app has heard it.
    expect(await world.rows()).toEqual([])
    expect(world.warnings).toEqual([])
  })

  it('the token has what the specification asks for, and nothing else', async () => {
    const world = await logoutWorld()
    const ada = await world.signIn('ada')
    const { sub } = claimsIn(ada)
    const sid = await world.enterOwn(ada)
    await ada.submit('/auth/signout')
    await world.settle()
    const [heard] = world.app.heard
    const now = Date.now() / 1000
    const { kid, ...header } = heard?.header ?? {}
    expect(header).toEqual({ alg: 'ES256', typ: 'logout+jwt' })
    expect(kid).toMatch(/^[\w-]{43}$/)
    expect(heard?.claims).toEqual({
      iss: issuer,
      sub,
      aud: 'own',
      iat: Math.floor(now),
      exp: Math.floor(now) + 120,
      jti: expect.stringMatching(/^[\w-]{22}$/),
      events: { [EVENT]: {} },
      sid,
    })
    expect(heard?.fields).toEqual(['logout_token'])
    expect(heard?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    // No cookie, no credential.
    const names = Object.keys(heard?.headers ?? {})
    expect(names.filter((name) => /cookie|authorization|referer|origin/.test(name))).toEqual([])
  })

  it('by RS256, if the ID tokens of the app are', async () => {
    const world = await logoutWorld({ own: { alg: 'RS256' } })
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    await ada.submit('/auth/signout')
    await world.settle()
    expect(world.app.heard[0]?.header.alg).toBe('RS256')
    expect(world.app.sessions.size).toBe(0)
  })

  it('also after `offline_access`, whose grant goes on', async () => {
    const world = await logoutWorld()
    const ada = await world.signIn('ada')
    const tokens = await world.enter(ada, { scope: 'openid offline_access' })
    await world.app.begin(tokens.id_token)
    await ada.submit('/auth/signout')
    await world.settle()
    expect(world.app.sessions.size).toBe(0)
    const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
    expect((await world.exchange('', { ...fields, client_id: 'own' })).status).toBe(200)
  })

  it('the metadata says so where an app hears it, and there alone', async () => {
    const metadata = async (world: World) =>
      (await (await world.nobody().get('/auth/.well-known/openid-configuration')).json()) as object
    const supported = {
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    }
    expect(await metadata(await logoutWorld())).toMatchObject(supported)
    const without = await metadata(await logoutWorld({ own: { backchannelLogoutUri: undefined } }))
    expect(Object.keys(without).filter((name) => name.startsWith('backchannel'))).toEqual([])
  })
})

/** Ada in two browsers, and Grace, each signed in at the app. */
async function threeSessions() {
  const world = await logoutWorld()
  const [one, two] = [await world.signIn('ada'), await world.signIn('ada')]
  const grace = await world.signIn('grace')
  const [sid, other, third] = [
    await world.enterOwn(one),
    await world.enterOwn(two),
    await world.enterOwn(grace),
  ]
  return { ...world, one, two, grace, sid, other, third, sub: claimsIn(one).sub }
}

type Three = Awaited<ReturnType<typeof threeSessions>>

const hint = async ({ one, enter }: Three) =>
  `/auth/oauth/end-session?id_token_hint=${(await enter(one)).id_token}`

describe('the app hears of', () => {
  it.each<[string, (three: Three) => Promise<unknown>, 'sid' | 'other' | 'both']>([
    ['a sign-out', ({ one }) => one.submit('/auth/signout'), 'sid'],
    [
      'an end of the session by another app',
      async (three) => three.one.get(await hint(three)),
      'sid',
    ],
    [
      'one browser that the person ends',
      ({ one, other }) => one.submit('/auth/sessions/revoke', { session: other }),
      'other',
    ],
    [
      'all other browsers',
      ({ one }) => one.submit('/auth/sessions/revoke', { session: 'others' }),
      'other',
    ],
    ['all browsers', ({ one }) => one.submit('/auth/sessions/revoke', { session: 'all' }), 'both'],
    ['endSessions', ({ auth, sub, context }) => auth.endSessions({ sub }, {}, context), 'both'],
    [
      'endSessions, but for one',
      ({ auth, sub, sid, context }) => auth.endSessions({ sub, except: sid }, {}, context),
      'other',
    ],
    [
      'endSession',
      ({ auth, sub, sid, context }) => auth.endSession({ sub, session: sid }, {}, context),
      'sid',
    ],
    ['blockPerson', ({ auth, sub, context }) => auth.blockPerson({ sub }, {}, context), 'both'],
    ['deletePerson', ({ auth, sub, context }) => auth.deletePerson(sub, {}, context), 'both'],
    [
      'a sign-in of somebody else in the same browser',
      ({ one, signIn }) => signIn('hedy', one),
      'sid',
    ],
  ])('%s', async (_, end, which) => {
    const three = await threeSessions()
    await end(three)
    await three.settle()
    const { sid, other, third, app } = three
    const gone = which === 'both' ? [sid, other] : [three[which]]
    const left = [sid, other, third].filter((one) => !gone.includes(one))
    expect([...app.sessions.keys()]).toEqual(left)
    expect(app.heard.map(({ claims }) => claims.sid).sort()).toEqual(gone.sort())
    expect(await three.rows()).toEqual([])
  })

  it('a callback that ends the session at its renewal', async () => {
    let isIn = true
    const session = ({ session }: { session: object }) => (isIn ? session : null)
    const world = await logoutWorld({ changes: { callbacks: { session } as never } })
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    isIn = false
    pass(301)
    expect(await ada.session()).toBeNull()
    await world.settle()
    expect(world.app.sessions.size).toBe(0)
  })
})

describe('the app does not hear of', () => {
  it.each<[string, (three: Three) => Promise<unknown>]>([
    ['an end of its access', ({ one }) => one.submit('/auth/apps/remove', { app: 'own' })],
    ['endApp', ({ auth, sub, context }) => auth.endApp(sub, 'own', {}, context)],
    [
      'a token that it revokes itself',
      async ({ one, enter, nobody }) => {
        const { refresh_token: token = '' } = await enter(one)
        return nobody().post('/auth/oauth/revoke', { client_id: 'own', token })
      },
    ],
    [
      'a session that has expired',
      async ({ one, nobody }) => {
        pass(31 * 86_400)
        await one.session()
        return nobody().get('/auth/oauth/jwks.json')
      },
    ],
  ])('%s', async (_, end) => {
    const three = await threeSessions()
    await end(three)
    await three.settle()
    expect(three.app.heard).toEqual([])
    expect(three.app.sessions.size).toBe(3)
  })

  it('a grant without `openid`, which gave no ID token', async () => {
    const world = await logoutWorld()
    const ada = await world.signIn('ada')
    await world.enter(ada, { scope: 'notes:read' })
    await ada.submit('/auth/signout')
    await world.settle()
    expect(world.app.heard).toEqual([])
  })

  it('a session that ended before, when all end', async () => {
    const world = await logoutWorld()
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    await ada.submit('/auth/signout')
    await world.settle()
    const again = await world.signIn('ada')
    await world.enterOwn(again)
    await again.submit('/auth/sessions/revoke', { session: 'all' })
    await world.settle()
    expect(world.app.heard).toHaveLength(2)
  })
})

describe('several apps', () => {
  it('each hears it with its own audience, and one that is down keeps nobody waiting', async () => {
    const world = await logoutWorld({
      apps: {
        down: {
          redirectUris: ['https://down.example/cb'],
          firstParty: true,
          // Nothing listens there.
          backchannelLogoutUri: 'http://127.0.0.1:9/',
        },
      },
    })
    const keys = async () => (await world.nobody().get('/auth/oauth/jwks.json')).json() as never
    const web = await startApp('web', keys)
    const more = await logoutWorld({
      inner: world.inner,
      own: { backchannelLogoutUri: world.app.url },
      apps: {
        web: {
          redirectUris: ['https://web.example/cb'],
          secret: clientSecret,
          backchannelLogoutUri: web.url,
        },
        down: {
          redirectUris: ['https://down.example/cb'],
          firstParty: true,
          backchannelLogoutUri: 'http://127.0.0.1:9/',
        },
      },
    })
    const ada = await more.signIn('ada')
    const down = { client_id: 'down', redirect_uri: 'https://down.example/cb' }
    expect((await more.enter(ada, down)).status).toBe(200)
    await world.app.begin((await more.enter(ada)).id_token)
    const { code } = await more.letIn(ada, {
      client_id: 'web',
      redirect_uri: 'https://web.example/cb',
      scope: 'openid',
    })
    const at = { client_id: 'web', client_secret: clientSecret }
    await web.begin((await more.exchange(code, at)).id_token)
    await ada.submit('/auth/signout')
    await expect.poll(() => [world.app.sessions.size, web.sessions.size]).toEqual([0, 0])
    expect(world.app.heard.map(({ claims }) => claims.aud)).toEqual(['own'])
    expect(web.heard.map(({ claims }) => claims.aud)).toEqual(['web'])
    await expect.poll(() => more.warnings).toEqual(['logout-not-received down: unreachable'])
    const [row] = await more.rows()
    expect(JSON.parse(row?.content ?? '').endings.map(({ app }: { app: string }) => app)).toEqual([
      'down',
    ])
  })
})

describe('a receiver that is down', () => {
  it('for some seconds hears it a little later, by another token', async () => {
    takeTimers()
    const world = await logoutWorld({ isHere: true })
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    world.app.status = 503
    await ada.submit('/auth/signout')
    await expect.poll(() => world.app.heard.length).toBe(1)
    await expect.poll(async () => (await world.rows()).map(({ version }) => version)).toEqual([2])
    world.app.status = undefined
    await advance(6_000)
    await expect.poll(() => world.app.sessions.size).toBe(0)
    const [one, two] = world.app.heard
    expect(two?.claims.jti).not.toBe(one?.claims.jti)
    expect(two?.claims.iat).toBeGreaterThan(one?.claims.iat ?? 0)
    await expect.poll(() => world.rows()).toEqual([])
  })

  it('for a minute hears it afterwards, by whichever isolate has a request then', async () => {
    const world = await logoutWorld()
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    world.app.status = 500
    await ada.submit('/auth/signout')
    await expect.poll(() => world.app.heard.length).toBe(1)
    await expect.poll(async () => (await world.rows())[0]?.version).toBe(2)
    // The isolate ends: its timers too.
    const next = world.process(world.inner)
    world.app.status = undefined
    pass(62)
    await next.nobody().get('/auth/oauth/jwks.json')
    await next.settle()
    expect(world.app.sessions.size).toBe(0)
    expect(await world.rows()).toEqual([])
  })

  it('gets eight tries, with the pauses of webhooks, and then the log says that it is given up', async () => {
    const world = await logoutWorld()
    await world.missed()
    const pauses = [6, 72, 360, 2_160, 8_640, 25_920, 60_480]
    for (const pause of pauses) {
      pass(pause + 61)
      const next = world.process(world.inner)
      await next.nobody().get('/auth/.well-known/openid-configuration')
      await next.settle()
    }
    expect(world.app.heard).toHaveLength(8)
    expect(await world.rows()).toEqual([])
    expect(world.warnings.at(-1)).toBe('logout-not-received own: status 500, given up')
    pass(86_400)
    const next = world.process(world.inner)
    await next.nobody().get('/auth/oauth/jwks.json')
    await next.settle()
    expect(world.app.heard).toHaveLength(8)
  })

  it('is sent one token for each try, however many isolates look at once', async () => {
    const world = await logoutWorld()
    await world.missed()
    pass(70)
    const all = Array.from({ length: 10 }, () => world.process(world.inner))
    await Promise.all(all.map((one) => one.nobody().get('/auth/oauth/jwks.json')))
    await Promise.all(all.map((one) => one.settle()))
    expect(world.app.heard).toHaveLength(2)
  })
})

describe('a key that cannot be read', () => {
  it('keeps no other app waiting, and the app hears it later', async () => {
    const rsa = { redirectUris: ['https://rsa.example/cb'], firstParty: true, alg: 'RS256' }
    const keys = async () => (await world.nobody().get('/auth/oauth/jwks.json')).json() as never
    const other = await startApp('rsa', keys)
    const world = await logoutWorld({ apps: { rsa: { ...rsa, backchannelLogoutUri: other.url } } })
    const ada = await world.signIn('ada')
    const at = { client_id: 'rsa', redirect_uri: 'https://rsa.example/cb' }
    await other.begin((await world.enter(ada, at)).id_token)
    await world.enterOwn(ada)
    // Another isolate, which does not know the key yet.
    const next = world.process(world.inner)
    const moved = next.nobody()
    for (const [name, value] of ada.jar) moved.jar.set(name, value)
    next.faults.set('document', async (...args) => {
      if (String(args[0]).startsWith('rsa')) throw new Error('The store is down.')
      return world.inner.ledger.document(String(args[0]))
    })
    await moved.submit('/auth/signout')
    await expect.poll(() => world.app.sessions.size).toBe(0)
    await expect.poll(() => world.warnings).toEqual(['logout-not-received rsa: unsent'])
    expect(other.sessions.size).toBe(1)
    await expect.poll(async () => (await world.rows())[0]?.version).toBe(2)
    pass(62)
    const last = world.process(world.inner)
    await last.nobody().get('/auth/oauth/jwks.json')
    await last.settle()
    expect(other.sessions.size).toBe(0)
  })
})

describe('a logout token is nothing else', () => {
  it('attack: not a hint that signs a person out at once, nor a bearer token', async () => {
    const world = await logoutWorld()
    const [ada, other] = [await world.signIn('ada'), await world.signIn('ada')]
    await world.enterOwn(ada)
    await ada.submit('/auth/signout')
    await world.settle()
    const { token = '' } = world.app.heard[0] ?? {}
    expect(decodeJwt(token).aud).toBe('own')
    const page = await other.get(`/auth/oauth/end-session?id_token_hint=${token}`)
    expect([page.status, locationOf(page)]).toEqual([200, ''])
    const info = await world
      .nobody()
      .get('/auth/oauth/userinfo', { authorization: `Bearer ${token}` })
    expect(info.status).toBe(401)
    const silent = await other.get(
      `/auth/oauth/authorize?${new URLSearchParams({ prompt: 'none', id_token_hint: token })}`,
    )
    expect(locationOf(silent)).not.toContain('code=')
  })
})
