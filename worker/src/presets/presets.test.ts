import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { variablePrefix } from '../config/variable-prefix.js'
import type { OAuthConfig } from '../types.js'
import { PRESETS } from './preset-table.js'
import { providersOf } from './presets.js'

let warn: MockInstance<typeof console.warn>
beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

describe('the providers that the environment turns on', () => {
  it('are those whose client id is set, in the order of the page', () => {
    const env = {
      AUTH_X_ID: 'x',
      AUTH_MICROSOFT_ENTRA_ID_ID: 'x',
      AUTH_VIDEO_ID: 'x',
      AUTH_GOOGLE_ID: '',
      AUTH_EMAIL_FROM: 'a@example.com',
    }
    const ids = providersOf(env).map(({ id }) => id)
    expect(ids).toEqual(['videoapp', 'microsoft-entra-id', 'x', 'email'])
    expect(warn).not.toHaveBeenCalled()
  })

  it.each(['AUTH_GOGLE_ID', 'AUTH_GOOGLEID_ID', 'AUTH_MICROSOFT_ENTRA_ID', 'AUTH_VIDEOAPP_ID'])(
    'are missing for %s, and a warning names the variable without its value',
    (name) => {
      expect(providersOf({ [name]: 'the-value', AUTH_GITHUB_ID: 'x' })).toHaveLength(1)
      expect(warn).toHaveBeenCalledOnce()
      const line = String(warn.mock.calls[0])
      expect(line).toContain(name)
      expect(line).not.toContain('the-value')
    },
  )

  it.each([
    'AUTH_APPLE_KEY_ID',
    'AUTH_APPLE_TEAM_ID',
    'AUTH_VIDEO_ID',
    'AUTH_SECRET',
    'AUTH_PASSKEY_RP_ID',
    'AUTH_GOGLE_SECRET',
    'SENTRY_ID',
    'MY_AUTH_GOGLE_ID',
  ])('no warning names %s', (name) => {
    providersOf({ [name]: 'x' })
    expect(warn).not.toHaveBeenCalled()
  })
})

it('passkeys are on where the site has a name for them', () => {
  const env = { AUTH_PASSKEY_NAME: 'Example', AUTH_PASSKEY_RP_ID: 'example.com' }
  expect(providersOf(env).map(({ id, type }) => [id, type])).toEqual([['passkey', 'webauthn']])
  expect(providersOf({ AUTH_PASSKEY_RP_ID: 'example.com', AUTH_PASSKEY_NAME: '' })).toEqual([])
})

describe('the table of presets', () => {
  it.each(PRESETS)('%s is the prefix of its provider’s variables', (prefix, preset) => {
    const { id, variables = variablePrefix(id) } = preset() as OAuthConfig
    expect(variables).toBe(prefix)
    expect(providersOf({ [`${prefix}_ID`]: 'x' }).map((provider) => provider.id)).toEqual([id])
    expect(warn).not.toHaveBeenCalled()
  })
})
