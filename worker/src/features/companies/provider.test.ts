import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { subjectOf } from '../../person/subject.js'
import { errorOf, locationOf } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { subAt } from './provider.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })

describe('attack: the issuer of a customer', () => {
  it.each([
    ['https://10.0.0.1', 0],
    ['http://127.0.0.1:9', 1],
  ])('at an inner address is not connected to, but for this machine: %s', async (issuer, most) => {
    const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('No network.'))
    try {
      const options = { fetch: undefined } as never
      const world = await companyWorld([companyAt('acme', { issuer })], {}, { options })
      const start = await world.browser().submit('/auth/signin/company-acme')
      expect(errorOf(start)).toBe('/auth/signin OAuthCallbackError company_unavailable')
      expect(asked.mock.calls.length).toBe(most)
    } finally {
      asked.mockRestore()
    }
  })

  it('and its sub name the person, and nothing else does', async () => {
    const issuer = 'https://acme.idp.example'
    const sub = await subAt({ issuer }, 'ada')
    expect(sub).toBe(await subjectOf('company', 'ada', issuer))
    expect(sub).not.toBe(await subjectOf('company-acme', 'ada', issuer))
  })
})

it('the address of an ID token has 254 characters at most, and one @', async () => {
  const world = await companyWorld()
  const end = '@acme.example'
  const longest = 'a'.repeat(254 - end.length)
  const signIn = async (email: string) =>
    errorOf(await world.signInBy(world.browser(), 'acme', { email }))
  expect(await signIn(longest + end)).toBe('/inbox')
  for (const email of [`a${longest}${end}`, `ada${end}@evil.example`, `ada@evil.example${end}`]) {
    expect([email, await signIn(email)]).toEqual([email, '/auth/error AccessDenied company_domain'])
  }
})

it.each([true, false])('a client with a secret proves itself by it: %s', async (isSecret) => {
  const { clientSecret, ...open } = companyAt('acme')
  const world = await companyWorld([isSecret ? { ...open, clientSecret } : open])
  await world.of('acme')
  const asked = world.issuerOf('acme').requests.find(({ url }) => url.endsWith('/token'))
  const shown = `${asked?.headers.get('authorization')} ${await asked?.text()}`
  const basic = btoa(`client-of-acme:${clientSecret}`)
  expect([basic, String(clientSecret)].some((one) => shown.includes(one))).toBe(isSecret)
  if (!isSecret) expect(shown).toContain('client_id=client-of-acme')
})

it('a step-up at a company without a list sends no acr_values', async () => {
  const world = await companyWorld([companyAt('acme', { factors: true })])
  const one = await world.of('acme')
  pass(600)
  const fields = { maxAge: '300', acr: '2', callbackUrl: '/inbox' }
  const { searchParams } = new URL(
    locationOf(await one.submit('/auth/signin/company-acme', fields)),
  )
  expect(searchParams.has('acr_values')).toBe(false)
})

it('attack: the user-info endpoint of a company is not asked', async () => {
  const world = await companyWorld()
  const idp = world.issuerOf('acme')
  idp.userinfo = { sub: 'ada', email: 'root@acme.example', name: 'Root' }
  const one = await world.of('acme')
  expect(await one.session()).toMatchObject({ user: { email: 'ada@acme.example', name: 'Ada' } })
  expect(idp.requests.some(({ url }) => url.endsWith('/userinfo'))).toBe(false)
})
