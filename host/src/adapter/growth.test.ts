import { expect, it } from 'vitest'
import { steps } from '../../../test/support/steps.ts'
import { endsInServiceRoute } from '../shared/service-routes.js'
import { endToEndHeaders } from './end-to-end.js'
import { mergeCookies } from './merge-cookies.js'
import { placeOf } from './place.js'

const digits = (index: number) => String(index).padStart(5, '0')

/** A Cookie header with this number of names. */
const cookies = (count: number) =>
  Array.from({ length: count }, (_, index) => `auth.session-token${digits(index)}=x`).join('; ')
const set = ['auth.session-token=; Max-Age=0', 'a=1']

/** Everything that parses a stranger's input, by the size of the input. */
const readers: Record<string, (size: number) => unknown> = {
  'cookies merged with an answer’s': (size) => mergeCookies(cookies(size), set),
  'cookies merged with as many of an answer': (size) =>
    mergeCookies(cookies(size), cookies(size).split('; ')),
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
