import { expect, it } from 'vitest'
import { OAUTH_PRESETS, rowVendor } from '../test-support/oauth-presets.js'

const { discord } = OAUTH_PRESETS

it('a person without a display name is called by the user name, and may have no image', async () => {
  const answers = discord.answers({ global_name: null, avatar: null })
  const { user } = await rowVendor(discord, answers).signIn()
  expect(user).toMatchObject({ name: 'nelly', image: null })
})

it('an answer with the `iss` of another server is refused before any request', async () => {
  const { signIn, seen } = rowVendor(discord)
  const { end, user } = await signIn({ iss: 'https://evil.example' })
  expect(end).toBe('/auth/signin OAuthCallbackError')
  expect(user).toBeUndefined()
  expect(seen).toEqual([])
})
