import { expect, test } from 'vitest'
import { expectFault, findingsIn, withSecret } from '../test-support/written.js'

const at = (id: string) => ({
  vars: withSecret('AUTH_URL=https://auth.example.com', `AUTH_PASSKEY_RP_ID=${id}`),
})

test.each([
  ['other.com', 'example.com'],
  ['app.auth.example.com', 'auth.example.com'],
  ['.example.com', 'example.com'],
  ['https://example.com', 'example.com'],
])('passkeys of %s, not of %s', async (fault, mended) => {
  await expectFault('passkey-domain', {
    where: '.env AUTH_PASSKEY_RP_ID',
    fault: at(fault),
    mended: at(mended),
  })
})

test('without AUTH_URL the host is unknown', async () => {
  expect(await findingsIn({ vars: withSecret('AUTH_PASSKEY_RP_ID=example.com') })).toEqual([])
})
