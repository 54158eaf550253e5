import { describe, expect, it } from 'vitest'
import { hashOfRecoveryCode, makeRecoveryCodes } from './recovery-codes.js'

describe('makeRecoveryCodes', () => {
  it('makes ten, each of 24 letters and digits in groups of four, none like another', async () => {
    const { codes, hashes } = await makeRecoveryCodes('ada')
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    expect(new Set(hashes).size).toBe(10)
    const group = '[0-9A-HJKMNP-TV-Z]{4}'
    for (const code of codes) expect(code).toMatch(new RegExp(`^${group}(?:-${group}){5}$`))
  })

  it('has 112 bits or more of chance, since a plain hash is kept', async () => {
    const { codes } = await makeRecoveryCodes('ada')
    const [code = ''] = codes
    expect(code.replaceAll('-', '').length * Math.log2(32)).toBeGreaterThanOrEqual(112)
    // No letter stands still: each of the 24 places has many.
    const many = await Promise.all(Array.from({ length: 20 }, () => makeRecoveryCodes('ada')))
    const all = many.flatMap((one) => one.codes.map((text) => text.replaceAll('-', '')))
    for (let at = 0; at < 24; at++) {
      expect(new Set(all.map((text) => text[at])).size).toBeGreaterThan(20)
    }
  })

  it('keeps nothing by which a code is known, but its hash for that person alone', async () => {
    const { codes, hashes } = await makeRecoveryCodes('ada')
    const [code = ''] = codes
    expect(JSON.stringify(hashes)).not.toContain(code.slice(0, 4) + code.slice(5, 9))
    expect(await hashOfRecoveryCode('ada', code)).toBe(hashes[0])
    expect(hashes).not.toContain(await hashOfRecoveryCode('bob', code))
  })
})

describe('hashOfRecoveryCode', () => {
  it('knows the codes of an earlier deployment, so that no user is locked out', async () => {
    const hash = 'MsREic4RDXLraHeK_glP54CvOQ-JlAALld5cg4hOva0'
    expect(await hashOfRecoveryCode('ada', '01AB-CDEF-GHJK-MNPQ')).toBe(hash)
  })

  it('does not count case, spaces and hyphens, nor letters that look like digits', async () => {
    const one = await hashOfRecoveryCode('ada', '01AB-CDEF-GHJK-MNPQ')
    const spellings = [
      '01abcdefghjkmnpq',
      ' 01AB CDEF GHJK MNPQ\n',
      'oiAB-cdefGHJKMNPQ',
      'OLABCDEFGHJKMNPQ',
    ]
    const others = await Promise.all(spellings.map((text) => hashOfRecoveryCode('ada', text)))
    expect(one).toMatch(/^[\w-]{43}$/)
    expect(new Set([one, ...others]).size).toBe(1)
  })

  it('takes no code of an app for one, and no endless text', async () => {
    for (const text of [
      '123456',
      '',
      '123456789',
      'A'.repeat(65),
      'ÄÖÜßÄÖÜßÄÖÜß',
      '{}'.repeat(8),
    ]) {
      expect(await hashOfRecoveryCode('ada', text)).toBeUndefined()
    }
  })
})
