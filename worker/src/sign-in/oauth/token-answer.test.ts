import { describe, expect, it } from 'vitest'
import { ProviderRefusal } from '../failure.js'
import { readTokenAnswer } from './client.js'

const now = 1_800_000_000
const good = { access_token: 'the-access-token', token_type: 'Bearer' }
const tokens = { access_token: 'the-access-token', token_type: 'bearer' }

const read = (body: unknown, status = 200) => readTokenAnswer(Response.json(body, { status }), now)

describe('a token answer', () => {
  it('is taken with the least that it must have, and the type in one spelling', async () => {
    expect(await read(good)).toEqual(tokens)
    expect(await read({ ...good, token_type: 'BEARER' })).toEqual(tokens)
  })

  it('keeps what else the provider says, but no end of its own reckoning', async () => {
    const more = { refresh_token: 'r', scope: 'a b', id_token: 'i.d.t', team: { id: 7 } }
    expect(await read({ ...good, ...more, expires_at: 1 })).toEqual({ ...tokens, ...more })
  })

  it.each([
    ['is no object', 'tokens', 'The token answer is not an object.'],
    ['is nothing', null, 'The token answer is not an object.'],
    ['is a list', [good], 'The token answer is not an object.'],
  ])('that %s is refused', async (_, body, reason) => {
    await expect(read(body)).rejects.toThrow(new TypeError(reason))
  })

  it.each([
    ['an error status', good, 400],
    ['an error with status 200', { ...good, error: 'invalid_grant' }, 200],
    ['an empty error', { ...good, error: '' }, 200],
    ['an error that is not text', { ...good, error: 0 }, 200],
  ])(
    'with %s is the provider’s refusal, whatever tokens are beside it',
    async (_, body, status) => {
      await expect(read(body, status)).rejects.toThrow(ProviderRefusal)
    },
  )

  it('with an error that is null counts as success', async () => {
    expect(await read({ ...good, error: null })).toMatchObject(tokens)
  })
})

describe('header injection: a value beyond visible ASCII is not a token', () => {
  const bad = ['a\nb', '\nab', 'ab\r\n', '\u007f', 'ä', 7, {}, ['t'], true]

  it.each(['access_token', 'token_type'])('%s', async (name) => {
    for (const value of bad) {
      const reason = `"${name}" of the token answer is not as it must be.`
      await expect(read({ ...good, [name]: value })).rejects.toThrow(new TypeError(reason))
    }
  })

  it.each(['refresh_token', 'scope', 'id_token'])(
    '%s, which only adds, counts as missing and refuses nobody',
    async (name) => {
      for (const value of bad) {
        const isList = name === 'scope' && Array.isArray(value)
        const expected = isList ? { ...tokens, scope: 't' } : tokens
        expect(await read({ ...good, [name]: value })).toEqual(expected)
      }
      expect(await read({ ...good, scope: ['a\nb', {}] })).toEqual(tokens)
    },
  )

  it('an access token has at least one character', async () => {
    for (const access_token of ['', undefined, null]) {
      await expect(read({ ...good, access_token })).rejects.toThrow('"access_token"')
    }
    expect(await read({ ...good, access_token: ' ~' })).toMatchObject({ access_token: ' ~' })
  })

  it.each(['mac', 'bearer ', 'DPoP', undefined])(
    'token_type %s does not mean a bearer token',
    async (type) => {
      await expect(read({ ...good, token_type: type })).rejects.toThrow('"token_type"')
    },
  )
})

describe('habits of some servers', () => {
  it.each(['refresh_token', 'scope'])('%s that is empty or null is left out', async (name) => {
    for (const value of ['', null]) {
      expect(Object.keys(await read({ ...good, [name]: value }))).not.toContain(name)
    }
  })

  it('a list of scopes is their text', async () => {
    expect(await read({ ...good, scope: ['read', 'write'] })).toMatchObject({ scope: 'read write' })
  })
})

describe('how long the access token lasts', () => {
  it.each([
    [3600, 3600, now + 3600],
    ['3600', 3600, now + 3600],
    [59.9, 59.9, now + 59],
  ])('expires_in %j', async (given, expires_in, expires_at) => {
    expect(await read({ ...good, expires_in: given })).toEqual({
      ...tokens,
      expires_in,
      expires_at,
    })
  })

  it.each([0, '0', -1, '-1', null, undefined, 'soon', '', {}, [3600], true, '1e400', 1e300])(
    '%j: nobody knows, and nobody is refused',
    async (expires_in) => {
      expect(await read({ ...good, expires_in })).toEqual(tokens)
    },
  )
})
