import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { companyWorld } from '../../test-support/companies.js'

clock({ start: Date.UTC(2026, 10, 1) })

const ISS = 'https://acme.idp.example'
const path = (parameters: Record<string, string>, id = 'company-acme') =>
  `/auth/initiate/${id}?${new URLSearchParams(parameters)}`

it('leads to the company’s provider, by GET and by a form of any origin, without a csrf token', async () => {
  const { browser, comeBack } = await companyWorld()
  const parameters = {
    iss: ISS,
    login_hint: 'ada@acme.example',
    target_link_uri: `${origin}/reports`,
  }
  for (const isPost of [false, true]) {
    const one = browser()
    const answer = isPost
      ? await one.post('/auth/initiate/company-acme', parameters, {
          origin: ISS,
          'sec-fetch-site': 'cross-site',
        })
      : await one.get(path(parameters))
    const url = new URL(locationOf(answer))
    expect([answer.status, url.origin]).toEqual([302, ISS])
    expect(url.searchParams.get('login_hint')).toBe('ada@acme.example')
    expect([...url.searchParams.keys()]).not.toContain('target_link_uri')
    expect([...url.searchParams.keys()]).not.toContain('iss')
    const end = await comeBack(one, 'acme', answer)
    expect(locationOf(end)).toBe(`${origin}/reports`)
    expect(claimsIn(one).company).toBe('acme')
  }
})

it.each<[string, Record<string, string>]>([
  ['none', {}],
  ['another company’s', { iss: 'https://bolt.idp.example' }],
  ['one that begins alike', { iss: `${ISS}.evil.example` }],
])('attack: an issuer that is %s: 400, and no flow', async (_, parameters) => {
  const { browser } = await companyWorld()
  const answer = await browser().get(path(parameters), { accept: 'text/html' })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('InvalidCheck')
  expect(answer.headers.getSetCookie().join()).not.toContain('auth.flow')
})

it('the log has each refusal, with the company and the reason', async () => {
  const world = await companyWorld()
  await world.browser().get(path({ iss: 'https://bolt.idp.example' }))
  expect(world.lines).toContainEqual(
    expect.objectContaining({
      ...{ event: 'sign-in-refused', provider: 'company-acme', error: 'InvalidCheck' },
    }),
  )
  expect(world.errors.map(({ message }) => message)).toEqual([
    'A sign-in was begun in the name of another issuer than the company’s.',
  ])
})

it('attack: none begins that cannot be finished, at a host that only a header names', async () => {
  const world = await companyWorld()
  Object.assign(world.config, { trustedOrigins: ['https://*.app.test'] })
  const headers = { 'x-forwarded-host': 'evil.app.test', 'x-forwarded-proto': 'https' }
  const answer = await world.browser().get(path({ iss: ISS }), headers)
  expect(errorOf(answer)).toMatch(/ Configuration$/)
  expect(answer.headers.getSetCookie().join()).not.toContain('auth.flow')
})

it('attack: a target that is not allowed is ignored', async () => {
  const { browser, comeBack } = await companyWorld()
  const one = browser()
  const start = await one.get(path({ iss: ISS, target_link_uri: 'https://evil.example/' }))
  expect(locationOf(await comeBack(one, 'acme', start))).toBe(`${origin}/`)
})

it('attack: login_hint as an injection, and parameters of the provider’s own', async () => {
  const { browser } = await companyWorld()
  const answer = await browser().get(
    path({
      iss: ISS,
      login_hint: 'x&prompt=none',
      prompt: 'none',
      scope: 'all',
      client_id: 'evil',
    }),
  )
  const { searchParams } = new URL(locationOf(answer))
  expect([searchParams.has('login_hint'), searchParams.has('prompt')]).toEqual([false, false])
  expect([searchParams.get('scope'), searchParams.get('client_id')]).toEqual([
    'openid profile email',
    'client-of-acme',
  ])
})

it('a session goes on, and a prefetch begins nothing', async () => {
  const world = await companyWorld()
  const one = await world.signIn('one', 'ada')
  const before = claimsIn(one)
  const ahead = await one.get(path({ iss: ISS }), { 'sec-purpose': 'prefetch' })
  expect([ahead.status, ahead.headers.getSetCookie()]).toEqual([503, []])
  await one.get(path({ iss: ISS }))
  expect(claimsIn(one)).toEqual(before)
})

it('an unknown company is 400', async () => {
  const { browser } = await companyWorld()
  expect((await browser().get(path({ iss: ISS }, 'company-none'))).status).toBe(400)
  expect((await browser().get('/auth/initiate/one?iss=x')).status).toBe(404)
})

it('attack: an unsolicited answer after it is refused', async () => {
  const { browser } = await companyWorld()
  const one = browser()
  await one.get(path({ iss: ISS }))
  expect(errorOf(await one.get('/auth/callback/company-acme?code=x&state=made-up'))).toBe(
    '/auth/signin InvalidCheck',
  )
})

const flowOf = (answer: Response) =>
  answer.headers.getSetCookie().filter((line) => line.includes('auth.flow'))

it('an issuer with a slash at its end is the same', async () => {
  const { browser } = await companyWorld()
  const answer = await browser().get(path({ iss: `${ISS}/` }))
  expect([answer.status, new URL(locationOf(answer)).origin]).toEqual([302, ISS])
  expect(flowOf(answer)).toHaveLength(1)
})

it('attack: an issuer that stands twice, or has two slashes, is refused', async () => {
  const { browser } = await companyWorld()
  for (const query of [
    `iss=${ISS}&iss=${ISS}`,
    `iss=${ISS}&iss=https://evil.example`,
    `iss=https://evil.example&iss=${ISS}`,
    `iss=${ISS}//`,
    `iss=/${ISS}`,
  ]) {
    const answer = await browser().get(`/auth/initiate/company-acme?${query}`)
    expect([query, answer.status, flowOf(answer)]).toEqual([query, 400, []])
  }
})

it('attack: a repeated target is ignored, and so is an address', async () => {
  const { browser, comeBack } = await companyWorld()
  const one = browser()
  const twice =
    'target_link_uri=/a&target_link_uri=/b&login_hint=a@acme.example&login_hint=b@acme.example'
  const start = await one.get(`/auth/initiate/company-acme?iss=${ISS}&${twice}`)
  expect(new URL(locationOf(start)).searchParams.has('login_hint')).toBe(false)
  expect(locationOf(await comeBack(one, 'acme', start))).toBe(`${origin}/`)
})

it('attack: by a form with JSON or lists in it, or in the query of a form', async () => {
  const { browser } = await companyWorld()
  const headers = { 'content-type': 'application/json' }
  for (const [address, body] of [
    ['/auth/initiate/company-acme', JSON.stringify({ iss: [ISS] })],
    ['/auth/initiate/company-acme', JSON.stringify({ iss: { toString: ISS } })],
    [path({ iss: ISS }), '{}'],
  ] as const) {
    const answer = await browser().send(address, { method: 'POST', body, headers })
    expect([body, answer.status, flowOf(answer)]).toEqual([body, 400, []])
  }
})

it('HEAD begins nothing', async () => {
  const { browser } = await companyWorld()
  const answer = await browser().send(path({ iss: ISS }), { method: 'HEAD' })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
})

it('a refusal has a page of its own, which leads home', async () => {
  const { browser } = await companyWorld()
  const answer = await browser().get(path({ iss: 'https://evil.example' }))
  const page = await answer.text()
  expect(page).toContain(`href="${origin}/"`)
  expect(page).toMatch(/<title>Something went wrong/)
  expect(page).not.toContain('evil.example')
  expect(answer.headers.get('location')).toBeNull()
})
