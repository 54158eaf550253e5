import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { locationOf } from '../../test-support/browser.js'
import {
  answerIn,
  authorizePath,
  backFrom,
  errorIn,
  issuer,
  OPTIONS,
  oauthPeople,
  resource,
} from '../../test-support/oauth-people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

const CLIENT = 'https://client.example/app.json'

const document = {
  client_id: CLIENT,
  client_name: 'Some Client',
  redirect_uris: ['https://client.example/cb', 'http://127.0.0.1/cb'],
  token_endpoint_auth_method: 'none',
}

const asks = { client_id: CLIENT, redirect_uri: 'https://client.example/cb' }

/** A service with an open resource, and the document that an app has of itself. */
function open(resources: object = { ...OPTIONS.resources[resource], open: true }) {
  const fetched: string[] = []
  let told: object = document
  const fetch = async (input: unknown) => {
    fetched.push(String(input))
    return Response.json(told)
  }
  const world = oauthPeople({
    ...OPTIONS,
    resources: { [resource]: resources },
    fetch: fetch as typeof globalThis.fetch,
  })
  return {
    ...world,
    fetched,
    /** The document says something else, once nobody keeps what it said. */
    becomes(changes: object) {
      told = { ...document, ...changes }
      pass(86_400)
    },
  }
}

describe('an app that nobody has registered', () => {
  it('is shown with its name, its own host and the host that it leads to', async () => {
    const world = open()
    const ada = await world.signIn('one', 'ada')
    const answer = await world.authorize(ada, { ...asks, redirect_uri: 'http://127.0.0.1:7777/cb' })
    const page = await answer.text()
    expect(page).toContain('Allow \u2068Some Client\u2069 to use your account?')
    expect(page).toContain('This app is from <strong dir="ltr">client.example</strong>.')
    expect(page).toContain('<strong dir="ltr">127.0.0.1:7777</strong>')
  })

  it('attack: nothing is fetched for a browser without a session, nor at the decision', async () => {
    const world = open()
    const nobody = world.browser()
    expect(backFrom(await world.authorize(nobody, asks))).toBe(authorizePath(asks))
    expect((await world.authorize(nobody, { ...asks, prompt: 'none' })).status).toBe(400)
    expect(world.fetched).toEqual([])
    const ada = await world.signIn('one', 'ada')
    const stolen = world.copyOf(ada)
    const page = await world.authorize(ada, asks)
    expect(world.fetched).toEqual([CLIENT])
    pass(300)
    const { code } = answerIn(await world.decide(ada, page))
    expect(world.fetched).toEqual([CLIENT])
    expect(await world.open(code)).toMatchObject({ app: CLIENT, resource })
    pass(86_400)
    await ada.submit('/auth/signout')
    await world.authorize(stolen, asks)
    expect(world.fetched).toEqual([CLIENT])
  })

  it('a consent counts while name and redirect URI are those that were shown', async () => {
    const world = open()
    const ada = await world.signIn('one', 'ada')
    await world.letIn(ada, asks)
    expect(answerIn(await world.authorize(ada, asks)).code).toBeDefined()
    world.becomes({ client_name: 'Your Bank' })
    expect((await world.authorize(ada, asks)).status).toBe(200)
    world.becomes({ redirect_uris: ['https://client.example/cb', 'https://client.example/other'] })
    const other = { ...asks, redirect_uri: 'https://client.example/other' }
    expect((await world.authorize(ada, other)).status).toBe(200)
    expect(answerIn(await world.authorize(ada, asks)).code).toBeDefined()
  })

  it('attack: an app that was taken over has no earlier consent', async () => {
    const world = open()
    const ada = await world.signIn('one', 'ada')
    await world.letIn(ada, { ...asks, scope: 'notes:read notes:write' })
    world.becomes({ client_name: 'Your Bank' })
    await world.letIn(ada, { ...asks, scope: 'notes:read' })
    const more = await world.authorize(ada, { ...asks, scope: 'notes:read notes:write' })
    expect(more.status).toBe(200)
  })

  it('attack: gets no resource that is not open, and no other one', async () => {
    const world = open()
    const ada = await world.signIn('one', 'ada')
    const unknown = { ...asks, resource: 'https://other.example/' }
    const other = { ...asks, resource: issuer }
    for (const fields of [unknown, other]) {
      expect((await world.authorize(ada, fields)).status).toBe(400)
    }
    await world.letIn(ada, asks)
    for (const fields of [unknown, other]) {
      expect(errorIn(await world.authorize(ada, fields))).toBe('invalid_target')
    }
    const closed = open({ ...OPTIONS.resources[resource] })
    const grace = await closed.signIn('one', 'grace')
    expect((await closed.authorize(grace, asks)).status).toBe(400)
    expect(closed.fetched).toEqual([])
  })

  describe('attack: open redirect by an error, before the person has let it in (RFC 9700, 4.11.2)', () => {
    const wrong: readonly Record<string, string | undefined>[] = [
      { scope: 'nothing' },
      { resource: 'https://other.example/' },
      { response_type: 'token' },
      { response_mode: 'form_post' },
      { code_challenge: undefined },
      { prompt: 'none' },
      { prompt: 'none login' },
      { prompt: 'none', max_age: '0' },
      { id_token_hint: 'x.y.z' },
      { max_age: 'soon' },
      { request: 'x' },
      { request_uri: 'https://client.example/r' },
      { state: 'x'.repeat(2_048) },
    ]
    const uris = ['https://client.example/cb', 'http://127.0.0.1:7777/cb']

    it.each(wrong)('%j is the page, and at the app once it is let in', async (fields) => {
      for (const redirect_uri of uris) {
        const world = open()
        const ada = await world.signIn('one', 'ada')
        const path = { ...asks, redirect_uri, ...fields }
        const before = await world.authorize(ada, path)
        expect([before.status, locationOf(before)]).toEqual([400, ''])
        const { code } = await world.letIn(ada, { ...asks, redirect_uri })
        await world.exchange(code, { client_id: CLIENT })
        // In the second of the sign-in no age is too great.
        pass(1)
        const after = await world.authorize(ada, path)
        // A silent request of an app that was let in is a success, but for one on the person's own device.
        const isGood = fields.prompt === 'none' && fields.max_age === undefined
        const isAsked = isGood && redirect_uri.startsWith('http:')
        const says = isGood && !isAsked ? '&iss=' : 'error='
        expect(locationOf(after).startsWith(`${redirect_uri}?`)).toBe(true)
        expect(locationOf(after)).toContain(says)
        // Another person has not let it in, and this one ends it.
        const grace = await world.signIn('one', 'grace')
        expect((await world.authorize(grace, path)).status).toBe(400)
        await ada.submit('/auth/apps/remove', { app: CLIENT })
        expect((await world.authorize(ada, path)).status).toBe(400)
      }
    })

    it('a person who says no stays here', async () => {
      const world = open()
      const ada = await world.signIn('one', 'ada')
      const denied = await world.decide(ada, await world.authorize(ada, asks), 'deny')
      expect([denied.status, locationOf(denied)]).toEqual([400, ''])
      await world.letIn(ada, asks)
      const again = await world.authorize(ada, { ...asks, prompt: 'consent' })
      expect(errorIn(await world.decide(ada, again, 'deny'))).toBe('access_denied')
    })

    it('another redirect URI of an app that was let in has led nobody yet', async () => {
      const world = open()
      world.becomes({ redirect_uris: [...document.redirect_uris, 'https://evil.example/'] })
      const ada = await world.signIn('one', 'ada')
      await world.letIn(ada, asks)
      const evil = { ...asks, redirect_uri: 'https://evil.example/', scope: 'nothing' }
      expect((await world.authorize(ada, evil)).status).toBe(400)
    })

    it('a ledger that fails leads nowhere either', async () => {
      const world = open()
      const ada = await world.signIn('one', 'ada')
      await world.letIn(ada, asks)
      world.faults.set('documentsOf', async () => {
        throw new Error('away')
      })
      expect((await world.authorize(ada, { ...asks, scope: 'nothing' })).status).toBe(400)
      world.faults.set('liveDocument', async () => {
        throw new Error('away')
      })
      expect(locationOf(await world.authorize(ada, asks))).not.toContain('client.example/cb?error')
    })
  })

  it('attack: whatever is wrong with its document is the same page, which leads nowhere', async () => {
    const pages = new Set<string>()
    for (const changes of [
      { client_id: 'https://client.example/other.json' },
      { redirect_uris: ['https://evil.example/'] },
      { client_secret: 'x' },
      { client_name: '' },
    ]) {
      const world = open()
      world.becomes(changes)
      const ada = await world.signIn('one', 'ada')
      const answer = await world.authorize(ada, asks)
      expect([answer.status, locationOf(answer)]).toEqual([400, ''])
      pages.add(await answer.text())
    }
    expect(pages.size).toBe(1)
  })

  it('is listed with its name and host, and can be ended', async () => {
    const world = open()
    const ada = await world.signIn('one', 'ada')
    const { code } = await world.letIn(ada, asks)
    const told = await world.exchange(code, { client_id: CLIENT })
    expect(told.status).toBe(200)
    const listed = async () =>
      ((await (await ada.get('/auth/apps')).json()) as { apps: object[] }).apps
    expect(await listed()).toMatchObject([
      { app: CLIENT, name: 'Some Client', host: 'client.example', resource },
    ])
    await ada.submit('/auth/apps/remove', { app: CLIENT })
    expect(await listed()).toEqual([])
    const log = JSON.stringify(world.lines)
    expect(log).toContain('app-removed')
    expect(log).not.toContain('client.example')
  })
})
