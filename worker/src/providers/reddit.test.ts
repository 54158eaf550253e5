import { expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import { OAUTH_PRESETS, rowVendor } from '../test-support/oauth-presets.js'
import reddit from './reddit.js'

it('a refresh token can be asked for', async () => {
  const preset = (client: object) =>
    reddit({ ...client, authorization: { params: { duration: 'permanent' } } })
  const { consent } = await recorded(preset, {}).signIn()
  expect(consent.searchParams.get('duration')).toBe('permanent')
  expect(consent.searchParams.get('scope')).toBe('identity')
})

it('an empty image address counts as no image', async () => {
  const row = OAUTH_PRESETS.reddit
  const { user } = await rowVendor(row, row.answers({ icon_img: '' })).signIn()
  expect(user?.image).toBeNull()
})
