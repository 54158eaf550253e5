import { expect, test } from 'vitest'
import { CookieJar } from './cookie-jar.js'

/** A jar after the answers of hosts with these lines. */
function jarOf(...answers: readonly (readonly [url: string, ...lines: readonly string[]])[]) {
  const jar = new CookieJar()
  for (const [url, ...lines] of answers) {
    const headers = new Headers()
    for (const line of lines) headers.append('set-cookie', line)
    jar.keep(new URL(url), headers)
  }
  return (url: string) => jar.cookieFor(new URL(url))
}

test('a cookie goes to the host that has set it alone', () => {
  const cookie = jarOf(['https://id.example.com/a', 'a=1; Path=/; HttpOnly', 'b=x=y'])
  expect(cookie('https://id.example.com/b')).toBe('a=1; b=x=y')
  expect(cookie('https://example.com/')).toBe('')
  expect(cookie('https://www.id.example.com/')).toBe('')
})

test('with a domain it goes to every host below that', () => {
  const cookie = jarOf(['https://id.example.com/', 'a=1; Domain=.Example.com'])
  expect(cookie('https://login.example.com/')).toBe('a=1')
  expect(cookie('https://example.com.evil.example/')).toBe('')
})

test('no host sets a cookie for another domain', () => {
  const cookie = jarOf(['https://evil.example/', 'a=1; Domain=example.com'])
  expect(cookie('https://example.com/')).toBe('')
  expect(cookie('https://evil.example/')).toBe('a=1')
})

test('a later cookie replaces or ends one of its name', () => {
  const cookie = jarOf(
    ['https://id.example.com/', 'a=1', 'b=1', 'c=1'],
    ['https://id.example.com/', 'a=2', 'b=; Max-Age=5', 'c=3; Max-Age=0'],
  )
  expect(cookie('https://id.example.com/')).toBe('a=2')
})

test('invalid and long cookies are left out, and the oldest of many', () => {
  const many = Array.from({ length: 200 }, (_, at) => `c${at}=1`)
  const cookie = jarOf(['https://id.example.com/', '=1', 'x', `long=${'x'.repeat(9_000)}`, ...many])
  expect(cookie('https://id.example.com/').split('; ')).toEqual(many.slice(-50))
})
