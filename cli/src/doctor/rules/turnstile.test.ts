import { expect, test } from 'vitest'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

const [SITE, SECRET] = ['AUTH_TURNSTILE_SITE_KEY', 'AUTH_TURNSTILE_SECRET_KEY']

test.each([
  [SITE, SECRET],
  [SECRET, SITE],
])('%s without %s', async (there, missing) => {
  await expectFault('turnstile-half', {
    where: `.env ${missing}`,
    fault: { vars: withSecret(`${there}=0x4AAA`) },
    mended: { vars: withSecret(`${there}=0x4AAA`, `${missing}=0x4BBB`) },
  })
})

test('a secret key that the platform has is not missed', async () => {
  expect(await findingsIn({ toml: `${BINDINGS}[vars]\n${SITE} = "0x4AAA"` })).toEqual([])
})

test.each([
  [SITE, '1x00000000000000000000AA'],
  [SITE, '2x00000000000000000000AB'],
  [SITE, '3x00000000000000000000FF'],
  [SITE, '1x00000000000000000000BB'],
  [SECRET, '1x0000000000000000000000000000000AA'],
  [SECRET, '3x0000000000000000000000000000000AA'],
])('%s of Cloudflare’s for tests: %s', async (name, key) => {
  const vars = (value: string, url: string) => ({
    vars: withSecret(`AUTH_URL=${url}`, `${SITE}=0x4AAA`, `${SECRET}=0x4BBB`, `${name}=${value}`),
  })
  await expectFault('turnstile-test-key', {
    where: `.env ${name}`,
    fault: vars(key, 'https://auth.example.com'),
    mended: vars('0x4CCC', 'https://auth.example.com'),
  })
  expect(await findingsIn(vars(key, 'http://localhost:3000'))).toEqual([])
})
