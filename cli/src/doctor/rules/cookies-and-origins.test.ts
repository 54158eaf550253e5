import { expect, test } from 'vitest'
import { expectFault, findingsIn, withSecret } from '../test-support/written.js'

const at = (domain: string, url = 'https://auth.example.com/auth') => ({
  vars: withSecret(`AUTH_URL=${url}`, `AUTH_COOKIE_DOMAIN=${domain}`),
})

test.each([
  ['other.com', 'example.com'],
  ['app.example.com', 'auth.example.com'],
  ['ample.com', '.example.com'],
  ['https://example.com', 'Example.com'],
])('the cookie domain %s, not %s', async (fault, mended) => {
  const found = await expectFault('cookie-domain', {
    where: '.env AUTH_COOKIE_DOMAIN',
    fault: at(fault),
    mended: at(mended),
  })
  expect(found.fix).toBe('AUTH_COOKIE_DOMAIN=example.com')
})

test.each(['workers.dev', 'com', 'co.uk', '.pages.dev'])('the cookie domain %s', async (domain) => {
  await expectFault('cookie-domain-public', {
    where: '.env AUTH_COOKIE_DOMAIN',
    fault: at(domain, `https://auth.acme.${domain.replace(/^\./, '')}`),
    mended: at(
      `acme.${domain.replace(/^\./, '')}`,
      `https://auth.acme.${domain.replace(/^\./, '')}`,
    ),
  })
})

test('a text that is not a domain', async () => {
  await expectFault('cookie-domain', {
    where: '.env AUTH_COOKIE_DOMAIN',
    fault: { vars: withSecret('AUTH_COOKIE_DOMAIN=example.com:8080') },
    mended: { vars: withSecret('AUTH_COOKIE_DOMAIN=example.com') },
  })
})

test('without AUTH_URL the host is unknown', async () => {
  expect(await findingsIn({ vars: withSecret('AUTH_COOKIE_DOMAIN=example.com') })).toEqual([])
})

const origins = (list: string) => ({ vars: withSecret(`AUTH_TRUSTED_ORIGINS=${list}`) })

test.each([
  ['app.example.com', 'https://app.example.com'],
  ['https://app.example.com/path', 'https://app.example.com/'],
  ['https://app.example.com:*', 'http://localhost:*'],
  ['https://*', 'https://*.example.com'],
  ['ws://app.example.com', 'http://app.example.com:8080'],
])('the origin %s, not %s', async (fault, mended) => {
  const found = await expectFault('origin-invalid', {
    where: '.env AUTH_TRUSTED_ORIGINS',
    fault: origins(`https://a.example.com, ${fault}`),
    mended: origins(`https://a.example.com, ${mended}`),
  })
  expect(found.what).toContain('Entry 2 ')
})

test.each([
  'https://*.workers.dev',
  'https://*.pages.dev',
  'https://*.co.uk',
  'https://*.github.io',
])('the origin %s', async (origin) => {
  await expectFault('origin-wide', {
    where: '.env AUTH_TRUSTED_ORIGINS',
    fault: origins(origin),
    mended: origins(origin.replace('*.', '*.acme-project.')),
  })
})
