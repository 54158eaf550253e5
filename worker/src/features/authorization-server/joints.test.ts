import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { drawSid } from '../../stores/ledger/placement.js'
import { memoryStore } from '../../stores/memory.js'
import {
  Browser,
  claimsIn,
  copyOf,
  errorOf,
  locationOf,
  secret,
} from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { providerAt, testIssuer } from '../../test-support/issuer.js'
import {
  answerIn,
  authorizePath,
  issuer,
  OPTIONS,
  oauthPeople,
  requestOn,
  resource,
} from '../../test-support/oauth-people.js'
import {
  answerTo,
  pathOf,
  placeAt,
  previewOrigin,
  proxyOrigin,
} from '../../test-support/previews.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { authorizationServer } from './index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

const own = { client_id: 'own', redirect_uri: 'https://own.example/cb' }
const allow = (request: string) => ({ request, decision: 'allow' })

describe('a deployment between any two steps', () => {
  const other = 'another-secret-of-the-tests-0123456789'

  it('a page that was shown before a rotation of the secret can be answered after it', async () => {
    const store = memoryStore()
    const before = oauthPeople(OPTIONS, { store })
    const ada = await before.signIn('one', 'ada')
    const request = requestOn(await (await before.authorize(ada)).text())
    const csrfToken = await ada.csrfToken()
    const back = locationOf(await before.authorize(ada, { ...own, prompt: 'login' }))
    const after = oauthPeople(OPTIONS, { store, secret: [other, secret] })
    const moved = copyOf(ada, after.config)
    const answer = await moved.post('/auth/oauth/consent', { csrfToken, ...allow(request) })
    expect(answerIn(answer).code).toBeDefined()
    expect(answerIn(await after.authorize(moved)).code).toBeDefined()
    pass(1)
    const to = new URL(new URL(back).searchParams.get('callbackUrl') ?? '')
    await after.signIn('one', 'ada', moved)
    expect(answerIn(await moved.get(to.pathname + to.search)).code).toBeDefined()
  })

  it('attack: after its secret was taken out nobody can answer it', async () => {
    const store = memoryStore()
    const before = oauthPeople(OPTIONS, { store })
    const ada = await before.signIn('one', 'ada')
    const request = requestOn(await (await before.authorize(ada)).text())
    const after = oauthPeople(OPTIONS, { store, secret: other })
    const moved = await after.signIn('one', 'ada')
    expect(errorOf(await moved.submit('/auth/oauth/consent', allow(request)))).toContain(
      'InvalidCheck',
    )
  })

  it('a consent that this version has written is what every later one reads', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const { sub } = claimsIn(ada)
    // Written down, so that a change of the format or of the key is seen here.
    const content = {
      ...{ v: 1, app: 'notes', resource, scopes: ['openid', 'notes:read'], name: 'Notes' },
      since: 1_790_000_000,
    }
    const key = `consent\n${sub}\n7ZcuG1K7Cokt6vVtpfAkTQ`
    await world.store.ledger.changeDocument(key, 0, JSON.stringify(content))
    expect(answerIn(await world.authorize(ada)).code).toBeDefined()
    const later = { ...content, v: 2, scopes: 'otherwise' }
    await world.store.ledger.changeDocument(key, 1, JSON.stringify(later))
    expect((await world.authorize(ada)).status).toBe(200)
  })
})

describe('a service of several hosts', () => {
  const hosts = ['https://one.example', 'https://two.example'] as const

  it('attack: mix-up: each is an issuer of its own, and answers no request of another one', async () => {
    const world = oauthPeople(OPTIONS, { trustedOrigins: [...hosts], trustHost: true })
    const auth = createAuth(world.config)
    const [one, two] = hosts.map(
      (at) => new Browser(world.config, { at, answer: (request) => auth.fetch(request) }),
    ) as [Browser, Browser]
    for (const [at, browser] of [one, two].entries()) {
      await browser.signIn('one', 'ada')
      const answer = answerIn(await browser.get(authorizePath(own)))
      expect(answer.iss).toBe(`${hosts[at]}/auth`)
    }
    const request = requestOn(await (await one.get(authorizePath())).text())
    expect(errorOf(await two.submit('/auth/oauth/consent', allow(request)))).toContain(
      'InvalidCheck',
    )
    expect(answerIn(await one.submit('/auth/oauth/consent', allow(request))).iss).toBe(
      `${hosts[0]}/auth`,
    )
  })
})

it('a preview comes back to the request by the proxy of its provider', async () => {
  const made = await testIssuer('https://issuer.example', { alg: 'ES256' })
  const providers = [providerAt(made)]
  const changes = { features: [authorizationServer(OPTIONS)] }
  const proxy = placeAt(proxyOrigin, providers, {}, changes)
  const preview = placeAt(previewOrigin, providers, {}, changes)
  const path = authorizePath(own)
  const page = new URL(locationOf(await preview.browser.get(path)))
  const callbackUrl = page.searchParams.get('callbackUrl') ?? ''
  const start = new URL(
    locationOf(await preview.browser.submit('/auth/signin/test', { callbackUrl })),
  )
  const passed = await proxy.browser.get(answerTo(start))
  const end = await preview.browser.get(pathOf(passed))
  expect(pathOf(end)).toBe(path)
  expect(answerIn(await preview.browser.get(path)).iss).toBe(`${previewOrigin}/auth`)
})

describe('a second factor', () => {
  it('attack: is not gone around: while a sign-in waits for it there is no code', async () => {
    const world = oauthPeople()
    const before = await world.signIn('one', 'ada')
    const { app } = await setUpFactor(before)
    pass(60)
    const one = world.browser()
    const callbackUrl = `${issuer}${authorizePath(own).slice('/auth'.length)}`
    const start = await one.submit('/auth/signin/one', { callbackUrl })
    await world.comeBack(one, 'one', start, 'ada')
    expect(locationOf(await one.get(authorizePath(own)))).toContain('/auth/signin?')
    const silent = answerIn(await one.get(authorizePath({ ...own, prompt: 'none' })))
    expect(silent.error).toBe('login_required')
    await one.submit('/auth/factor', { code: app.code() })
    const { code } = answerIn(await one.get(authorizePath({ ...own, acr_values: '2' })))
    expect((await world.open(code))?.amr).toContain('mfa')
  })
})

describe.each([[[1]], [[4]], [[1, 4]]])('with a ledger of %j objects', (layouts) => {
  const ledgers = new FakeLedgers()
  const inner = {
    sessions: memoryStore().sessions,
    ledger: durableLedger(ledgers.binding, layouts),
    drawSid: (sub: string) => drawSid(layouts, sub),
  }

  it('consents are kept, found, listed and ended with their person', async () => {
    const world = oauthPeople(OPTIONS, {}, { inner })
    for (const name of ['ada', 'grace', 'hedy', 'mary', 'rosalind']) {
      const one = await world.signIn('one', name)
      const { sub } = claimsIn(one)
      const { code } = await world.letIn(one, { scope: 'openid offline_access' })
      expect((await world.exchange(code)).status).toBe(200)
      expect(answerIn(await world.authorize(one, { scope: 'openid' })).code).toBeDefined()
      const { apps } = (await (await one.get('/auth/apps')).json()) as { apps: object[] }
      expect(apps).toMatchObject([{ app: 'notes', scopes: ['openid', 'offline_access'] }])
      const page = await world.authorize(one, { scope: 'notes:write' })
      await createAuth(world.config).deletePerson(sub, {})
      expect(errorOf(await world.decide(one, page))).toContain('InvalidCheck')
      expect(await inner.ledger.documentsOf(sub, ['grant', 'consent'])).toEqual([])
    }
  })
})
