import { expect, test, vi } from 'vitest'
import { lastOfEach, mergeCookies, replaceCookies } from './merge-cookies.js'

test('the last of several lines for one cookie counts', () => {
  const lines = ['a=1; Path=/', 'b=2; Path=/', 'a=3; Path=/']
  expect(lastOfEach(lines)).toEqual(['a=3; Path=/', 'b=2; Path=/'])
})

test('an added line takes the place of its own cookie alone, and an app may set one for two paths', () => {
  const present = ['a=1; Path=/x', 'session=old; Path=/', 'a=2; Path=/y']
  const added = ['session=new; Path=/']
  expect(replaceCookies(present, added)).toEqual(['a=1; Path=/x', 'a=2; Path=/y', ...added])
})

test.each([
  [null, ['a=1; Path=/'], 'a=1'],
  ['x=y; a=0; a=9', ['a=1; Path=/', 'b=2=3; HttpOnly'], 'x=y; a=1; b=2=3'],
  ['x=y; a=0', ['a=; Max-Age=0; Path=/'], 'x=y'],
  ['x=y; x=z', [], 'x=y; x=z'],
  ['a.0=x; a.1=y', ['a.0=; Max-Age=0', 'a=z'], 'a.1=y; a=z'],
  ['a=1', ['a=2', 'a=; Max-Age=0'], ''],
])('the header %o after %o is %o', (header, lines, expected) => {
  expect(mergeCookies(header, lines)).toBe(expected)
})

test('a Cookie header of many names is taken apart once: one request must not block an app', () => {
  // Steps, since a clock would be noisy: how often a part of the header is cut out.
  const steps = (count: number) => {
    const header = Array.from({ length: count }, (_, index) => `c${index}=x`).join('; ')
    const cut = vi.spyOn(String.prototype, 'slice')
    mergeCookies(header, ['session=; Max-Age=0'])
    const { length } = cut.mock.calls
    cut.mockRestore()
    return length
  }
  expect(steps(3_750)).toBeLessThan(12 * steps(375))
})
