import { describe, expect, it } from 'vitest'
import { hashOfRecoveryCode, makeRecoveryCodes } from './recovery-codes.js'

describe('makeRecoveryCodes', () => {
  it('makes ten, each of 16 letters and digits in groups of four, none like another', async () => {
    const { codes, hashes } = await makeRecoveryCodes('ada')
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    expect(new Set(hashes).size).toBe(10)
    const group = '[0-9A-HJKMNP-TV-Z]{4}'
    for (const code of codes) expect(code).toMatch(new RegExp(`^${group}(?:-${group}){3}$`))
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
