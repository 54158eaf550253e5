import { expect, it } from 'vitest'
import { steps } from '../../test/support/steps.ts'
import { cookieNames, cookieValues, ownCookieNames, sessionTokens } from './token/cookie.js'
import { cookieOf } from './token/set-cookie.js'

const digits = (index: number) => String(index).padStart(5, '0')

/** A Cookie header with this number of names; none is as long as a chunk of ours. */
const cookies = (count: number) =>
  Array.from({ length: count }, (_, index) => `auth.session-token${digits(index)}=x`).join('; ')
const one = 'auth.session-token'

/** Everything that parses a stranger's input, by the size of the input. */
const readers: Record<string, (size: number) => unknown> = {
  'names of cookies': (size) => cookieNames(cookies(size)),
  'values of a cookie': (size) => cookieValues(cookies(size), one),
  'chunks of the session cookie': (size) => ownCookieNames(cookies(size), one),
  'session tokens': (size) => sessionTokens(cookies(size), one),
  'many chunks': (size) => sessionTokens(cookies(size).replaceAll('token', 'token.'), one),
  'the cookies of a renewal': (size) => cookieOf('a.b.c', one, cookies(size)),
}

it.each(Object.entries(readers))(
  'one request must not block an app: ten times as large: %s',
  (_, read) => {
    read(1)
    expect(steps(() => read(3_000))).toBeLessThanOrEqual(12 * steps(() => read(300)) + 1_000)
  },
)

it('the counter notices code that reads its input again for each part of it', () => {
  const again = (size: number) =>
    cookieNames(cookies(size)).flatMap((name) => cookieValues(cookies(size), name))
  expect(steps(() => again(300))).toBeGreaterThan(50 * steps(() => again(30)))
})
