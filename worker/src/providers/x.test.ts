import { expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import x from './x.js'

it('an app that may not ask for addresses leaves out scope and field', async () => {
  const preset = (client: object) =>
    x({
      ...client,
      scope: 'users.read tweet.read',
      userinfo: { params: { 'user.fields': 'profile_image_url' } },
    })
  const { signIn, seen } = recorded(preset, {
    'api.x.com/2/oauth2/token': { token_type: 'bearer', access_token: 't' },
    'api.x.com/2/users/me': { data: { id: '1', name: 'A', username: 'a' } },
  })
  const { consent, user } = await signIn()
  expect(consent.searchParams.get('scope')).toBe('users.read tweet.read')
  expect(seen[1]?.url.searchParams.get('user.fields')).toBe('profile_image_url')
  expect(user).toMatchObject({ name: 'A', email: null, image: null })
})
