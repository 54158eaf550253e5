/** Digits of a code (RFC 4226, section 5.3). */
const DIGITS = 6
/** Seconds in which one code counts (RFC 6238, section 5.2). */
const STEP = 30
/** Steps to either side that count too, for clocks that differ and people who type (RFC 6238, section 5.2). */
const EITHER_SIDE = 1

const DATA_LENGTH = 8

/** The length of a key: that of the hash (RFC 4226, section 4, R6). Bytes. */
export const KEY_LENGTH = 20

/**
 * The code of a counter, which is here the number of a step (RFC 4226, section 5.3, by HMAC-SHA-1: most
 * authenticator apps know no other).
 */
async function codeOf(key: CryptoKey, step: number): Promise<string> {
  const data = new DataView(new ArrayBuffer(DATA_LENGTH))
  data.setBigUint64(0, BigInt(step))
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, data))
  const offset = mac.getUint8(mac.byteLength - 1) & 15
  const number = mac.getUint32(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/**
 * The step that a code belongs to, by a clock that may differ by half a minute. Each code works once, so
 * steps only go forward (RFC 6238, section 5.2).
 *
 * @param now seconds since the epoch
 * @param last the last step by which the key's owner has proved themselves
 * @returns `undefined`: the code is wrong, or was used, or is older than one that was
 * @example await stepOfCode(key, '287082', 59, 0) // 1
 */
export async function stepOfCode(
  key: Uint8Array<ArrayBuffer>,
  code: string,
  now: number,
  last: number,
): Promise<number | undefined> {
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const at = Math.floor(now / STEP)
  let found: number | undefined
  for (let step = Math.max(at - EITHER_SIDE, 0); step <= at + EITHER_SIDE; step++) {
    // Every step is computed and compared, so that the time reveals nothing.
    const isEqual = isSame(await codeOf(imported, step), code)
    if (isEqual && step > last) found ??= step
  }
  return found
}

/** Does it look like a code of an app? */
export function isTotp(code: string): boolean {
  return code.length === DIGITS && /^[0-9]+$/.test(code)
}

/** Compares in a time that depends on nothing but the length of the right one. */
function isSame(right: string, value: string): boolean {
  let differences = right.length ^ value.length
  for (let at = 0; at < right.length; at++) {
    differences |= right.charCodeAt(at) ^ value.charCodeAt(at)
  }
  return differences === 0
}
