import { describe, expect, test } from 'vitest'
import { resolveProviders } from '../sign-in/kinds.js'
import type { Provider } from '../types.js'
import azureAD from './azure-ad.js'
import tiktok from './tiktok.js'
import twitter from './twitter.js'
import videoapp from './videoapp.js'
import x from './x.js'

/** A preset under the id that an app had before it moved in. */
const NAMES: readonly (readonly [
  id: string,
  prefix: string,
  preset: (options?: object) => Provider,
])[] = [
  ['twitter', 'AUTH_TWITTER', twitter],
  ['azure-ad', 'AUTH_AZURE_AD', azureAD],
  ['tiktok', 'AUTH_TIKTOK', tiktok],
]

describe.each(NAMES)('%s', (id, prefix, preset) => {
  const env = { [`${prefix}_ID`]: 'the-id', [`${prefix}_SECRET`]: 'the-secret' }

  test('has its own variables, and its own place among the providers', async () => {
    const { usable } = await resolveProviders([preset()], env)
    const provider = usable.get(id)
    expect(provider).toMatchObject({ id, clientId: 'the-id', clientSecret: 'the-secret' })
  })

  test('options win over variables', async () => {
    const { usable } = await resolveProviders([preset({ clientId: 'own' })], env)
    expect(usable.get(id)).toMatchObject({ clientId: 'own', clientSecret: 'the-secret' })
  })

  test('without them the message names its own', async () => {
    const { misconfigured } = await resolveProviders([preset()], {})
    expect(misconfigured.get(id)?.message).toContain(`${prefix}_ID`)
  })
})

test('tiktok is the video app in everything else, its client key among it', async () => {
  const env = { AUTH_TIKTOK_ID: 'the-id', AUTH_TIKTOK_SECRET: 'the-secret' }
  const { usable } = await resolveProviders(
    [tiktok(), videoapp({ clientId: 'a', clientSecret: 'b' })],
    env,
  )
  const [own, other] = ['tiktok', 'videoapp'].map(
    (id) => usable.get(id) as never as Record<string, unknown>,
  )
  expect(own?.token).toEqual(other?.token)
  expect(JSON.stringify(own?.authorization)).toContain('the-id')
})

test('twitter is x in everything else', () => {
  expect(JSON.stringify({ ...twitter(), id: 'x' })).toBe(JSON.stringify(x()))
})
