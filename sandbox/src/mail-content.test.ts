import { describe, expect, it } from 'vitest'
import { codeIn, linkIn } from './mail-content.js'

describe('the code of a mail', () => {
  it.each([
    ['Your code is 123456.', '123456'],
    ['Code:\n\n    123 456\n\nIt ends in 10 minutes.', '123456'],
    ['Code 123-456, for ten minutes', '123456'],
    ['Code 123\u00a0456', '123456'],
    ['000001', '000001'],
    ['http://localhost:8787/?code=111111 or 222222', '222222'],
  ])('is found in %j', (text, code) => {
    expect(codeIn(text)).toBe(code)
  })

  it.each([
    [''],
    ['See http://localhost:8787/a/123456?n=654321'],
    ['1234567'],
    ['12345'],
    ['a123456'],
    ['123456b'],
    ['EUR 1,234,567.00 and 0.123456'],
    ['Call 030 123 456 or 123 456 789 or +123456 or 123-456-7890'],
    ['2026-11-21'],
    ['123\n456'],
  ])('is not there in %j', (text) => {
    expect(codeIn(text)).toBeUndefined()
  })
})

describe('the link of a mail', () => {
  it.each([
    [
      'Open http://localhost:8787/auth/callback/email?token=a&x=1',
      '/auth/callback/email?token=a&x=1',
    ],
    ['Open <http://localhost:8787/a>.', '/a'],
    ['(http://localhost:8787/a), or', '/a'],
    ['https://\n http://localhost:8787/second', '/second'],
    ['http://localhost:8787/first http://localhost:8787/second', '/first'],
  ])('is found in %j', (text, path) => {
    expect(linkIn(text)?.href).toBe(`http://localhost:8787${path}`)
  })

  it.each([
    ['Nothing here'],
    ['javascript:alert(1)'],
    ['data:text/html,x ftp://example.com'],
    ['https://'],
  ])('is not there in %j', (text) => {
    expect(linkIn(text)).toBeUndefined()
  })
})
