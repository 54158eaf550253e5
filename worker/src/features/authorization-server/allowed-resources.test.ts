import { describe, expect, it } from 'vitest'
import { resource as api, clientSecret, issuer } from '../../test-support/oauth.js'
import { answerIn, errorIn, oauthPeople } from '../../test-support/oauth-people.js'
import type { AuthorizationServerOptions } from './options.js'
import { resolveServer } from './resolve-server.js'

const admin = 'https://admin.example/'
const uri = 'https://own.example/cb'
const own = { client_id: 'own', redirect_uri: uri }
const resources = {
  [api]: { scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' } },
  [admin]: { scopes: { 'payout:write': 'Pay' } },
}

type Allowed = Readonly<Record<string, true | readonly string[]>> | undefined

/** A service whose app `own` has this list. */
function serviceWith(allowed: Allowed, changes: object = {}, more: object = {}) {
  const list = allowed && { resources: allowed }
  const app = { redirectUris: [uri], firstParty: true, ...list, ...changes }
  return oauthPeople({ apps: { own: app }, resources }, more)
}

type World = ReturnType<typeof serviceWith>

async function codeOf(world: World, fields: object) {
  const ada = await world.signIn('one', 'ada')
  return world.open((await world.letIn(ada, { ...own, ...fields })).code)
}

async function errorOf(world: World, fields: object) {
  const ada = await world.signIn('one', 'ada')
  return errorIn(await world.authorize(ada, { ...own, ...fields }))
}

describe('a first-party app', () => {
  it('attack: without a list gets no scope of any resource, and no question would stop it', async () => {
    const world = serviceWith(undefined)
    const asked = { resource: admin, scope: 'payout:write offline_access', prompt: 'none' }
    expect(await errorOf(world, asked)).toBe('invalid_target')
    expect(await errorOf(world, { ...asked, resource: undefined, scope: 'payout:write' })).toBe(
      'invalid_scope',
    )
    const code = await codeOf(world, { scope: 'openid profile payout:write' })
    expect(code).toMatchObject({ resource: issuer, scopes: ['openid', 'profile'] })
  })

  it('without a list does not get the only resource that there is, either', async () => {
    const one = { [api]: resources[api] ?? {} }
    const apps = { own: { redirectUris: [uri], firstParty: true } }
    const world = oauthPeople({ apps, resources: one })
    const code = await codeOf(world, { scope: 'openid notes:read' })
    expect(code).toMatchObject({ resource: issuer, scopes: ['openid'] })
  })

  it('gets all scopes of a resource, or the listed ones, without a question', async () => {
    const scope = 'openid notes:read notes:write'
    const all = await codeOf(serviceWith({ [api]: true }), { scope })
    expect(all).toMatchObject({ resource: api, scopes: ['openid', 'notes:read', 'notes:write'] })
    const world = serviceWith({ [api]: ['notes:read'] })
    expect(await codeOf(world, { scope })).toMatchObject({ scopes: ['openid', 'notes:read'] })
    expect(await errorOf(world, { scope: 'notes:write' })).toBe('invalid_scope')
    expect(await errorOf(world, { resource: admin })).toBe('invalid_target')
  })

  it('without `resource` gets the only one of its list, and of several none', async () => {
    const world = serviceWith({ [admin]: true })
    expect(await codeOf(world, { scope: 'payout:write' })).toMatchObject({ resource: admin })
    const several = serviceWith({ [admin]: true, [api]: true })
    expect(await codeOf(several, { scope: 'openid' })).toMatchObject({ resource: issuer })
    const none = serviceWith({})
    expect(await codeOf(none, { scope: 'openid' })).toMatchObject({ resource: issuer })
    expect(await codeOf(world, { scope: 'openid', resource: issuer })).toMatchObject({
      resource: issuer,
    })
  })
})

describe('any other app', () => {
  it('may ask a person for all, and with a list for that alone', async () => {
    const scope = 'openid payout:write'
    const free = serviceWith(undefined, { firstParty: false })
    expect(await codeOf(free, { scope, resource: admin })).toMatchObject({ resource: admin })
    const listed = serviceWith({ [api]: true }, { firstParty: false })
    expect(await errorOf(listed, { scope, resource: admin })).toBe('invalid_target')
    expect(await codeOf(listed, { scope: 'notes:read' })).toMatchObject({ resource: api })
  })
})

/** Lets the app in by one configuration, and goes on by another one over the same store. */
async function moved(before: Allowed, after: Allowed, changes = {}) {
  const world = serviceWith(before, changes)
  const ada = await world.signIn('one', 'ada')
  const fields = { ...own, resource: api, scope: 'openid notes:read notes:write offline_access' }
  const { code } = await world.letIn(ada, fields)
  const client_id = 'own'
  const later = serviceWith(after, changes, { store: world.store })
  const refresh = (one: World, refresh_token = '', more = {}) =>
    one.exchange(undefined, { grant_type: 'refresh_token', client_id, refresh_token, ...more })
  const exchange = (one: World) => one.exchange(code, { client_id })
  return { world, later, exchange, refresh }
}

describe('a list that has changed', () => {
  it('attack: a scope that it lost is missing at the next refresh, and at an exchange', async () => {
    const { world, later, exchange, refresh } = await moved(
      { [api]: true },
      { [api]: ['notes:read'] },
    )
    const tokens = await exchange(world)
    expect(tokens).toMatchObject({ scope: 'openid notes:read notes:write offline_access' })
    const next = await refresh(later, tokens.refresh_token)
    expect(next).toMatchObject({ status: 200, scope: 'openid notes:read offline_access' })
    const narrow = await refresh(later, next.refresh_token, { scope: 'notes:write' })
    expect(narrow).toMatchObject({ status: 200 })
    expect(narrow).not.toHaveProperty('scope')
    const other = await moved({ [api]: true }, { [api]: ['notes:read'] })
    expect(await other.exchange(other.later)).toMatchObject({
      scope: 'openid notes:read offline_access',
    })
  })

  it.each([
    ['names another resource', { [admin]: true } as Allowed],
    ['is empty', {} as Allowed],
    ['is gone', undefined],
  ])(
    'attack: %s: the grant of a lost resource ends, also if the list has it again',
    async (_, after) => {
      const { world, later, exchange, refresh } = await moved({ [api]: true }, after)
      const { refresh_token, access_token = '' } = await exchange(world)
      const wrong = await refresh(later, refresh_token, { resource: admin })
      expect(wrong.error).toBe('invalid_target')
      expect((await refresh(later, refresh_token)).error).toBe('invalid_grant')
      expect((await refresh(later, refresh_token)).error).toBe('invalid_grant')
      expect((await refresh(world, refresh_token)).error).toBe('invalid_grant')
      const request = new Request(`${issuer}/oauth/userinfo`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      expect((await world.browser().answer(request)).status).toBe(401)
    },
  )

  it('attack: a code for a lost resource gives no token', async () => {
    const { later, exchange } = await moved({ [api]: true }, { [admin]: true })
    expect((await exchange(later)).error).toBe('invalid_target')
  })

  it('attack: a person who reads the consent page allows what the list has then', async () => {
    const changes = { firstParty: false, secret: clientSecret }
    const world = serviceWith({ [api]: true }, changes)
    const ada = await world.signIn('one', 'ada')
    const page = await world.authorize(ada, { ...own, scope: 'notes:read notes:write' })
    const later = serviceWith({ [api]: ['notes:read'] }, changes, { store: world.store })
    const there = later.browser()
    for (const [name, value] of ada.jar) there.jar.set(name, value)
    const { code } = answerIn(await later.decide(there, page))
    expect((await later.open(code))?.scopes).toEqual(['notes:read'])
  })
})

describe('a device', () => {
  const tv = (allowed: Allowed, more = {}) =>
    oauthPeople(
      { apps: { tv: { device: true, ...(allowed && { resources: allowed }) } }, resources },
      more,
    )

  async function start(world: World, fields: Record<string, string>) {
    const body = new URLSearchParams({ client_id: 'tv', ...fields })
    const request = new Request(`${issuer}/oauth/device`, { method: 'POST', body })
    return (await (await world.browser().answer(request)).json()) as Record<string, string>
  }

  const poll = (world: World, device_code = '') =>
    world.exchange(undefined, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'tv',
      device_code,
    })

  it('attack: gets what the list has, at its start, on the page and at its token', async () => {
    const world = tv({ [api]: ['notes:read'] })
    const scope = 'openid notes:read notes:write'
    expect((await start(world, { scope, resource: admin })).error).toBe('invalid_target')
    expect((await start(world, { scope: 'notes:write' })).error).toBe('invalid_scope')
    const { user_code = '', device_code } = await start(world, { scope })
    const ada = await world.signIn('one', 'ada')
    const page = await ada.submit('/auth/device', { user_code })
    expect(await page.clone().text()).not.toContain('Change your notes')
    await world.decide(ada, page)
    expect(await poll(world, device_code)).toMatchObject({ scope: 'openid notes:read' })
  })

  it('attack: waits no longer for a resource that the list has lost', async () => {
    const world = tv({ [api]: true })
    const { user_code = '', device_code } = await start(world, { scope: 'openid notes:write' })
    const later = tv({ [admin]: true }, { store: world.store })
    const ada = await later.signIn('one', 'ada')
    expect((await ada.submit('/auth/device', { user_code })).status).toBe(400)
    expect((await poll(later, device_code)).error).toBe('expired_token')
    // A scope that was lost between the page and the decision is not allowed.
    const narrow = tv({ [api]: [] }, { store: world.store })
    const grace = await narrow.signIn('one', 'grace')
    await narrow.decide(grace, await grace.submit('/auth/device', { user_code }))
    expect(await poll(narrow, device_code)).toMatchObject({ scope: 'openid' })
  })
})

describe('the list', () => {
  const app = (allowed: unknown, more = {}) =>
    ({
      apps: { own: { redirectUris: [uri], resources: allowed } },
      resources,
      ...more,
    }) as unknown as AuthorizationServerOptions
  const textOf = (options: AuthorizationServerOptions, env = {}) => {
    try {
      resolveServer(options, env)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it.each([
    ['a resource that is not there', { 'https://other.example/': true }, 'other.example'],
    ['another spelling', { 'https://admin.example': true }, 'must name https://admin.example/'],
    ['a scope of another resource', { [api]: ['payout:write'] }, '"payout:write"'],
    ['a scope of OpenID, which every app may have', { [api]: ['openid'] }, '"openid"'],
    ['an empty scope', { [api]: [''] }, '""'],
    ['false', { [api]: false }, 'true for all'],
    ['a text', { [api]: 'notes:read' }, 'true for all'],
    ['a list of numbers', { [api]: [1] }, 'true for all'],
    ['a list of URIs', [api], 'must be an object'],
    ['null', null, 'must be an object'],
    ['a variable that the environment lacks', undefined, 'is undefined'],
  ])('%s is a mistake', (_, allowed, words) => {
    const text = textOf(app(allowed))
    // `null` counts as left out, as for every other option.
    if (allowed === null) return expect(text).toContain('is undefined')
    expect(text).toContain('`apps.own.resources` (AUTH_APP_OWN_RESOURCES)')
    expect(text).toContain(words)
  })

  it('is JSON in a variable, and is checked with what variables name', () => {
    const env = {
      AUTH_APP_TV_DEVICE: 'true',
      AUTH_APP_TV_RESOURCES: `{"${api}":["notes:read"]}`,
      AUTH_RESOURCE_API_URI: api,
      AUTH_RESOURCE_API_SCOPES: '{"notes:read":"Read"}',
    }
    const allowed = resolveServer({}, env)?.apps.get('tv')?.resources
    expect(allowed).toEqual(new Map([[api, new Set(['notes:read'])]]))
    for (const text of ['{', '[]', '"x"', '{"x":1}', `{"${api}":["notes:write"]}`]) {
      const wrong = textOf({}, { ...env, AUTH_APP_TV_RESOURCES: text })
      expect(wrong).toContain('`apps.tv.resources` (AUTH_APP_TV_RESOURCES)')
    }
  })
})

describe('the log', () => {
  it('says once what to write for a first-party app without a list', async () => {
    // Another app than that of the tests above: an environment has the line once.
    const warnings: [string, string | undefined][] = []
    const logger = {
      error: () => {},
      info: () => {},
      warn: (code: string, detail?: string) => void warnings.push([code, detail]),
    }
    const apps = {
      logged: { redirectUris: [uri], firstParty: true },
      none: { redirectUris: [uri], firstParty: true, resources: {} },
      other: { redirectUris: [uri] },
    }
    const world = oauthPeople({ apps, resources }, { logger })
    await world.browser().get('/auth/session')
    await world.browser().get('/auth/session')
    const told = warnings.filter(([code]) => code === 'app-resources')
    expect(told).toHaveLength(1)
    expect(told[0]?.[1]).toMatch(
      /app logged .*`apps\.logged\.resources` \(AUTH_APP_LOGGED_RESOURCES\)/,
    )
    expect(told[0]?.[1]).toContain(`{ "${api}": true }`)
    const alone = oauthPeople({ apps: { sole: apps.logged } }, { logger })
    await alone.browser().get('/auth/session')
    expect(warnings.filter(([code]) => code === 'app-resources')).toHaveLength(1)
  })
})
