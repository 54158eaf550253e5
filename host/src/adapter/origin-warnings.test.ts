import { afterEach, describe, expect, test, vi } from 'vitest'
import { OriginWarnings, warnBy } from './origin-warnings.js'
import type { OriginFault, PublicOrigin } from './origins.js'

afterEach(() => void vi.restoreAllMocks())

const plain: PublicOrigin = {
  origin: 'http://localhost:3000',
  host: 'localhost:3000',
  scheme: 'http',
  standing: 'named',
  issuer: 'http://localhost:3000/auth',
}
const overTls: PublicOrigin = { ...plain, origin: 'https://localhost', scheme: 'https' }
const https = { 'x-forwarded-proto': 'https' }

/** The codes of the warnings for a series of requests. */
function saidOf(
  ...requests: [found: PublicOrigin | OriginFault, headers: object, fixed?: PublicOrigin][]
): string[] {
  const said: string[] = []
  const warnings = new OriginWarnings()
  for (const [found, headers, fixed] of requests) {
    warnings.look(
      found,
      fixed,
      (name) => new Map(Object.entries(headers)).get(name),
      (code) => void said.push(code),
    )
  }
  return said
}

describe('an untrusted proxy over https', () => {
  test.each([
    [https],
    [{ 'x-forwarded-proto': 'HTTPS , http' }],
    [{ forwarded: 'for=192.0.2.60;proto=https;by=203.0.113.43' }],
    [{ forwarded: 'Proto="https", for=192.0.2.61;proto=http' }],
  ])('is warned of: %o', (headers) => {
    expect(saidOf([plain, headers])).toEqual(['untrusted-proxy'])
  })

  test.each([
    [{}],
    [{ 'x-forwarded-proto': 'http, https' }],
    [{ 'x-forwarded-proto': 'httpsx' }],
    [{ 'x-forwarded-proto': '' }],
    [{ forwarded: 'for=proto=https' }],
    [{ forwarded: 'proto=http, proto=https' }],
  ])('is not recognized: %o', (headers) => {
    expect(saidOf([plain, headers])).toEqual([])
  })

  test('causes no warning if it is trusted, with AUTH_URL, and without a proxy', () => {
    expect(saidOf([overTls, https], [overTls, https, overTls], ['malformed', https])).toEqual([])
  })
})

test('AUTH_URL with http: behind a proxy over https is warned of once', () => {
  expect(saidOf([plain, https, plain], [plain, https, plain])).toEqual(['url-not-https'])
  expect(saidOf([plain, {}, plain], [plain, { 'x-forwarded-proto': 'http' }, plain])).toEqual([])
})

test('each warning is given once, for any number of requests, so that clients cannot fill the log', () => {
  const both: [PublicOrigin | OriginFault, object][] = [
    ['unknown-host', https],
    [plain, https],
  ]
  expect(saidOf(...both, ...both)).toEqual(['untrusted-host', 'untrusted-proxy'])
})

describe('a warning', () => {
  test('goes to the app’s logger as its method, or else to the console', () => {
    const console = vi.spyOn(globalThis.console, 'warn').mockReturnValue()
    const lines: string[] = []
    const logger = {
      lines,
      warn(...line: string[]) {
        this.lines.push(...line)
      },
    }
    warnBy(logger)('base-path', 'words')
    expect(lines).toEqual(['base-path', 'words'])
    expect(console).not.toHaveBeenCalled()
    warnBy({})('base-path', 'words')
    const form = /^\[auth\]\[warn\] \d{4}-\d\d-\d\dT[\d:.]+Z base-path: words$/
    expect(console.mock.calls).toEqual([[expect.stringMatching(form)]])
  })

  test('does no harm when the logger fails, at once or later', async () => {
    const throwing = () => {
      throw new Error('disk full')
    }
    expect(() => warnBy({ warn: throwing })('base-path', 'words')).not.toThrow()
    // Vitest fails on an unhandled rejection.
    warnBy({ warn: async () => throwing() })('base-path', 'words')
    await new Promise((resolve) => setTimeout(resolve))
  })
})
