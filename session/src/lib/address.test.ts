import { describe, expect, it } from 'vitest'
import { parseAddress } from './address.js'

describe('an address that a path can be added to', () => {
  it.each(['https://example.com', 'http://example.com:8080/auth'])('%s is one', (text) => {
    expect(parseAddress(text)?.href).toContain(text)
  })

  it.each([
    'https://example.com?x',
    'https://example.com#x',
    'https://user@example.com',
    'https://:secret@example.com',
    'xhttps://example.com',
    'https+x://example.com',
    'ftp://example.com',
    'example.com',
    '',
  ])('%j is invalid', (text) => {
    expect(parseAddress(text)).toBeUndefined()
  })
})
