import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { holds } from '../../../../test/support/holds.js'
import { normalizeAddress } from './address.js'

const parts = fc.constantFrom(
  ...[
    '@',
    '.',
    ',',
    ';',
    ':',
    '<',
    '>',
    '(',
    ')',
    '"',
    '\\',
    ' ',
    '\t',
    '\r\n',
    '\0',
    '%',
    '!',
    '+',
  ],
  ...['-', '_', '=?', '?=', "'", '/', '|', '`', '[', ']', '\u00a0', '\u200b', '\u202e', '\ufeff'],
  ...['ana', 'A', 'x', '1', 'com', 'example.com', 'evil.com', 'xn--', 'xn--bcher-kva', 'xn--e1a'],
  ...['ü', 'ß', 'ſ', 'ﬁ', 'Ⅷ', '①', 'İ', 'ı', 'а', 'α', 'ς', '中', 'ア', 'の', 'ا', 'ก', '한', 'é'],
  ...['．', '。', '＠', '，', '℀', '\u0301', '\u200d', '👩', '\ud800', 'e\u0301', 'K', 'Å', 'ǆ'],
)
const label = fc.string({ unit: fc.constantFrom(...'abcxyz0123456789-'), maxLength: 12 })
const letters = fc.constantFrom(
  ...'abzäöüßéñçøåabcабвгджзклмабвαβγδεζηθ中文字ひらがなカナ한국어ابتךגד',
)
const word = fc.oneof(label, fc.string({ unit: letters, minLength: 1, maxLength: 8 }))
const domain = fc.array(word, { minLength: 2, maxLength: 3 }).map((labels) => labels.join('.'))
const plainLocal = fc.stringMatching(/^[a-z0-9][a-z0-9#$&'*+/^_`{|}~-]{0,20}$/)

/** Texts of such parts, texts that look like addresses, and any text. */
const text = fc.oneof(
  fc.array(parts, { maxLength: 8 }).map((found) => found.join('')),
  fc.tuple(fc.array(parts, { maxLength: 3 }), domain).map(([at, of]) => `${at.join('')}@${of}`),
  fc.tuple(plainLocal, domain).map((found) => found.join('@')),
  fc.emailAddress(),
  fc.string({ unit: 'binary' }),
)

it('every text has one canonical address or none, which a second pass leaves alone', () =>
  holds(
    1_500,
    fc.property(text, (given) => {
      const address = normalizeAddress(given)
      if (address === undefined) return
      expect(address).toMatch(/^[a-z0-9#$&'*+./=?^_`{|}~-]{1,64}@[a-z0-9.-]{3,253}$/)
      expect(address.length).toBeLessThanOrEqual(254)
      expect(normalizeAddress(address)).toBe(address)
      expect(normalizeAddress(` \t${given}\t `)).toBe(address)
      expect(normalizeAddress(given.normalize('NFKC'))).toBe(address)
      // The domain is what a browser, and so a mail program, makes of it.
      const [local = '', host = ''] = address.split('@')
      expect(new URL(`http://${host}`).hostname).toBe(host)
      // The Unicode spelling of the domain is the same address.
      expect(normalizeAddress(`${local.toUpperCase()}@${domainToUnicode(host)}`)).toBe(address)
    }),
  ))

it('an ordinary address is accepted, in lower case', () =>
  holds(
    300,
    fc.property(
      plainLocal,
      fc.stringMatching(/^(?:[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?\.){1,3}[a-z]{2,12}$/),
      (local, host) => {
        // Two hyphens in the third place are reserved for A-labels (RFC 5890, 2.3.1).
        fc.pre(!/(?:^|\.)..--/.test(host))
        expect(normalizeAddress(`${local}@${host}`.toUpperCase())).toBe(`${local}@${host}`)
      },
    ),
  ))

it('a value that is not text is never an address, and never makes a reader throw', () =>
  holds(
    300,
    fc.property(
      fc.anything().filter((given) => typeof given !== 'string'),
      (given) => {
        expect(normalizeAddress(given)).toBeUndefined()
      },
    ),
  ))
