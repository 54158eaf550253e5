import { describe, expect, it } from 'vitest'
import { otpauthUri } from './otpauth.js'
import { qrCode } from './qr-code.js'

const KEY = new TextEncoder().encode('12345678901234567890')

describe('otpauthUri', () => {
  it('names site and person, and has the key in base32', () => {
    const uri = new URL(otpauthUri(KEY, 'Example & Co', 'ada@example.com'))
    expect(uri.protocol).toBe('otpauth:')
    expect(uri.host).toBe('totp')
    expect(decodeURIComponent(uri.pathname)).toBe('/Example & Co:ada@example.com')
    expect(uri.searchParams.get('secret')).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    expect(uri.searchParams.get('issuer')).toBe('Example & Co')
  })

  it('fits a QR code, however long the names are, and cuts no character in two', () => {
    for (const name of [
      'x'.repeat(500),
      '😀'.repeat(80),
      'ä'.repeat(300),
      '\ud800'.repeat(300),
      '',
    ]) {
      const uri = otpauthUri(KEY, name, name)
      expect(() => decodeURIComponent(uri)).not.toThrow()
      expect(() => qrCode(uri)).not.toThrow()
    }
  })

  it('has as much of a name as fits, and nothing that is not a character', () => {
    const path = (name: string) => decodeURIComponent(new URL(otpauthUri(KEY, name, name)).pathname)
    expect(path('x'.repeat(200))).toBe(`/${'x'.repeat(72)}:${'x'.repeat(108)}`)
    expect(path(' a\ud800b ')).toBe('/ab:ab')
  })

  it('lets no name add a parameter or another person', () => {
    const uri = new URL(otpauthUri(KEY, 'a:b&secret=X', 'c:d?secret=Y#'))
    expect(uri.searchParams.getAll('secret')).toEqual(['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'])
    expect(decodeURIComponent(uri.pathname).split(':')).toHaveLength(2)
    expect(uri.hash).toBe('')
    expect(decodeURIComponent(uri.pathname)).toBe('/a b&secret=X:c d?secret=Y#')
  })
})
