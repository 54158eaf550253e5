import { describe, expect, it } from 'vitest'
import { CredentialsFailed, CredentialsSignin } from '../../errors.js'
import credentials from '../../providers/credentials.js'
import { Browser, configWith, errorOf, locationOf, origin } from '../../test-support/browser.js'
import type { CredentialsUserConfig } from '../../types.js'
import { authorizeCredentials } from './authorize.js'

type Authorize = CredentialsUserConfig['authorize']
const at = (authorize: Authorize, changes = {}) =>
  new Browser(configWith({ providers: [credentials({ authorize })], ...changes }))
const request = new Request(`${origin}/auth/callback/credentials`, { method: 'POST' })

/** The comparable parts of an answer: status, headers and body, without random tokens. */
async function visible(response: Response): Promise<string> {
  const headers = [...response.headers].map((header) => header.join(': '))
  // The cookie of the flow seals the typed texts for a minute, so its value differs each time.
  const known = headers.map((header) => header.replace(/(auth\.flow\.).*?;/, '$1…;'))
  return [response.status, ...known, await response.text()].join('\n')
}

describe('no user enumeration', () => {
  const users = new Map([['ada', 'right']])
  const authorize: Authorize = ({ username, password }) =>
    users.get(String(username)) === password && password !== undefined ? { id: 'ada' } : null

  it.each([{}, { 'x-auth-return-redirect': '1' }])(
    'an unknown user and a wrong password get byte-identical answers (%j)',
    async (headers) => {
      const attempt = async (username: string) =>
        visible(
          await at(authorize).submit(
            '/auth/callback/credentials',
            { username, password: 'bad' },
            headers,
          ),
        )
      expect(await attempt('ada')).toBe(await attempt('nobody'))
    },
  )

  it('their log lines are equal too', async () => {
    const lines: string[] = []
    const logger = {
      error: (error: Error) => lines.push(JSON.stringify([error.message, error.cause])),
    }
    const browser = at(authorize, { logger })
    for (const username of ['ada', 'nobody']) {
      await browser.submit('/auth/callback/credentials', { username, password: 'bad-password' })
    }
    expect(lines[0]).toBe(lines[1])
    expect(lines[0]).not.toContain('bad-password')
  })
})

describe('authorize', () => {
  it('gets the fields of the form, without our own', async () => {
    let given: unknown
    await at((fields) => {
      given = fields
      return null
    }).submit('/auth/callback/credentials', { username: 'ada', otp: '1', callbackUrl: '/x' })
    expect(given).toEqual({ username: 'ada', otp: '1' })
  })

  it('gets the request with its headers and a body that can be read', async () => {
    let seen: { ip: string | null; body: unknown; url: string } | undefined
    const browser = at(async (_, request) => {
      const { headers, url } = request
      seen = { ip: headers.get('cf-connecting-ip'), body: await request.json(), url }
      return null
    })
    const headers = { 'cf-connecting-ip': '192.0.2.1' }
    await browser.submit('/auth/callback/credentials', { username: 'ada' }, headers)
    expect(seen).toEqual({
      ip: '192.0.2.1',
      body: { username: 'ada' },
      url: `${origin}/auth/callback/credentials`,
    })
  })

  it('a user signs in, and is redirected to the callbackUrl', async () => {
    const browser = at(() => ({ id: 'ada', name: 'Ada' }))
    const response = await browser.submit('/auth/callback/credentials', { callbackUrl: '/x' })
    expect(locationOf(response)).toBe(`${origin}/x`)
    expect((await browser.session())?.user).toMatchObject({ name: 'Ada', email: null, image: null })
  })

  it('the code of a CredentialsSignin reaches the sign-in page', async () => {
    class Locked extends CredentialsSignin {
      override code = 'try-later'
    }
    const browser = at(() => {
      throw new Locked('too many attempts by 192.0.2.1')
    })
    const response = await browser.submit('/auth/callback/credentials')
    expect(errorOf(response)).toBe('/auth/signin CredentialsSignin try-later')
    expect(locationOf(response)).not.toContain('192')
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('database password is hunter2')
      },
    ],
    ['rejects', () => Promise.reject(new Error('hunter2'))],
    [
      'throws a string',
      () => {
        throw 'hunter2'
      },
    ],
    ['returns a user without id', () => ({ name: 'Ada' })],
    ['returns an empty id', () => ({ id: '' })],
    ['returns an id that is an object', () => ({ id: {} })],
    ['returns true', () => true],
    ['returns a string', () => 'ada'],
    ['returns an array', () => [{ id: 'ada' }]],
  ])('that %s is Configuration for the browser, and signs no user in', async (_, authorize) => {
    const types: string[] = []
    const logger = { error: (error: Error) => types.push(error.name) }
    const browser = at(authorize as Authorize, { logger })
    const response = await browser.submit('/auth/callback/credentials')
    expect(errorOf(response)).toBe('/auth/error Configuration')
    expect(await response.text()).not.toContain('hunter2')
    expect(types).toEqual(['CredentialsFailed'])
    expect(await browser.session()).toBeNull()
  })

  it.each([
    ['ada@mail.example', 'ada@mail.example'],
    ['Ada@Mail.EXAMPLE', 'ada@mail.example'],
    ['b\u00fccher@mail.example', 'b\u00fccher@mail.example'],
    ['ada@localhost', 'ada@localhost'],
  ])('a user without an id is the address in lower case: %j', async (email, id) => {
    const provider = credentials({ authorize: () => ({ email, name: 'Ada' }) })
    const { account, user } = await authorizeCredentials(provider, {}, request)
    const named = credentials({ authorize: () => ({ id }) })
    const same = await authorizeCredentials(named, {}, request)
    expect([account.providerAccountId, account.userId]).toEqual([id, same.account.userId])
    expect(user).toMatchObject({ id: account.userId, email })
  })

  it('an id counts, whatever the address', async () => {
    const provider = credentials({ authorize: () => ({ id: 7, email: 'ada@mail.example' }) })
    const { account } = await authorizeCredentials(provider, {}, request)
    expect(account.providerAccountId).toBe('7')
  })

  it('within its provider: the same address at two of them is two people', async () => {
    const authorize = () => ({ email: 'ada@mail.example' })
    const [one, two] = await Promise.all(
      ['credentials', 'staff'].map((id) =>
        authorizeCredentials(credentials({ id, authorize }), {}, request),
      ),
    )
    expect(one?.account.userId).not.toBe(two?.account.userId)
  })

  it.each<[string, Record<string, unknown>]>([
    ['no address', {}],
    ['an address that is null', { email: null }],
    ['an empty address', { email: '' }],
    ['no @', { email: 'ada' }],
    ['two', { email: 'ada@eve@mail.example' }],
    ['nothing before it', { email: '@mail.example' }],
    ['nothing behind it', { email: 'ada@' }],
    ['a blank', { email: 'ada @mail.example' }],
    ['a new line', { email: 'ada@mail.example\n' }],
    ['a name', { email: 'Ada <ada@mail.example>' }],
    ['a list', { email: 'ada@mail.example,eve@mail.example' }],
    ['a zero-width space', { email: 'ada\u200b@mail.example' }],
    ['a Kelvin sign, whose small letter is k', { email: '\u212aim@mail.example' }],
    ['an Angstrom sign, whose small letter another address has', { email: '\u212b@mail.example' }],
    ['255 characters', { email: `a@${'b'.repeat(249)}.com` }],
    ['an object', { email: { toString: () => 'ada@mail.example' } }],
    ['an id that is null beside an address', { id: null, email: 'ada@mail.example' }],
    ['an id that is undefined beside an address', { id: undefined, email: 'ada@mail.example' }],
    ['an id that is empty beside an address', { id: '', email: 'ada@mail.example' }],
  ])(
    'account takeover: no id, and %s: no user is signed in, and the log names it',
    async (_, user) => {
      const errors: Error[] = []
      const logger = { error: (error: Error) => void errors.push(error) }
      const browser = at((() => user) as unknown as Authorize, { logger })
      const response = await browser.submit('/auth/callback/credentials')
      expect(errorOf(response)).toBe('/auth/error Configuration')
      expect(errors.map(({ message }) => message)).toEqual([expect.stringMatching(/\bid\b/)])
      expect(await browser.session()).toBeNull()
    },
  )

  it('has to name the user, as the type demands', () => {
    // @ts-expect-error neither an id nor an address
    credentials({ authorize: () => ({ name: 'Ada' }) })
    // @ts-expect-error an address that may be missing
    credentials({ authorize: () => ({ email: null as string | null }) })
    expect(credentials({ authorize: () => ({ email: 'ada@mail.example' }) }).id).toBe('credentials')
  })

  it('that hangs is given up', async () => {
    const provider = credentials({ authorize: () => new Promise(() => {}) })
    await expect(authorizeCredentials(provider, {}, request, 10)).rejects.toThrow(CredentialsFailed)
  })

  it('false and undefined are refusals, like null', async () => {
    for (const nobody of [null, undefined]) {
      const provider = credentials({ authorize: () => nobody as null })
      await expect(authorizeCredentials(provider, {}, request)).rejects.toThrow(CredentialsSignin)
    }
  })

  it('hostile field names reach no prototype', async () => {
    let given: Record<string, unknown> = {}
    const browser = at((fields) => {
      given = fields as Record<string, unknown>
      return null
    })
    await browser.send('/auth/callback/credentials', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"csrfToken":"${await browser.csrfToken()}","__proto__":{"isAdmin":true}}`,
    })
    expect(given.isAdmin).toBeUndefined()
    expect(Object.hasOwn(given, '__proto__')).toBe(true)
  })

  it('is not called by GET, HEAD or a wrong csrf token', async () => {
    let calls = 0
    const browser = at(() => {
      calls++
      return { id: 'ada' }
    })
    expect((await browser.get('/auth/callback/credentials?username=ada')).status).toBe(405)
    await browser.send('/auth/callback/credentials', { method: 'HEAD' })
    await browser.post('/auth/callback/credentials', { csrfToken: 'x' })
    expect(calls).toBe(0)
  })
})
