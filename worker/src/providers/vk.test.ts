import { expect, it } from 'vitest'
import { OAUTH_PRESETS, rowVendor } from '../test-support/oauth-presets.js'

it('asks for the person with a form', async () => {
  const { signIn, seen } = rowVendor(OAUTH_PRESETS.vk)
  await signIn({ device_id: 'the-device' })
  expect(seen[1]?.form).toEqual({ client_id: 'the-client_id', access_token: 'the-access-token' })
})

it('a browser that names another device, or a parameter of ours, changes nothing else', async () => {
  const { signIn, seen } = rowVendor(OAUTH_PRESETS.vk)
  await signIn({ device_id: 'x'.repeat(600), code_verifier: 'mine', grant_type: 'password' })
  expect(seen[0]?.form).not.toHaveProperty('device_id')
  expect(seen[0]?.form).toMatchObject({ grant_type: 'authorization_code' })
  expect(seen[0]?.form.code_verifier).not.toBe('mine')
})
