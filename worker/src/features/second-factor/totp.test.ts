import { describe, expect, it } from 'vitest'
import { encodeBase32, inGroups } from './base32.js'
import { isTotp, stepOfCode } from './totp.js'

const ascii = (text: string) => new Uint8Array(new TextEncoder().encode(text))
/** The key of the vectors of RFC 4226 and RFC 6238. */
const KEY = ascii('12345678901234567890')

describe('stepOfCode', () => {
  it('accepts the vectors of RFC 4226, appendix D, at their counters', async () => {
    const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ')
    const steps = await Promise.all(codes.map((code, step) => stepOfCode(KEY, code, step * 30, -1)))
    expect(steps).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('accepts the vectors of RFC 6238, appendix B, of SHA-1, in six digits', async () => {
    const vectors = [
      [59, '287082', 1],
      [1_111_111_109, '081804', 37_037_036],
      [1_111_111_111, '050471', 37_037_037],
      [1_234_567_890, '005924', 41_152_263],
      [2_000_000_000, '279037', 66_666_666],
      [20_000_000_000, '353130', 666_666_666],
    ] as const
    for (const [now, code, step] of vectors) {
      expect(await stepOfCode(KEY, code, now, 0)).toBe(step)
    }
  })

  it('allows one step to either side, and not two', async () => {
    // The code of step 1, from 30 to 59.
    const at = (now: number) => stepOfCode(KEY, '287082', now, 0)
    expect(await Promise.all([0, 29, 30, 59, 60, 89].map(at))).toEqual([1, 1, 1, 1, 1, 1])
    expect(await Promise.all([90, 120, 3_600].map(at))).toEqual([undefined, undefined, undefined])
  })

  it('refuses the step that was used last, and all before it', async () => {
    expect(await stepOfCode(KEY, '287082', 59, 0)).toBe(1)
    expect(await stepOfCode(KEY, '287082', 59, 1)).toBeUndefined()
    expect(await stepOfCode(KEY, '287082', 59, 2)).toBeUndefined()
  })

  it('refuses any other text than the code', async () => {
    for (const code of ['287083', '28708', '2870820', '', '287082 ', '０２８７０８']) {
      expect(await stepOfCode(KEY, code, 59, 0)).toBeUndefined()
    }
  })
})

describe('isTotp', () => {
  it('knows six digits, and nothing else', () => {
    expect(['000000', '287082'].map(isTotp)).toEqual([true, true])
    expect(['28708', '2870820', '28708a', 'a28708', '', '٢٨٧٠٨٢', '28708\n'].some(isTotp)).toBe(
      false,
    )
  })
})

describe('encodeBase32', () => {
  it('accepts the vectors of RFC 4648, section 10, that need no padding', () => {
    expect(encodeBase32(ascii('fooba'))).toBe('MZXW6YTB')
    expect(encodeBase32(KEY)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    expect(encodeBase32(new Uint8Array(20).fill(255))).toBe('7'.repeat(32))
  })

  it('is shown in groups of four', () => {
    expect(inGroups('GEZDGNBVGY3TQOJQ', ' ')).toBe('GEZD GNBV GY3T QOJQ')
    expect(inGroups('ABCDE', '-')).toBe('ABCD-E')
  })
})
