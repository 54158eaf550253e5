import { expect, it } from 'vitest'
import { steps } from '../../test/support/steps.js'
import { endToEndHeaders } from './adapter/end-to-end.js'
import { placeOf } from './adapter/place.js'
import { endsInServiceRoute } from './internal/service-routes.js'
import { cookieOf, mergeCookies } from './internal/set-cookie.js'
import { cookieNames, cookieValues, ownCookieNames, sessionTokens } from './token/cookie.js'

const digits = (index: number) => String(index).padStart(5, '0')

/** A Cookie header with this number of names; none is as long as a chunk of ours. */
const cookies = (count: number) =>
  Array.from({ length: count }, (_, index) => `auth.session-token${digits(index)}=x`).join('; ')
const one = 'auth.session-token'
const set = ['auth.session-token=; Max-Age=0', 'a=1']

/** Everything that parses a stranger's input, by the size of the input. */
const readers: Record<string, (size: number) => unknown> = {
  'names of cookies': (size) => cookieNames(cookies(size)),
  'values of a cookie': (size) => cookieValues(cookies(size), one),
  'chunks of the session cookie': (size) => ownCookieNames(cookies(size), one),
  'session tokens': (size) => sessionTokens(cookies(size), one),
  'many chunks': (size) => sessionTokens(cookies(size).replaceAll('token', 'token.'), one),
  'cookies merged with an answer’s': (size) => mergeCookies(cookies(size), set),
  'cookies merged with as many of an answer': (size) =>
    mergeCookies(cookies(size), cookies(size).split('; ')),
  'the cookies of a renewal': (size) => cookieOf('a.b.c', one, cookies(size)),
  'slashes of a path': (size) => endsInServiceRoute('/'.repeat(size * 5)),
  'segments of a path': (size) => endsInServiceRoute('/signin'.repeat(size)),
  'a path below the base path': (size) =>
    placeOf({ path: `/auth${'/signin'.repeat(size)}`, mount: '/auth' }, '/auth'),
  'headers of a connection': (size) =>
    endToEndHeaders(
      Array.from({ length: size }, (_, index) => [
        index % 2 ? 'connection' : `x${digits(index)}`,
        `x${digits(index)}`,
      ]),
    ),
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
