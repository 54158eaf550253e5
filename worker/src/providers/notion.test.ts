import { expect, it } from 'vitest'
import { OAUTH_PRESETS, rowVendor } from '../test-support/oauth-presets.js'

const { notion } = OAUTH_PRESETS
const token = notion.answers({})[0] as object
const vendor = (changes: object) => rowVendor(notion, [{ ...token, ...changes }])

it('a refresh token is kept', async () => {
  const { account } = await vendor({ refresh_token: 'nrt_1' }).signIn()
  expect(account?.refresh_token).toBe('nrt_1')
})

it('a connection that may not read user information gives the id alone', async () => {
  const user = { object: 'user', id: 'd40e767c-d7af-4b18-a86d-55c61f1e39a4' }
  const answer = await vendor({ owner: { type: 'user', user } }).signIn()
  expect(answer.end).toBe('/inbox')
  expect(answer.user).toMatchObject({ name: null, email: null, image: null })
})

it('revokes the access token, the only token that Notion revokes', async () => {
  const request = await vendor({}).revoke({ access_token: 'ntn_1', refresh_token: 'nrt_1' })
  expect(request?.form).toEqual({ token: 'ntn_1' })
})
