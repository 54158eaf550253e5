import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { memoryStore } from '../../stores/memory.js'
import { fails, faulty } from '../../test-support/faulty.js'
import {
  claimsOf,
  clientSecret,
  oauthIsolate,
  resource,
  serverWith,
} from '../../test-support/oauth.js'

const { pass } = clock()

const [older, newer] = [
  'an-older-secret-0123456789-0123456789',
  'a-newer-secret-0123456789-0123456789',
]
const DAY = 86_400
const offline = ['openid', 'offline_access', 'notes:read', 'notes:write']

describe('a refresh gives', () => {
  it('a new access token with the facts of the grant, and a new refresh token', async () => {
    const one = oauthIsolate()
    const first = await one.grant({ amr: ['one', 'mfa'] })
    pass(300)
    const second = await one.refresh(first.refreshToken)
    expect(second.status).toBe(200)
    expect(Object.keys(second.body).toSorted()).toEqual(
      ['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type'].toSorted(),
    )
    expect(second.refreshToken).not.toBe(first.refreshToken)
    const { iat, exp, jti, ...before } = claimsOf(first.accessToken)
    const after = claimsOf(second.accessToken)
    expect(after).toMatchObject({
      ...before,
      acr: '2',
      iat: Number(iat) + 300,
      exp: Number(exp) + 300,
    })
    expect(after.jti).not.toBe(jti)
  })

  it('fewer scopes if fewer are asked for, and all of them again the next time', async () => {
    const one = oauthIsolate()
    const { refreshToken } = await one.grant({ scopes: ['openid', 'notes:read', 'notes:write'] })
    const narrow = await one.refresh(refreshToken, { scope: 'notes:write  openid' })
    expect(narrow.body.scope).toBe('openid notes:write')
    expect(claimsOf(narrow.accessToken).scope).toBe('openid notes:write')
    const wide = await one.refresh(narrow.refreshToken)
    expect(wide.body.scope).toBe('openid notes:read notes:write')
  })
})

describe('a mistake in a refresh uses no token up and ends nothing', () => {
  it.each([
    ['scope widening by refresh', { scope: 'openid notes:write' }, 'invalid_scope'],
    ['tokens across resources', { resource: 'https://more.example/' }, 'invalid_target'],
    ['tokens across apps', { client_id: 'other' }, 'invalid_grant'],
    [
      'a confidential app with it',
      { client_id: 'web', client_secret: clientSecret },
      'invalid_grant',
    ],
    ['an app that does not authenticate itself', { client_id: 'web' }, 'invalid_client'],
  ])('%s', async (_, fields, error) => {
    const one = oauthIsolate()
    const { refreshToken } = await one.grant()
    expect((await one.refresh(refreshToken, fields as Record<string, string>)).error).toBe(error)
    pass(31)
    const second = await one.refresh(refreshToken, { resource })
    expect(second.status).toBe(200)
    pass(31)
    await one.refresh(refreshToken, fields as Record<string, string>)
    expect((await one.refresh(second.refreshToken)).status).toBe(200)
    expect(one.warnings).toEqual([])
  })

  it('tokens across uses: an access token, an ID token and a code', async () => {
    const one = oauthIsolate()
    const { body, accessToken } = await one.grant()
    for (const token of [accessToken, String(body.id_token), await one.code()]) {
      expect((await one.refresh(token)).error).toBe('invalid_grant')
    }
  })

  it('tokens across issuers', async () => {
    const one = oauthIsolate()
    const { refreshToken } = await one.grant()
    const other = oauthIsolate({ store: one.store, config: { basePath: '/api/auth' } })
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'spa',
      refresh_token: refreshToken,
    })
    const address = 'http://localhost:8787/api/auth/oauth/token'
    const answer = await other.answer(new Request(address, { method: 'POST', body }))
    expect(((await answer.json()) as { error: string }).error).toBe('invalid_grant')
    expect((await one.refresh(refreshToken)).status).toBe(200)
  })
})

describe('for 30 seconds from its first use a refresh token gives the same successor', () => {
  it('to each retry, also if the successor was used meanwhile, as often as it may be', async () => {
    const one = oauthIsolate()
    const { refreshToken } = await one.grant()
    const chain = [refreshToken]
    for (let uses = 0; uses < 20; uses++) {
      chain.push((await one.refresh(chain.at(-1) ?? '')).refreshToken)
      pass(1)
    }
    expect(new Set(chain).size).toBe(21)
    // The newest first, and the oldest 20 seconds after its first use.
    for (const [at, token] of chain.slice(0, -1).entries()) {
      expect((await one.refresh(token)).refreshToken).toBe(chain[at + 1])
    }
    pass(11)
    // The first token was used more than 30 seconds ago, and the last one 12.
    expect((await one.refresh(chain[19] ?? '')).refreshToken).toBe(chain[20])
    expect((await one.refresh(chain[20] ?? '')).status).toBe(200)
    expect(one.warnings).toEqual([])
  })

  it('by isolates whose clocks differ', async () => {
    const one = oauthIsolate()
    const { refreshToken } = await one.grant()
    const second = await one.refresh(refreshToken)
    pass(-2)
    const other = oauthIsolate({ store: one.store })
    expect((await other.refresh(refreshToken)).refreshToken).toBe(second.refreshToken)
    const third = await other.refresh(second.refreshToken)
    pass(4)
    expect((await one.refresh(second.refreshToken)).refreshToken).toBe(third.refreshToken)
    expect((await one.refresh(third.refreshToken)).status).toBe(200)
  })

  it('a thirtieth of them within 30 seconds has to wait, and nothing ends', async () => {
    const one = oauthIsolate()
    let { refreshToken } = await one.grant()
    for (let uses = 1; uses < 30; uses++) ({ refreshToken } = await one.refresh(refreshToken))
    const busy = await one.refresh(refreshToken)
    expect([busy.status, busy.error]).toEqual([503, 'temporarily_unavailable'])
    pass(31)
    expect((await one.refresh(refreshToken)).status).toBe(200)
  })
})

describe('refresh tokens that are stolen', () => {
  it('before their use: the app comes later than 30 seconds, and the grant ends', async () => {
    const one = oauthIsolate()
    const { refreshToken, accessToken } = await one.grant()
    const stolen = await one.refresh(refreshToken)
    pass(31)
    const own = await one.refresh(refreshToken)
    expect([own.status, own.error]).toEqual([400, 'invalid_grant'])
    expect((await one.refresh(stolen.refreshToken)).error).toBe('invalid_grant')
    expect((await one.userInfo(stolen.accessToken)).status).toBe(401)
    expect((await one.userInfo(accessToken)).status).toBe(401)
    expect(one.warnings).toEqual([['refresh-reused', 'spa']])
  })

  it('after their use: the thief comes later than 30 seconds, and the grant ends', async () => {
    const one = oauthIsolate()
    const { refreshToken } = await one.grant()
    let own = await one.refresh(refreshToken)
    for (let uses = 0; uses < 3; uses++) {
      pass(300)
      own = await one.refresh(own.refreshToken)
    }
    expect((await one.refresh(refreshToken)).error).toBe('invalid_grant')
    expect((await one.refresh(own.refreshToken)).error).toBe('invalid_grant')
    expect(one.warnings).toEqual([['refresh-reused', 'spa']])
    const { sessions } = await one.store.ledger.revokedSince(0)
    expect(sessions.map(({ sid }) => sid)).toEqual([claimsOf(own.accessToken || '').grant])
  })

  it('while uses follow each other: each is known for 30 seconds, and not longer', async () => {
    const one = oauthIsolate()
    const { refreshToken } = await one.grant()
    let last = await one.refresh(refreshToken)
    for (let uses = 0; uses < 3; uses++) {
      pass(10)
      last = await one.refresh(last.refreshToken)
    }
    expect((await one.refresh(refreshToken)).status).toBe(200)
    pass(1)
    expect((await one.refresh(refreshToken)).error).toBe('invalid_grant')
    expect((await one.refresh(last.refreshToken)).error).toBe('invalid_grant')
  })
})

describe('a grant ends', () => {
  it('with its session, and at the end that the session had', async () => {
    const one = oauthIsolate()
    const now = Date.now() / 1000
    const sids = ['one', 'two'].map((name) => `the-session-${name}-0123456789-abc`)
    const [ended, kept] = await Promise.all(sids.map((sid) => one.grant({ sid, sexp: now + DAY })))
    await one.store.ledger.revoke(sids[0] ?? '', now + DAY)
    expect((await one.refresh(ended?.refreshToken ?? '')).error).toBe('invalid_grant')
    const { refreshToken } = await one.refresh(kept?.refreshToken ?? '')
    pass(DAY - 1)
    const last = await one.refresh(refreshToken)
    expect(last.status).toBe(200)
    pass(1)
    expect((await one.refresh(last.refreshToken)).error).toBe('invalid_grant')
    expect((await one.userInfo(last.accessToken)).status).toBe(401)
    expect(one.warnings).toEqual([])
  })

  it('with offline_access 30 days after its last refresh, and after a year at the latest', async () => {
    const one = oauthIsolate()
    const began = Date.now() / 1000
    const unused = await one.grant({ scopes: offline, began, sexp: began + 365 * DAY })
    let used = await one.grant({ scopes: offline, began, sexp: began + 365 * DAY })
    pass(30 * DAY - 1)
    used = await one.refresh(used.refreshToken)
    expect(used.status).toBe(200)
    pass(1)
    expect((await one.refresh(unused.refreshToken)).error).toBe('invalid_grant')
    for (let days = 60; days < 365; days += 30) {
      pass(30 * DAY - 2)
      used = await one.refresh(used.refreshToken)
      expect(used.status).toBe(200)
    }
    pass(began + 365 * DAY - 1 - Date.now() / 1000)
    used = await one.refresh(used.refreshToken)
    expect(used.status).toBe(200)
    pass(1)
    expect((await one.refresh(used.refreshToken)).error).toBe('invalid_grant')
  })

  it('with everywhere: that of another session and one with offline_access, and not the own', async () => {
    const one = oauthIsolate()
    const now = Date.now() / 1000
    const own = 'the-session-own-0123456789'
    const other = 'the-session-other-0123456789'
    const grants = await Promise.all([
      one.grant({ sid: own, began: now - 10 }),
      one.grant({ sid: other, began: now - 10 }),
      one.grant({ scopes: offline, began: now - 10 }),
      one.grant({ sub: 'grace', sid: 'the-session-of-grace-0123456789', began: now - 10 }),
    ])
    await one.store.ledger.cutOff({ sub: 'ada', until: now, except: own }, now + DAY, now - 10)
    const answers = await Promise.all(grants.map(({ refreshToken }) => one.refresh(refreshToken)))
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 200])
  })

  it('when the person is erased, whichever secret has named them', async () => {
    const store = memoryStore()
    const before = oauthIsolate({ store, config: { secret: older } })
    const during = oauthIsolate({ store, config: { secret: [newer, older] } })
    const grants = [
      await before.grant({ scopes: offline }),
      await during.grant({ scopes: offline }),
    ]
    pass(40)
    const renewed = await during.refresh(grants[0]?.refreshToken ?? '')
    await during.within(async ({ stores, keys }) => {
      const now = Date.now() / 1000
      await stores.ledger.erase(
        { sub: 'ada', until: now },
        await keys.pseudonyms.all('ada'),
        now + DAY,
      )
    })
    pass(40)
    const after = oauthIsolate({ store, config: { secret: newer } })
    for (const one of [during, after]) {
      expect((await one.refresh(renewed.refreshToken)).error).toBe('invalid_grant')
      expect((await one.refresh(grants[1]?.refreshToken ?? '')).error).toBe('invalid_grant')
    }
  })

  it('when an isolate without the newer secret erases the person', async () => {
    const store = memoryStore()
    const before = oauthIsolate({ store, config: { secret: older } })
    const { refreshToken } = await before.grant({ scopes: offline })
    pass(40)
    await before.within(async ({ stores, keys }) => {
      const now = Date.now() / 1000
      const pids = await keys.pseudonyms.all('ada')
      await stores.ledger.erase({ sub: 'ada', until: now }, pids, now + DAY)
    })
    const during = oauthIsolate({ store, config: { secret: [newer, older] } })
    expect((await during.refresh(refreshToken)).error).toBe('invalid_grant')
  })

  it('with its own handle, whatever its session and its document say', async () => {
    const one = oauthIsolate()
    const { refreshToken, accessToken } = await one.grant()
    await one.store.ledger.revoke(String(claimsOf(accessToken).grant), Date.now() / 1000 + DAY)
    expect((await one.refresh(refreshToken)).error).toBe('invalid_grant')
    expect((await one.userInfo(accessToken)).status).toBe(401)
  })

  it('by itself, and then its refresh token reaches no ledger', async () => {
    const { store, calls } = faulty()
    const one = oauthIsolate({ store })
    const { refreshToken } = await one.grant({ scopes: offline })
    pass(30 * DAY)
    const before = calls.length
    expect((await one.refresh(refreshToken)).error).toBe('invalid_grant')
    expect(calls.slice(before)).toEqual([])
  })

  it('when its app or its resource is no longer configured', async () => {
    const one = oauthIsolate()
    const { refreshToken, accessToken } = await one.grant()
    const withoutApp = oauthIsolate({ store: one.store, server: serverWith({ apps: new Map() }) })
    expect((await withoutApp.refresh(refreshToken)).error).toBe('invalid_client')
    expect((await withoutApp.userInfo(accessToken)).status).toBe(401)
    const without = oauthIsolate({ store: one.store, server: serverWith({ resources: new Map() }) })
    expect((await without.refresh(refreshToken)).error).toBe('invalid_target')
    expect((await without.userInfo(accessToken)).status).toBe(401)
  })

  it('when it belongs to an app that nobody registered, and its resource is no longer open', async () => {
    const app = 'https://app.example/client'
    const [own] = serverWith().resources.values()
    const opened = (isOpen: boolean) =>
      serverWith({ isOpen: true, resources: new Map([[resource, { ...own, isOpen }]]) as never })
    const one = oauthIsolate({ server: opened(true) })
    const { refreshToken, status } = await one.grant({ app })
    expect(status).toBe(200)
    const closed = oauthIsolate({ store: one.store, server: opened(false) })
    expect((await closed.refresh(refreshToken, { client_id: app })).error).toBe('invalid_target')
    expect((await one.refresh(refreshToken, { client_id: app })).status).toBe(200)
  })
})

describe('a rotation of secrets', () => {
  it('signs no app out that refreshes meanwhile: each refresh renews under the first', async () => {
    const store = memoryStore()
    const before = oauthIsolate({ store, config: { secret: older } })
    const during = oauthIsolate({ store, config: { secret: [newer, older] } })
    const after = oauthIsolate({ store, config: { secret: newer } })
    const [first, idle] = [await before.grant(), await before.grant()]
    const second = await during.refresh(first.refreshToken)
    expect(second.status).toBe(200)
    pass(40)
    const third = await after.refresh(second.refreshToken)
    expect(third.status).toBe(200)
    expect((await after.userInfo(third.accessToken)).body).toEqual({ sub: 'ada', name: 'Ada' })
    // A retired secret: apps that have not refreshed since are signed out, and no grant is ended for it.
    expect((await after.refresh(idle.refreshToken)).error).toBe('invalid_grant')
    expect((await during.refresh(idle.refreshToken)).status).toBe(200)
    expect(after.warnings).toEqual([])
  })

  it('gives one successor, whichever isolate has which secret first', async () => {
    const store = memoryStore()
    const [one, other] = [
      oauthIsolate({ store, config: { secret: [older, newer] } }),
      oauthIsolate({ store, config: { secret: [newer, older] } }),
    ]
    let { refreshToken } = await one.grant()
    for (let uses = 0; uses < 8; uses++) {
      pass(2)
      const answers = await Promise.all(
        [one, other, other, one].map((isolate) => isolate.refresh(refreshToken)),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const tokens = new Set(answers.map((answer) => answer.refreshToken))
      expect(tokens.size).toBe(1)
      // Another order the next time.
      if (uses % 2 === 0) await other.refresh([...tokens][0] ?? '')
      refreshToken = [...tokens][0] ?? ''
    }
  })

  it('an isolate that lacks the secret of the successor yet lets the app ask again', async () => {
    const store = memoryStore()
    const [late, early] = [
      oauthIsolate({ store, config: { secret: older } }),
      oauthIsolate({ store, config: { secret: [newer, older] } }),
    ]
    const { refreshToken } = await late.grant()
    const second = await early.refresh(refreshToken)
    expect((await late.refresh(refreshToken)).status).toBe(503)
    expect((await early.refresh(refreshToken)).refreshToken).toBe(second.refreshToken)
  })
})

describe('a store that fails', () => {
  it('loses no refresh token', async () => {
    const { store, faults } = faulty()
    const one = oauthIsolate({ store })
    const { refreshToken } = await one.grant()
    faults.set('liveDocument', fails)
    const failed = await one.refresh(refreshToken)
    expect([failed.status, failed.error]).toEqual([503, 'temporarily_unavailable'])
    expect(failed.headers.get('retry-after')).toBe('2')
    pass(300)
    expect((await one.refresh(refreshToken)).status).toBe(503)
    faults.clear()
    expect((await one.refresh(refreshToken)).status).toBe(200)
  })

  it('after it has written gives the successor at the second try, or within 30 seconds', async () => {
    const { store, inner, faults } = faulty()
    const one = oauthIsolate({ store })
    const { refreshToken } = await one.grant()
    let lost = 0
    faults.set('liveDocument', async (...args) => {
      await inner.ledger.liveDocument(...(args as never as [string, never]))
      lost++
      throw new Error('The answer was lost.')
    })
    expect((await one.refresh(refreshToken)).status).toBe(503)
    expect(lost).toBe(2)
    faults.clear()
    pass(30)
    const second = await one.refresh(refreshToken)
    expect(second.status).toBe(200)
    pass(30)
    expect((await one.refresh(second.refreshToken)).status).toBe(200)
    expect(one.warnings).toEqual([])
  })

  it('keeps no part of a refresh token, and no name or address in the clear', async () => {
    const { store, calls } = faulty()
    const one = oauthIsolate({ store })
    const first = await one.grant()
    const second = await one.refresh(first.refreshToken)
    const written = JSON.stringify(calls)
    for (const { refreshToken } of [first, second]) {
      expect(written).not.toContain(refreshToken.split('.')[1])
    }
    expect(written).not.toContain('Ada')
    expect(written).not.toContain('ada@people.example')
  })
})
