import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holds } from '../../../test/support/holds.ts'
import {
  cookieNames,
  cookieValues,
  isCookieName,
  onlyToken,
  ownCookieNames,
  SESSION_COOKIE,
  sessionTokens,
  splitCookie,
} from './cookie.js'
import { cookieOf } from './set-cookie.js'

const name = SESSION_COOKIE
const letters = 'ABCabc019-_.~!'
const value = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 40 })
const longValue = fc
  .tuple(value, fc.integer({ min: 1, max: 12_000 }))
  .map(([text, length]) => text.repeat(Math.ceil(length / text.length)).slice(0, length))
const foreignName = value.filter((text) => !text.startsWith('.'))
const foreign = fc.tuple(foreignName, value).map(([own, text]) => `x${own}=${text}`)

/** A Cookie header as a stranger may write it. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[name, `__Host-${name}`, `${name}.0`, `${name}.1`, `${name}.00`, `${name}.99`, 'a', 'x'],
        ...['=', ';', '; ', ',', '"', ' ', '\t', '\0', '\u2003', '%', '\r\n', '__proto__', '😀'],
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''))

test('a value of any length is split into cookies and joined again, among others and in any order', () =>
  holds(
    150,
    fc.property(
      longValue,
      fc.array(foreign, { maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      (text, others, order) => {
        const parts = splitCookie(name, text)
        const own = parts.map((part) => part.join('='))
        for (const line of own) expect(line.length).toBeLessThanOrEqual(3_800 + name.length + 4)
        const shuffled = [...own, ...others]
          .map((line) => [order.next().value, line] as const)
          .toSorted(([one], [other]) => Number(one) - Number(other))
        const header = shuffled.map(([, line]) => line).join('; ')
        expect(sessionTokens(header, name)).toEqual([text])
        expect(ownCookieNames(header, name).toSorted()).toEqual(
          parts.map(([own]) => own).toSorted(),
        )
        expect(cookieOf(text, name, header).split('; ').toSorted()).toEqual(own.toSorted())
      },
    ),
  ))

test('no Cookie header makes a reader throw, or costs more than eight signatures', () =>
  holds(
    800,
    fc.property(hostile, (header) => {
      const tokens = sessionTokens(header, name)
      expect(tokens.length).toBeLessThanOrEqual(8)
      expect(new Set(tokens).size).toBeGreaterThanOrEqual(tokens.length - 1)
      expect(tokens).not.toContain('')
      const quick = onlyToken(header, name)
      if (quick !== undefined) expect(tokens).toEqual(quick === '' ? [] : [quick])
      const names = cookieNames(header)
      expect(new Set(names).size).toBe(names.length)
      expect(names.filter((own) => /^[ \t]|[ \t]$|[;=]/.test(own) || own === '')).toEqual([])
      expect(names.includes(name)).toBe(cookieValues(header, name).length > 0)
      for (const own of ownCookieNames(header, name)) expect(isCookieName(own)).toBe(true)
      // A cookie that we write ourselves is read back unchanged.
      const written = cookieOf('a.b.c', name, header)
      expect(sessionTokens(written, name)).toEqual(['a.b.c'])
    }),
  ))
