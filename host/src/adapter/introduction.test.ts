import { expect, test } from 'vitest'
import { APP_HEADER } from '../shared/app-header.js'
import { Introduction } from './introduction.js'
import type { PublicOrigin } from './origins.js'

const at = (origin: string) => ({ origin }) as PublicOrigin
const app = at('http://localhost:3000')

/** An app's log, and whether a request for an origin has the question. */
function setUp() {
  const said: string[] = []
  const introduction = new Introduction()
  const asks = (origin: PublicOrigin) => {
    const headers = new Headers()
    introduction.ask(headers, origin)
    return headers.has(APP_HEADER)
  }
  const hear = (origin: PublicOrigin, isKnown: boolean, status = 200) =>
    introduction.hear(
      new Response(null, { status, headers: isKnown ? {} : { [APP_HEADER]: 'unknown' } }),
      origin,
      (code, line) => void said.push(`${code} ${line}`),
    )
  return { said, asks, hear }
}

test('an origin that the Worker does not know is logged once, with its remedy', () => {
  const { said, asks, hear } = setUp()
  for (let time = 0; time < 3; time++) {
    if (asks(app)) hear(app, false)
  }
  expect(said).toHaveLength(1)
  expect(said[0]).toMatch(/^untrusted-by-worker .*http:\/\/localhost:3000.*AUTH_TRUSTED_ORIGINS/)
  hear(app, false)
  expect(said).toHaveLength(1)
})

test('one that it knows is asked about once, and nothing is said', () => {
  const { said, asks, hear } = setUp()
  expect(asks(app)).toBe(true)
  hear(app, true)
  expect(asks(app)).toBe(false)
  expect(said).toEqual([])
})

test('a service that is away settles nothing', () => {
  const { said, asks, hear } = setUp()
  hear(app, true, 503)
  expect(asks(app)).toBe(true)
  hear(app, false)
  expect(said).toHaveLength(1)
})

test('hosts that a stranger makes up cost eight lines at most', () => {
  const { said, asks, hear } = setUp()
  for (let port = 0; port < 100; port++) {
    const origin = at(`http://evil.example:${port}`)
    if (asks(origin)) hear(origin, false)
  }
  expect(said).toHaveLength(8)
})
