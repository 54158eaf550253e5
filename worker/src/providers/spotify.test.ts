import { expect, it } from 'vitest'
import { OAUTH_PRESETS, rowVendor } from '../test-support/oauth-presets.js'

it.each([[[]], [null], [undefined]])('images %j give no image', async (images) => {
  const { spotify } = OAUTH_PRESETS
  const { user } = await rowVendor(spotify, spotify.answers({ images })).signIn()
  expect(user).toMatchObject({ name: 'JM Wizzler', image: null })
})
