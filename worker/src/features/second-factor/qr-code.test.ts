import jsqr from 'jsqr'
import { describe, expect, it } from 'vitest'
import { moments } from '../../../../test/support/holds.js'
import { qrCode } from './qr-code.js'

type Read = (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null
const read = jsqr as unknown as Read

const QUIET = 4
const SCALE = 3

/** Draws the path as a browser would, with its quiet zone, and lets a reader of another make read it. */
function readBack({ size, path }: ReturnType<typeof qrCode>): string | undefined {
  const width = (size + 2 * QUIET) * SCALE
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    const [left, top] = [(Number(x) + QUIET) * SCALE, (Number(y) + QUIET) * SCALE]
    for (let row = top; row < top + SCALE; row++) {
      for (let column = left; column < left + Number(length) * SCALE; column++) {
        pixels.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3)
      }
    }
  }
  return read(pixels, width, width)?.data
}

/** The bytes that each version holds: table 7 of ISO/IEC 18004, byte mode at level M. */
const CAPACITIES = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412]

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/:?=&%-_.~'

function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('')
}

describe('qrCode', () => {
  it('is read by a reader of another make: the longest text of every version, and every eighth length', () => {
    const misread: number[] = []
    const { first, step } = moments('lengths')
    for (let length = 1; length <= 412; length++) {
      if (length % step !== first && !CAPACITIES.includes(length)) continue
      const text = randomText(length)
      if (readBack(qrCode(text)) !== text) misread.push(length)
    }
    expect(misread).toEqual([])
  })

  it('takes the smallest version that holds the text, as the standard says how much that is', () => {
    const sizes = CAPACITIES.flatMap((capacity) =>
      [capacity, capacity + 1].map((length) =>
        length > 412 ? undefined : qrCode('x'.repeat(length)).size,
      ),
    )
    const versions = CAPACITIES.map((_, at) => 21 + 4 * at)
    expect(sizes).toEqual(versions.flatMap((size, at) => [size, versions[at + 1]]))
  })

  it('holds letters of every alphabet, and what one character or none has', () => {
    for (const text of ['ä€😀', '\u0000', ' ', 'otpauth://totp/Ünïcode:é', '~'.repeat(200)]) {
      expect(readBack(qrCode(text))).toBe(text)
    }
  })

  it('refuses a text that is too long', () => {
    expect(() => qrCode('x'.repeat(413))).toThrow(RangeError)
    expect(() => qrCode('€'.repeat(138))).toThrow(RangeError)
  })
})
