import { expect, it } from 'vitest'
import { recorded } from '../test-support/browser.js'
import facebook from './facebook.js'

it('other fields can be asked for', async () => {
  const preset = (client: object) =>
    facebook({ ...client, userinfo: { params: { fields: 'id,name' } } })
  const { signIn, seen } = recorded(preset, {
    'graph.facebook.com/v24.0/oauth/access_token': { access_token: 't', token_type: 'bearer' },
    'graph.facebook.com/v24.0/me': { id: '10158953374521738', name: 'Ada Example' },
  })
  expect((await signIn()).user).toMatchObject({ name: 'Ada Example', image: null })
  expect(seen[1]?.url.searchParams.get('fields')).toBe('id,name')
})
