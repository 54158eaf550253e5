import { expect, test } from 'vitest'
import { resolveProviders } from '../sign-in/kinds.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import { endpointsOf } from '../test-support/browser.js'
import type { OAuthConfig, Provider } from '../types.js'
import videoapp, { type VideoProviderProfile } from './videoapp.js'

/** The variables of a local setup: credentials and endpoints of the sandbox. */
const ENV = {
  AUTH_VIDEO_ID: 'key',
  AUTH_VIDEO_SECRET: 'secret',
  AUTH_VIDEO_AUTHORIZATION_URL: 'http://localhost:8788/v2/auth/authorize/',
  AUTH_VIDEO_TOKEN_URL: 'http://localhost:8788/v2/oauth/token/',
  AUTH_VIDEO_USERINFO_URL: 'http://localhost:8788/v2/user/info/',
}

async function resolved(provider: OAuthConfig<VideoProviderProfile>) {
  const { usable } = await resolveProviders([provider as Provider], ENV)
  const [found] = usable.values()
  if (found?.type !== 'oauth') throw new Error('The provider is not usable.')
  return found as ResolvedOAuthProvider
}

test('parameters in code and an endpoint in the environment go together', async () => {
  const { authorization, token, userinfo } = await endpointsOf(
    await resolved(
      videoapp({
        authorization: { params: { scope: 'user.info.profile,user.info.stats' } },
        userinfo: { params: { fields: 'open_id,follower_count' } },
      }),
    ),
  )
  expect(authorization.origin).toBe('http://localhost:8788')
  expect(authorization.searchParams.get('scope')).toBe('user.info.profile,user.info.stats')
  expect(authorization.searchParams.get('client_key')).toBe('key')
  expect(token.origin).toBe('http://localhost:8788')
  expect(userinfo.href).toBe('http://localhost:8788/v2/user/info/?fields=open_id%2Cfollower_count')
})

test('an endpoint in code wins over the environment', async () => {
  const { token, userinfo } = await endpointsOf(
    await resolved(videoapp({ token: 'https://video.example/v2/oauth/token/' })),
  )
  expect(token.href).toBe('https://video.example/v2/oauth/token/')
  expect(userinfo.origin).toBe('http://localhost:8788')
})

test('a preset that is spread under another id keeps its variables and its changed members', async () => {
  const style = { brandColor: '#123456' }
  const other = await resolved({ ...videoapp(), id: 'other', name: 'Other', style })
  expect(other).toMatchObject({ id: 'other', name: 'Other', style, clientId: 'key' })
  expect((await endpointsOf(other)).token.origin).toBe('http://localhost:8788')
})

test('without a client key, the error names the variable that sets it', async () => {
  const { misconfigured } = await resolveProviders([videoapp() as Provider], {
    AUTH_VIDEO_SECRET: 'x',
  })
  expect(misconfigured.get('videoapp')?.message).toContain('(AUTH_VIDEO_ID)')
})
