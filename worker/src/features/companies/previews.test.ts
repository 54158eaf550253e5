import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { locationOf } from '../../test-support/browser.js'
import { companyAt } from '../../test-support/companies.js'
import { providerAt, testIssuer } from '../../test-support/issuer.js'
import {
  answerTo,
  pathOf,
  placeAt,
  previewOrigin,
  proxyOrigin,
} from '../../test-support/previews.js'
import { companies } from './index.js'

clock({ start: Date.UTC(2026, 10, 1) })

async function places(domains: readonly string[] = ['acme.example']) {
  const acme = companyAt('acme', { domains })
  const { issuer: at, clientId } = acme
  const issuer = await testIssuer(at, { alg: 'ES256', clientId })
  const find = (domain: string) => (domains.includes(domain) ? acme : undefined)
  const feature = companies({ find, get: () => acme, fetch: issuer.fetch as typeof fetch })
  const [proxy, preview] = [proxyOrigin, previewOrigin].map((origin) =>
    placeAt(origin, [], {}, { features: [feature] }),
  )
  if (!proxy || !preview) throw new Error('Two places are here.')
  return { issuer, proxy, preview }
}

it('a person of a company signs in at a preview, with the redirect URI of the proxy', async () => {
  const { issuer, proxy, preview } = await places()
  const asked = await preview.browser.submit('/auth/signin/company', {
    email: 'ada@acme.example',
    callbackUrl: '/inbox',
  })
  const started = new URL(locationOf(asked))
  expect(started.origin).toBe('https://acme.idp.example')
  const back = `${proxyOrigin}/auth/callback/company-acme`
  expect(started.searchParams.get('redirect_uri')).toBe(back)
  issuer.claims = { sub: 'ada', email: 'ada@acme.example' }
  const passed = await proxy.browser.get(answerTo(started))
  expect(locationOf(passed)).toContain(`${previewOrigin}/auth/callback/company-acme?`)
  expect(locationOf(await preview.browser.get(pathOf(passed)))).toBe(`${previewOrigin}/inbox`)
  expect(await preview.browser.session()).toMatchObject({ company: 'acme' })
  expect(preview.said().concat(proxy.said())).toEqual([])
})

it('attack: a person of another domain gets no session at a preview either', async () => {
  const { issuer, proxy, preview } = await places()
  const asked = await preview.browser.submit('/auth/signin/company-acme', { callbackUrl: '/inbox' })
  issuer.claims = { sub: 'eve', email: 'eve@bolt.example' }
  const passed = await proxy.browser.get(answerTo(new URL(locationOf(asked))))
  const ended = locationOf(await preview.browser.get(pathOf(passed)))
  expect(ended).toContain('error=AccessDenied&code=company_domain')
  expect(await preview.browser.session()).toBeNull()
})

it('attack: a person of a company that signs its people in alone comes to a preview by another provider', async () => {
  const other = await testIssuer('https://other.idp.example', { alg: 'ES256' })
  const acme = companyAt('acme', { only: true })
  const find = (domain: string) => (domain === 'acme.example' ? acme : undefined)
  const feature = companies({ find, get: () => acme })
  const [proxy, preview] = [proxyOrigin, previewOrigin].map((origin) =>
    placeAt(origin, [providerAt(other)], {}, { features: [feature] }),
  )
  if (!proxy || !preview) throw new Error('Two places are here.')
  other.claims = { sub: 'ada', email: 'ada@acme.example' }
  const started = await preview.browser.start('test')
  const passed = await proxy.browser.get(answerTo(started))
  const ended = locationOf(await preview.browser.get(pathOf(passed)))
  expect(ended).toContain('error=AccessDenied&code=company_only')
  expect(await preview.browser.session()).toBeNull()
})
