import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { createAuth } from '../../../index.js'
import { Browser, locationOf, origin } from '../../../test-support/browser.js'
import { companyAt, companyWorld } from '../../../test-support/companies.js'
import { mailProvider } from '../../../test-support/email.js'
import { EVENT, startApp } from '../../../test-support/logout-world.js'
import { clientSecret, issuer, verifier } from '../../../test-support/oauth.js'
import {
  answerIn,
  authorizePath,
  OPTIONS,
  oauthPeople,
} from '../../../test-support/oauth-people.js'
import { companies } from '../../companies/index.js'
import { authorizationServer } from '../index.js'

clock({ start: Date.UTC(2026, 10, 1, 10) })

const OWN = { client_id: 'own', redirect_uri: 'https://own.example/cb', scope: 'openid' }

it('a company signs its person out, and the app hears it, to which they went on from here', async () => {
  const app = await startApp('own', async () => {
    const answer = await world.browser().get('/auth/oauth/jwks.json')
    return (await answer.json()) as never
  })
  const own = { ...OPTIONS.apps.own, backchannelLogoutUri: app.url }
  const server = authorizationServer({ ...OPTIONS, apps: { own } })
  const world = await companyWorld([companyAt('acme')], { features: [server] })
  const one = await world.of('acme', { sid: 'op-1' })
  const { code = '' } = answerIn(await one.get(authorizePath(OWN)))
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'own',
    code_verifier: verifier,
    code,
  })
  const told = await one.answer(new Request(`${issuer}/oauth/token`, { method: 'POST', body }))
  await app.begin(((await told.json()) as { id_token: string }).id_token)
  const company = world.issuerOf('acme')
  const [key] = company.jwks().keys as { kid: string }[]
  const token = await new SignJWT({ sid: 'op-1', events: { [EVENT]: {} }, jti: 'one' })
    .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid: key?.kid ?? '' })
    .setIssuer(company.issuer)
    .setAudience('client-of-acme')
    .setIssuedAt()
    .setExpirationTime('2m')
    .sign(company.privateKey())
  const answer = await world.browser().send('/auth/backchannel-logout/company-acme', {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
    headers: { cookie: '' },
  })
  expect(answer.status).toBe(200)
  await expect.poll(() => app.sessions.size).toBe(0)
  expect(await one.session()).toBeNull()
})

it('another service of ours takes the token, as the provider of a company is read there', async () => {
  const there = 'http://localhost:9999'
  const server = {
    ...OPTIONS,
    apps: {
      there: {
        secret: clientSecret,
        firstParty: true,
        redirectUris: [`${there}/auth/callback/company-acme`],
        backchannelLogoutUri: `${there}/auth/backchannel-logout/company-acme`,
      },
    },
    fetch: async (input: unknown, init: unknown) =>
      other.fetch(new Request(input as string, init as RequestInit)),
  }
  const world = oauthPeople(server as never)
  const here = createAuth(world.config)
  const entry = companyAt('acme', {
    issuer,
    clientId: 'there',
    clientSecret,
  })
  const other = createAuth({
    ...world.config,
    store: undefined as never,
    providers: [mailProvider([])],
    features: [
      companies({
        find: () => entry,
        get: () => entry,
        fetch: async (input, init) => here.fetch(new Request(input as string, init as RequestInit)),
      }),
    ],
  })
  const ada = await world.signIn('email', 'ada@acme.example')
  const browser = new Browser(world.config, {
    at: there,
    answer: (request) => other.fetch(request),
  })
  const start = await browser.submit('/auth/signin/company-acme', { callbackUrl: '/inbox' })
  const back = await ada.get(locationOf(start).slice(origin.length))
  expect(locationOf(back)).toContain(`${there}/auth/callback/company-acme?`)
  await browser.get(locationOf(back).slice(there.length))
  expect(await browser.session()).not.toBeNull()
  await ada.submit('/auth/signout')
  await expect.poll(() => browser.session()).toBeNull()
})
