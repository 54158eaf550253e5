import { isPublicSuffix, parseOriginPattern } from '@latchkey/host/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { holds } from '../../../test/support/holds.js'
import { chosenRedirect, configuredRedirect, safeRedirect } from './safe-redirect.js'

const origins = ['https://example.com', 'http://localhost:8787', 'https://[::1]:8443']
const trusted = ['https://friend.example', 'https://*.example.org'].map((text) =>
  parseOriginPattern(text, isPublicSuffix),
)

/** The parser that browsers have decides where a target leads. */
function leadsTo(target: string, origin: string): boolean {
  const url = new URL(target)
  return (
    url.origin === origin ||
    url.origin === 'https://friend.example' ||
    (url.protocol === 'https:' && url.port === '' && /[^.]\.example\.org$/.test(url.hostname))
  )
}

const hostile = fc.constantFrom(
  ...['/', '//', '\\', ':', '@', '?', '#', '.', '..', '。', '%2f', '%5c', '%00', '%2e', '%40', '&'],
  ...[
    '\t',
    '\n',
    '\r',
    '\0',
    ' ',
    '\u00a0',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\ud800',
    'ℂ',
    '⁄',
    '：',
  ],
  ...[
    'https:',
    'http:',
    'HTTPS:',
    'javascript:',
    'data:',
    'blob:',
    'file:',
    'ws:',
    'x:',
    'a',
    '443',
  ],
  ...['evil.com', 'example.com', 'friend.example', 'example.org', 'a.example.org', 'localhost'],
  ...['localhost:8787', '[::1]', '127.1', '0x7f000001', 'xn--', 'ﬀ.example.org', 'user:pass@'],
)

/** Targets of such parts, real addresses, paths, and any text. */
const target = fc.oneof(
  { weight: 6, arbitrary: fc.array(hostile, { maxLength: 8 }).map((parts) => parts.join('')) },
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.webPath(),
  fc.string({ unit: 'binary' }),
)

it('any target leads to our own or a trusted origin or is refused, as the parser of browsers reads it', () =>
  holds(
    1_500,
    fc.property(target, fc.constantFrom(...origins), (given, origin) => {
      const found = safeRedirect(given, origin, trusted)
      if (found === undefined) return
      expect(leadsTo(found, origin)).toBe(true)
      // The header has one reading: absolute, normal, and of visible ASCII.
      expect(found).toMatch(/^https?:\/\/[!-~]{1,2040}$/)
      expect(new URL(found).href).toBe(found)
      expect(new URL(found).username + new URL(found).password).toBe('')
      expect(safeRedirect(found, origin, trusted)).toBe(found)
      // Resolved by a browser on any of our pages it leads to the same place.
      expect(new URL(found, `${origin}/auth/signin`).href).toBe(found)
    }),
  ))

/** Spellings of paths and hosts that a parser resolves to other ones. */
const spelled = fc
  .tuple(
    fc.constantFrom('', ...origins, 'https://friend.example', 'https://a.example.org'),
    fc.array(
      fc.constantFrom(
        ...['/', '/', '/', '\\', '.', '..', '%2e', '%2E', '%2e%2e', '.%2e', '%2f', '%5c', '%252e'],
        ...['\t', '\n', '\r', ' ', '%09', '%00', ';', '@', ':', '?', '#', 'a', 'x/..', '//', '/./'],
        ...['evil.com', 'evil.com:443', '%65vil.com', 'ｅｖｉｌ.com'],
      ),
      { minLength: 1, maxLength: 9 },
    ),
  )
  .map(([start, parts]) => start + parts.join(''))

/** A target as a framework writes it that takes its own host, or its own host and base path, off. */
function cuts(target: string): string[] {
  const { pathname, search, hash } = new URL(target)
  return [pathname + search + hash, pathname + search, pathname]
}

it('a target leads nowhere else when a framework cuts it to its path, in any spelling', () =>
  holds(
    4_000,
    fc.property(spelled, fc.constantFrom(...origins), (given, origin) => {
      for (const found of [
        safeRedirect(given, origin, trusted),
        chosenRedirect(given, origin),
        configuredRedirect(given, origin),
      ]) {
        if (found === undefined || new URL(found).origin !== origin) continue
        for (const cut of cuts(found)) {
          expect(new URL(cut, `${origin}/auth/signin`).origin).toBe(origin)
          expect(cut).toMatch(/^\/(?![/\\])[!-~]*$/)
        }
      }
      const elsewhere = safeRedirect(given, origin, trusted)
      if (elsewhere) expect(new URL(elsewhere).pathname).not.toMatch(/^\/[/\\]/)
    }),
  ))

it('every path of our own origin is taken as the parser of browsers reads it', () =>
  holds(
    300,
    fc.property(
      fc.webPath(),
      fc.webQueryParameters(),
      fc.webFragments(),
      fc.constantFrom(...origins),
      (path, query, fragment, origin) => {
        fc.pre(!path.startsWith('//'))
        const given = `/${path.replace(/^\//, '')}?${query}#${fragment}`
        const { href, pathname } = new URL(given, origin)
        fc.pre(href.length <= 2_048 && !given.startsWith('//') && !pathname.startsWith('//'))
        expect(safeRedirect(given, origin, trusted)).toBe(href)
        expect(safeRedirect(href, origin, trusted)).toBe(href)
      },
    ),
  ))

it('an app’s choice is an http(s) address in its normal form or refused, for any return value', () =>
  holds(
    500,
    fc.property(fc.oneof(target, fc.anything()), fc.constantFrom(...origins), (given, origin) => {
      const found = chosenRedirect(given, origin)
      if (found === undefined) return
      expect(found).toMatch(/^https?:\/\/[!-~]{1,2040}$/)
      expect(new URL(found).href).toBe(found)
    }),
  ))
