import { readFileSync } from 'node:fs'
import { createAuthenticator } from '@latchkey/session/testing'
import { SignJWT } from 'jose'
import { afterAll, afterEach, expect, it } from 'vitest'
import { AuthenticatorApp, keyOn } from '../../test/support/authenticator-app.js'
import { clock } from '../../test/support/clock.js'
import { newOperatorKey } from '../../test/support/operator-key.js'
import { authorizationServer } from '../src/features/authorization-server/index.js'
import { operate } from '../src/features/operate/index.js'
import { passwords } from '../src/features/passwords/index.js'
import { createAuth } from '../src/index.js'
import password from '../src/providers/password.js'
import { audited } from '../src/test-support/audited.js'
import { BindingBrowser, bindingConfig } from '../src/test-support/binding-browser.js'
import { Browser, claimsIn, origin } from '../src/test-support/browser.js'
import { companyAt, companyWorld } from '../src/test-support/companies.js'
import { fails } from '../src/test-support/faulty.js'
import { importRequest } from '../src/test-support/importing.js'
import { clientSecret, redirectUri, verifier } from '../src/test-support/oauth.js'
import { OPTIONS, oauthPeople } from '../src/test-support/oauth-people.js'
import type { WebhookState } from '../src/types.js'
import { Contract } from './contract.ts'

// Shortly before the end of a second, for which an ending waits.
const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const document = JSON.parse(
  readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
) as object
const contract = new Contract(document)

const day = newOperatorKey('day', 'manage')
const night = newOperatorKey('night', 'read')

/** What the document does not say of an answer. */
const faults = new Set<string>()
afterEach(() => {
  expect([...faults]).toEqual([])
  faults.clear()
})

/** A service with everything, whose answers are all held against the document. */
function deployment() {
  const options = {
    ...OPTIONS,
    apps: { ...OPTIONS.apps, tv: { name: 'TV', device: true } },
    keys: { prefix: 'lk' },
  }
  const people = oauthPeople(options, {
    features: [authorizationServer(options), passwords, operate()],
    accountDeletion: true,
  })
  const providers = [...people.config.providers, password()]
  const auth = createAuth({ ...people.config, providers })
  const env = {
    AUTH_OPERATOR_KEYS: `${day.entry},${night.entry}`,
    AUTH_PASSKEY_ORIGINS: 'https://other.example',
    AUTH_IMPORT_UNTIL: new Date(Date.now() + 86_400_000).toISOString(),
  }
  const answer = async (request: Request) => {
    const response = await auth.fetch(request, env)
    const fault = await contract.fault(request, response)
    if (fault !== undefined) faults.add(fault)
    return response
  }
  const browser = () => new Browser(people.config, { answer })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    answer(
      new Request(`${origin}/auth${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    )
  const form = (path: string, fields: Record<string, string>, headers = {}) =>
    answer(
      new Request(`${origin}/auth${path}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
      }),
    )
  const call = (method: string, body: unknown, key = day.key) =>
    post(`/operator/${method}`, body, { authorization: `Bearer ${key}` })
  return { ...people, auth, answer, browser, post, form, call }
}

const script = { 'x-auth-return-redirect': '1' }

it('a stranger gets answers as the document has them', async () => {
  const here = deployment()
  const stranger = here.browser()
  for (const path of [
    ...[
      '/csrf',
      '/providers',
      '/health',
      '/session',
      '/jwks.json',
      '/revocations',
      '/sessions',
      '/ways',
    ],
    ...['/apps', '/keys', '/oauth/jwks.json', '/oauth/userinfo', '/revocations?since=x'],
    '/.well-known/openid-configuration',
  ]) {
    await stranger.get(`/auth${path}`)
  }
  for (const path of [
    ...['openid-configuration/auth', 'oauth-authorization-server/auth', 'webauthn'],
    'passkey-endpoints',
  ]) {
    expect((await stranger.get(`/.well-known/${path}`)).status).toBe(200)
  }
  await stranger.submit('/auth/session', { data: '{}' })
  for (const path of [
    ...['/signin/one', '/signin/nothing', '/callback/passkey', '/signout', '/sessions/revoke'],
    ...['/ways/add', '/ways/remove', '/ways/rename', '/ways/confirm', '/factor', '/factor/setup'],
    ...['/factor/recovery', '/factor/remove', '/factor/confirm', '/account/delete'],
    ...['/apps/remove', '/keys/create', '/keys/remove', '/passkey/options', '/session'],
    ...['/password/set', '/password/remove'],
  ]) {
    await stranger.submit(`/auth${path}`, {}, script)
    await stranger.post(`/auth${path}`, {}, script)
    await here.post(path, '{', script)
    await here.post(path, ' '.repeat(70_000), script)
    await here.post(path, {}, { ...script, 'content-type': 'text/plain' })
  }
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/device', '/oauth/userinfo']) {
    await here.form(path, {})
    await here.form(path, { client_id: 'nobody', grant_type: 'refresh_token' })
    await here.form(path, {}, { authorization: 'Basic bm9ib2R5OngK' })
    await here.post(path, {})
  }
  await here.form('/oauth/device', { client_id: 'notes' })
  await here.answer(await importRequest([['ada', 'one', 'account']]))
  await here.answer(await importRequest([['', 'one', 'account']]))
  await here.answer(await importRequest([['ada', 'one', 'account']], { body: '{' }))
  await here.post('/import', {})
})

it('a user gets such answers, to lists and to forms that a script sends', async () => {
  const here = deployment()
  const ada = await here.signIn('one', 'ada', here.browser())
  const sent = (path: string, fields = {}) => ada.submit(`/auth${path}`, fields, script)
  expect(await ada.session()).not.toBeNull()
  await sent('/session', { data: '{}' })
  await here.letIn(ada)
  await sent('/keys/create', { name: 'CI', scope: 'notes:read', days: '7' })
  for (const path of ['/sessions', '/ways', '/apps', '/keys']) await ada.get(`/auth${path}`)
  await sent('/signin/two')
  await here.add(ada, 'two', 'ada')
  await sent('/ways/add', { provider: 'two' })
  await sent('/passkey/options', { for: 'add', name: 'My key' })
  await here.post(
    '/passkey/options',
    { csrfToken: await ada.csrfToken(), for: 'nothing' },
    {
      cookie: ada.cookie,
    },
  )
  await ada.submit('/auth/passkey/options', { for: 'sign-in' })
  const [way = { id: '' }, other = { id: '' }] = await here.ways(ada)
  await sent('/ways/remove', { way: other.id })
  await sent('/ways/rename', { way: way.id, name: 'Mine' })
  await sent('/ways/confirm', { way: way.id })
  await sent('/ways/remove', { way: way.id })
  await sent('/apps/remove', { app: 'notes' })
  const { keys } = (await (await ada.get('/auth/keys')).json()) as { keys: { id: string }[] }
  await sent('/keys/remove', { key: keys[0]?.id })
  const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
  await sent('/factor/setup', { code: app.code() })
  pass(31)
  const second = await here.signIn('one', 'ada', here.browser())
  await second.submit('/auth/factor', { code: app.code() }, script)
  for (const path of ['/factor/recovery', '/factor/confirm', '/factor/remove']) {
    await second.submit(`/auth${path}`, {}, script)
  }
  await second.submit('/auth/sessions/revoke', { session: 'others' }, script)
  pass(600)
  await second.submit('/auth/ways/add', { provider: 'two' }, script)
  await second.submit('/auth/signout', {}, script)
  const bob = await here.signIn('two', 'bob', here.browser())
  await bob.submit('/auth/account/delete', {}, script)
})

it('a user who sets a password gets such answers', async () => {
  const here = deployment()
  const ada = await here.signIn('email', 'ada@mail.example', here.browser())
  const sent = (path: string, fields = {}) => ada.submit(`/auth${path}`, fields, script)
  await sent('/password/set', { password: 'short' })
  await sent('/password/set', { password: 'a long enough phrase' })
  await here.call('getPerson', { sub: claimsIn(ada).sub })
  await here.call('exportPerson', { sub: claimsIn(ada).sub })
  await sent('/callback/password', { email: 'ada@mail.example', password: 'a long enough phrase' })
  await sent('/password/remove')
  await sent('/password/remove', { current: 'a long enough phrase' })
})

it('a ceremony of a passkey has such answers', async () => {
  const here = deployment()
  const one = here.browser()
  const authenticator = createAuthenticator({ origin })
  const asked = await one.submit('/auth/passkey/options', { for: 'sign-up', name: 'Eve' })
  const { publicKey } = (await asked.json()) as { publicKey: never }
  const made = await authenticator.create(publicKey)
  await here.post(
    '/callback/passkey',
    { csrfToken: await one.csrfToken(), credential: made },
    { cookie: one.cookie, ...script },
  )
})

it('a browser that binds its session gets such answers', async () => {
  const config = bindingConfig({ boundSessions: { site: true } })
  const auth = createAuth(config)
  const answer = async (request: Request) => {
    const response = await auth.fetch(request)
    const fault = await contract.fault(request, response)
    if (fault !== undefined) faults.add(fault)
    return response
  }
  const browser = new BindingBrowser(config, { answer })
  const offered = await browser.signInAs('ada')
  await browser.register(offered, { jti: 'made-up' })
  await browser.register(offered, {}, { 'sec-fetch-site': 'same-site' })
  expect((await browser.register(offered)).status).toBe(200)
  await browser.session()
  await browser.get('/auth/sessions')
  expect((await browser.renew()).status).toBe(200)
  await browser.refresh({ 'sec-secure-session-id': '' })
  await browser.submit('/auth/signout')
  expect((await browser.renew()).status).toBe(401)
  await browser.get('/.well-known/device-bound-sessions')
})

it('an app gets such answers', async () => {
  const here = deployment()
  const ada = await here.signIn('one', 'ada', here.browser())
  const { code = '' } = await here.letIn(ada, { scope: 'openid profile email notes:read' })
  const token = async (fields: Record<string, string>) =>
    (await (await here.form('/oauth/token', { client_id: 'notes', ...fields })).json()) as Record<
      string,
      string
    >
  const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier }
  const first = await token({ ...exchange, redirect_uri: redirectUri })
  const { access_token = '', refresh_token = '' } = first
  const bearer = { authorization: `Bearer ${access_token}` }
  await here.answer(new Request(`${origin}/auth/oauth/userinfo`, { headers: bearer }))
  await here.form('/oauth/userinfo', {}, bearer)
  await token({ grant_type: 'refresh_token', refresh_token })
  await token({ grant_type: 'refresh_token', refresh_token: 'x' })
  await token({ ...exchange })
  await here.form('/oauth/revoke', { client_id: 'notes', token: refresh_token })
  await here.form('/oauth/device', { client_id: 'tv' })
  const made = await ada.submit(
    '/auth/keys/create',
    { name: 'CI', scope: 'notes:read', days: '7' },
    script,
  )
  const { key } = (await made.json()) as { key: string }
  await here.form('/oauth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: key,
    subject_token_type: 'urn:latchkey:params:oauth:token-type:api-key',
  })
  await here.form('/oauth/token', { client_id: 'web', client_secret: clientSecret })
})

it('an operator gets such answers', async () => {
  const here = deployment()
  const ada = await here.signIn('one', 'ada', here.browser())
  await here.letIn(ada)
  const { sub, sid } = claimsIn(ada)
  const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
  await ada.submit('/auth/factor/setup', { code: app.code() }, script)
  const bodies: Readonly<Record<string, object>> = {
    disconnect: { sub, provider: 'one' },
    endSession: { sub, session: sid },
    endSessions: { sub, except: sid },
    blockPerson: { sub, reason: 'Spam' },
    audit: {},
    auditHeads: {},
    findPerson: { email: 'ada@films.example' },
    webhooks: {},
    resendWebhook: { id: 'ledger_1' },
  }
  const names = contract.operations.flatMap((one) => /\/operator\/(\w+)$/.exec(one)?.[1] ?? [])
  const isLast = (name: string) => name === 'deletePerson'
  for (const name of names.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
    await here.call(name, bodies[name] ?? { sub }, night.key)
    await here.call(name, bodies[name] ?? { sub })
    await here.call(name, { nothing: 1 })
    await here.call(name, bodies[name] ?? { sub }, 'lkop_')
  }
  await here.call('listWays', ' '.repeat(70_000))
  await here.post('/operator/listWays', '{}', {
    authorization: `Bearer ${day.key}`,
    'content-type': 'text/plain',
  })
  for (let at = 0; at < 400; at++) await here.call('listWays', {}, 'lkop_')
})

it('a service gives such answers while its stores fail', async () => {
  const here = deployment()
  const ada = await here.signIn('one', 'ada', here.browser())
  const { sub } = claimsIn(ada)
  for (const method of ['revoke', 'document', 'list', 'isRevoked', 'revokedSince'] as const) {
    here.faults.set(method, fails)
  }
  for (const path of [
    '/sessions',
    '/ways',
    '/apps',
    '/keys',
    '/revocations',
    '/session?online=1',
  ]) {
    await ada.get(`/auth${path}`)
  }
  for (const path of ['/sessions/revoke', '/ways/add', '/account/delete']) {
    await ada.submit(`/auth${path}`, { session: 'all', provider: 'two' }, script)
  }
  await here.form('/oauth/token', {
    client_id: 'notes',
    grant_type: 'refresh_token',
    refresh_token: 'x',
  })
  for (const name of ['listWays', 'deletePerson', 'endSessions']) await here.call(name, { sub })
})

it('a service that is misconfigured gives such answers', async () => {
  const auth = createAuth({ providers: [], secret: 'short', logger: { error() {} } })
  for (const path of ['/csrf', '/session', '/oauth/token']) {
    const request = new Request(`${origin}/auth${path}`, {
      method: path === '/oauth/token' ? 'POST' : 'GET',
    })
    const answer = await auth.fetch(request)
    expect(answer.status).toBe(500)
    expect(await contract.fault(request, answer)).toBeUndefined()
  }
})

it('a person of a company, and its provider, get such answers', async () => {
  const world = await companyWorld([companyAt('acme', { join: true })], { features: [operate()] })
  const auth = createAuth(world.config)
  const env = { AUTH_OPERATOR_KEYS: night.entry }
  const answer = async (request: Request) => {
    const response = await auth.fetch(request, env)
    const fault = await contract.fault(request, response)
    if (fault !== undefined) faults.add(fault)
    return response
  }
  const one = new Browser(world.config, { answer })
  await one.submit('/auth/company/join', { choice: 'new' }, script)
  await world.signInBy(one, 'acme', { sid: 'op-1' })
  await one.post('/auth/company/join', { choice: 'new' }, script)
  await one.submit('/auth/company/join', { choice: 'new' }, script)
  await one.get('/auth/session')
  await one.get('/auth/sessions')
  await one.submit('/auth/signin/company', { email: 'ada@acme.example' }, script)
  await one.submit('/auth/signin/company', { email: 'ada@private.example' }, script)
  const now = Math.floor(Date.now() / 1000)
  const issuer = world.issuerOf('acme')
  const [key] = issuer.jwks().keys as { kid: string }[]
  const logout_token = await new SignJWT({
    ...{
      iss: issuer.issuer,
      aud: 'client-of-acme',
      iat: now,
      exp: now + 60,
      jti: 'a',
      sid: 'op-1',
    },
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid: key?.kid ?? '' })
    .sign(issuer.privateKey())
  await one.post('/auth/backchannel-logout/company-acme', { logout_token })
  await one.post('/auth/backchannel-logout/company-acme', { logout_token: 'x' })
  await one.post('/auth/backchannel-logout/one', { logout_token })
  const headers = { authorization: `Bearer ${night.key}`, 'content-type': 'application/json' }
  for (const body of [
    { company: 'acme', subject: 'ada' },
    { company: 'none', subject: 'ada' },
    {},
  ]) {
    const url = `${origin}/auth/operator/subOfCompany`
    await answer(new Request(url, { method: 'POST', body: JSON.stringify(body), headers }))
  }
})

it('an operator gets such answers of the audit log and of webhooks', async () => {
  const world = audited({}, { AUTH_OPERATOR_KEYS: night.entry, AUTH_LEDGER_SHARDS: '4' })
  await world.signIn('ada')
  const call = async (method: string, result?: unknown) => {
    const headers = { authorization: `Bearer ${night.key}`, 'content-type': 'application/json' }
    const url = `${origin}/auth/operator/${method}`
    const request = new Request(url, { method: 'POST', body: '{}', headers })
    const answer =
      result === undefined ? await world.here.answer(request) : Response.json({ result })
    expect(answer.status).toBe(200)
    expect(await contract.fault(request, answer)).toBeUndefined()
  }
  await call('audit')
  await call('auditHeads')
  // The object of the ledger has these answers alone.
  const failed = { id: 'ledger_1', event: 'sign-in', time: '2026-11-01T00:00:00.000Z', tries: 8 }
  const state: WebhookState = {
    waiting: 1,
    failed: [
      { ...failed, last: 'timeout', next: null },
      { ...failed, last: 'status 500', next: failed.time },
    ],
  }
  await call('webhooks', state)
  await call('resendWebhook', false)
})

afterAll(() => {
  const missing = contract.operations.filter((one) => !contract.seen.has(`${one} 200`))
  expect(missing).toEqual([])
})
