import { describe, expect, it } from 'vitest'
import { AuthError, CredentialsSignin } from './errors.js'

const down = new Error('The database is down.')

describe('an AuthError keeps its arguments', () => {
  it.each<[string, AuthError, string, object]>([
    ['a text', new AuthError('No.'), 'No.', {}],
    ['a text and a cause', new AuthError('No.', { cause: { id: 7 } }), 'No.', { id: 7 }],
    [
      'a text and an error as the cause',
      new AuthError('No.', { cause: down }),
      'No.',
      { err: down },
    ],
    ['a text and an error', new CredentialsSignin('No.', down), 'No.', { err: down }],
    ['an error', new CredentialsSignin(down), '', { err: down }],
    ['a cause', new CredentialsSignin({ cause: down }), '', { err: down }],
  ])('%s is kept', (_, { message, cause }, text, expected) => {
    expect([message, cause ?? {}]).toEqual([text, expected])
  })
})
