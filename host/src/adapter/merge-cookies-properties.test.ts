import { cookiePairs } from '@latchkey/session/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holds } from '../../../test/support/holds.ts'
import { lastOfEach, mergeCookies, replaceCookies } from './merge-cookies.js'

const name = '__Host-latchkey'
const letters = 'ABCabc019-_.~!'
const value = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 40 })

/** Set-Cookie lines, some of which remove their cookie. */
const lines = fc.array(
  fc
    .tuple(fc.constantFrom('a', 'b', `${name}.0`, name), value, fc.boolean())
    .map(([own, text, isGone]) => `${own}=${isGone ? '; Max-Age=0' : text}; Path=/; HttpOnly`),
  { maxLength: 5 },
)

/** A Cookie header as a stranger may write it. */
const hostile = fc.string({ unit: 'binary', maxLength: 60 })

test('no Cookie header makes the merge throw', () =>
  holds(
    800,
    fc.property(hostile, lines, (header, set) => {
      expect(mergeCookies(header, set)).toEqual(expect.any(String))
    }),
  ))

test('a header merged with an answer’s cookies is what a browser sends next', () =>
  holds(
    300,
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', name), value)),
      lines,
      (own, set) => {
        const header = own.map((pair) => pair.join('=')).join('; ')
        const merged = mergeCookies(header, set)
        // One cookie after the other, as a browser stores them.
        const jar = own.map(([key, text]) => ({ key, text }))
        const last = new Map(set.map((line) => [line.slice(0, line.indexOf('=')), line]))
        const kept = jar.filter(({ key }) => !last.has(key)).map(({ key, text }) => [key, text])
        const added = [...last].flatMap(([key, line]) => {
          const [pair = ''] = line.split(';')
          return pair === `${key}=` ? [] : [[key, pair.slice(key.length + 1)]]
        })
        expect(cookiePairs(merged)).toEqual([...kept, ...added])
        expect(mergeCookies(merged, set)).toBe(merged)
        expect(mergeCookies(null, lastOfEach(set))).toBe(mergeCookies(null, set))
        expect(replaceCookies(set, lastOfEach(set))).toEqual(lastOfEach(set))
      },
    ),
  ))
