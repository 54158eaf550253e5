import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { DamagedRecord, StoreUnavailable } from '../../errors.js'
import { faulty } from '../../test-support/faulty.js'
import { authorizationFor, claimsOf, oauthIsolate } from '../../test-support/oauth.js'
import { beginGrant, endGrants, grantsOf, keyOf, lastUseOf, readGrant } from './grant.js'

const { pass } = clock()

const SID = 'the-session-of-ada-0123456789'

/** A service with one grant, and its document. */
async function withGrant() {
  const watched = faulty()
  const one = oauthIsolate({ store: watched.store })
  const begun = await one.grant({ sid: SID })
  const handle = String(claimsOf(begun.accessToken).grant)
  const key = keyOf('ada', handle)
  const { ledger } = watched.inner
  return {
    ...one,
    ...watched,
    begun,
    handle,
    document: () => ledger.document(key),
    async rewrite(change: (content: string) => string | null) {
      const { version = 0, content } = (await ledger.document(key)) ?? {}
      await ledger.changeDocument(key, version, change(String(content)))
    },
  }
}

describe('grants of a person', () => {
  it('are listed with one call, with what they allow and when they were used last', async () => {
    const { within, refresh, begun, calls, handle, grant } = await withGrant()
    pass(600)
    await refresh(begun.refreshToken)
    await grant({ sub: 'grace' })
    const before = calls.length
    const grants = await within((request) => grantsOf(request, 'ada'))
    expect(calls.slice(before).map(({ name }) => name)).toEqual(['documentsOf'])
    const now = Date.now() / 1000
    expect(grants).toMatchObject([
      {
        handle,
        app: 'spa',
        scopes: ['openid', 'profile', 'notes:read'],
        sid: SID,
        version: 2,
        added: now - 600,
      },
    ])
    expect(grants.map(lastUseOf)).toEqual([now])
  })

  it('end with one call, at once', async () => {
    const { within, refresh, userInfo, begun, calls, handle, store, document } = await withGrant()
    const before = calls.length
    await within((request) => endGrants(request, 'ada', [handle]))
    expect(calls.slice(before).map(({ name }) => name)).toEqual(['endAll'])
    expect((await refresh(begun.refreshToken)).error).toBe('invalid_grant')
    expect((await userInfo(begun.accessToken)).status).toBe(401)
    expect((await document())?.content ?? null).toBeNull()
    const { sessions } = await store.ledger.revokedSince(0)
    expect(sessions.map(({ sid }) => sid)).toEqual([handle])
    await within((request) => endGrants(request, 'ada', []))
    expect(calls.filter(({ name }) => name === 'endAll')).toHaveLength(1)
  })

  it('are 50 for one app at most: then the one unused for longest ends, and no other', async () => {
    const one = oauthIsolate()
    const other = await one.grant({ app: 'other' })
    const first = await one.grant()
    const second = await one.grant()
    for (let count = 2; count < 50; count++) {
      pass(1)
      await one.grant()
    }
    const used = await one.refresh(first.refreshToken)
    pass(1)
    const last = await one.grant()
    pass(31)
    const grants = await one.within((request) => grantsOf(request, 'ada'))
    expect(grants.filter(({ app }) => app === 'spa')).toHaveLength(50)
    expect((await one.refresh(second.refreshToken)).error).toBe('invalid_grant')
    expect((await one.refresh(used.refreshToken)).status).toBe(200)
    expect((await one.refresh(last.refreshToken)).status).toBe(200)
    expect((await one.refresh(other.refreshToken, { client_id: 'other' })).status).toBe(200)
    expect(one.warnings).toEqual([])
  })
})

it('a person who is erased or merged leaves no grant and no consent', async () => {
  const { within, refresh, begun, grant, store, calls } = await withGrant()
  const offline = await grant({ scopes: ['offline_access'] })
  const damaged = await grant()
  const other = await grant({ sub: 'ada-2' })
  const key = keyOf('ada', String(claimsOf(damaged.accessToken).grant))
  await store.ledger.changeDocument(key, 1, 'damaged')
  await store.ledger.changeDocument('consent\nada\nspa', 0, '{}')
  const before = calls.length
  await within((request) => request.features.gone(request, 'ada'))
  expect(calls.slice(before).map(({ name }) => name)).toEqual([
    'documentsOf',
    'endAll',
    'documentsOf',
    'document',
    'documentsOf',
  ])
  expect(await store.ledger.documentsOf('ada', ['grant', 'consent'])).toEqual([])
  for (const { refreshToken } of [begun, offline]) {
    expect((await refresh(refreshToken)).error).toBe('invalid_grant')
  }
  expect((await refresh(other.refreshToken)).status).toBe(200)
})

describe('of one authorization', () => {
  it('200 calls at once begin one grant', async () => {
    const one = oauthIsolate()
    const states = await one.within(async (request) => {
      const authorization = authorizationFor(request)
      const all = await Promise.all(
        Array.from({ length: 200 }, () => beginGrant(request, authorization)),
      )
      return all.map(({ state }) => state)
    })
    expect(states.filter((state) => state === 'begun')).toHaveLength(1)
    expect(states.filter((state) => state === 'known')).toHaveLength(199)
  })
})

describe('a document', () => {
  it.each<[string, (content: string) => string | null]>([
    ['is no JSON', () => 'x\ny'],
    ['has one line', (content) => content.split('\n')[0] ?? ''],
    ['has a line more', (content) => `${content}\n{}`],
    ['has no use', (content) => content.replace(/\n.*/, '\n{"used":[]}')],
    ['has a use without a time', (content) => content.replace(/\n.*/, '\n{"used":[["x","y"]]}')],
    ['has no app', (content) => content.replace('"app":"spa"', '"app":7')],
    ['has no end', (content) => content.replace(/"sexp":\d+/, '"sexp":"never"')],
    ['has another acr', (content) => content.replace('"acr":"1"', '"acr":"3"')],
    ['is an older format than the first', (content) => content.replace('"v":1', '"v":0')],
  ])('that %s gives no tokens: the app lets the person decide again', async (_, change) => {
    const { rewrite, refresh, begun, errors, userInfo, within } = await withGrant()
    await rewrite(change)
    const { refreshToken: token } = begun
    // The document has another version since.
    const answer = await refresh(token)
    expect([answer.status, answer.error]).toEqual([400, 'invalid_grant'])
    expect(errors[0]).toBeInstanceOf(DamagedRecord)
    expect((await userInfo(begun.accessToken)).status).toBe(401)
    expect(await within((request) => grantsOf(request, 'ada'))).toEqual([])
    expect(JSON.stringify(errors)).not.toContain(token)
  })

  it('that is another app’s gives no tokens', async () => {
    const { rewrite, refresh, begun, errors } = await withGrant()
    await rewrite((content) => content.replace('"app":"spa"', '"app":"other"'))
    expect((await refresh(begun.refreshToken)).error).toBe('invalid_grant')
    expect(errors[0]).toBeInstanceOf(DamagedRecord)
  })

  it('with the sealed part of another grant does not show that person', async () => {
    const { rewrite, grant, store, userInfo, begun, errors } = await withGrant()
    const other = await grant({ sub: 'grace', profile: { name: 'Grace' } })
    const key = keyOf('grace', String(claimsOf(other.accessToken).grant))
    const document = await store.ledger.document(key)
    const [, foreign = ''] = /"sealed":"([^"]+)"/.exec(document?.content ?? '') ?? []
    await rewrite((content) => content.replace(/"sealed":"[^"]+"/, `"sealed":"${foreign}"`))
    const answer = await userInfo(begun.accessToken)
    expect([answer.status, answer.error]).toEqual([401, 'invalid_token'])
    expect(errors[0]).toBeInstanceOf(DamagedRecord)
  })

  it('that a later version has written lets the app ask again, since it may be a deployment', async () => {
    const { rewrite, refresh, begun, within, handle, grant } = await withGrant()
    await rewrite((content) => content.replace('"v":1', '"v":2,"more":true'))
    expect((await refresh(begun.refreshToken)).status).toBe(503)
    const name = { sub: 'ada', handle, sid: SID, began: 0, pid: undefined }
    await expect(within((request) => readGrant(request, name))).rejects.toThrow(StoreUnavailable)
    expect((await grant()).status).toBe(200)
  })

  it('that this version writes is read by every later one', async () => {
    const { document } = await withGrant()
    const [first = '', last = ''] = ((await document())?.content ?? '').split('\n')
    const now = Date.now() / 1000
    expect(JSON.parse(first)).toEqual({
      v: 1,
      app: 'spa',
      resource: 'https://api.example/',
      scope: 'openid profile notes:read',
      began: now - 10,
      authTime: now - 10,
      acr: '1',
      sid: SID,
      sexp: now + 30 * 86_400,
      added: now,
      sealed: expect.stringMatching(/^[\w-]{8}\.[\w-]+$/),
    })
    expect(JSON.parse(last)).toEqual({ used: [[now, expect.stringMatching(/^[\w-]{8}$/)]] })
  })
})
