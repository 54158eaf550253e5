import { describe, expect, it } from 'vitest'
import { oauth } from '../sign-in/oauth/index.js'
import { resolveOAuth } from '../sign-in/oauth/resolve.js'
import { recorded } from '../test-support/browser.js'
import github from './github.js'
import workos from './workos.js'

describe('workos', () => {
  it.each<[string, Parameters<typeof workos>[0], Record<string, string | null>]>([
    ['as text', { connection: 'conn_1' }, { connection: 'conn_1' }],
    ['as empty text', { connection: '' }, { connection: null }],
    [
      'beside parameters',
      { connection: 'conn_1', authorization: { params: { domain_hint: 'a.example' } } },
      { connection: 'conn_1', domain_hint: 'a.example' },
    ],
    [
      'beside an address',
      { connection: 'conn_1', authorization: 'https://eu.workos.example/sso/authorize?a=b' },
      { connection: 'conn_1', a: 'b' },
    ],
    [
      'beside a parameter of that name',
      { connection: 'conn_1', authorization: { params: { connection: 'conn_2' } } },
      { connection: 'conn_2' },
    ],
    ['as our scopes', { connection: { scopes: ['directory.read'] } }, { connection: null }],
  ])(
    'asks the connection that Auth.js’s option of that name says: %s',
    async (_, options, asked) => {
      const { signIn } = recorded((given: object) => workos({ ...given, ...options }), {})
      const { consent } = await signIn()
      for (const [name, value] of Object.entries(asked)) {
        expect(consent.searchParams.get(name)).toBe(value)
      }
    },
  )

  it('keeps scopes of connections, and refuses a connection that is neither', () => {
    const scopes = ['directory.read']
    expect(workos({ connection: { scopes } }).connection).toEqual({ scopes })
    expect(workos({ connection: 'conn_1' }).connection).toBeUndefined()
    const client = { clientId: 'id', clientSecret: 'secret' }
    const other = github({ ...client, connection: 'conn_1' as never })
    expect(() => resolveOAuth(oauth, other, {})).toThrow('connection.scopes')
  })
})
