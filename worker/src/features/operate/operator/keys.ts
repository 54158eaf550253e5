import { toHex } from '../../../lib/hex.js'
import { isSameBytes } from '../../../lib/is-same-bytes.js'
import type { OperationScope } from '../../../service/operations.js'

/** A key of the operator API, of which the service knows the hash alone. */
export interface OperatorKey {
  /** The name in records and lines of the log. Two keys may have one, such as while one is replaced. */
  readonly name: string
  /** `manage` includes `read`. */
  readonly scope: OperationScope
  /** The SHA-256 of the key's text, in 64 lower-case hexadecimal digits. */
  readonly hash: string
}

/**
 * Name, scope and hash. A key of the name `binding` would act as a Worker that calls the service: its reads would have no record, and
 * its other records would not name it.
 */
const ENTRY = /^(?!binding:)[a-z0-9-]{1,32}:(?:read|manage):[0-9a-f]{64}$/

/**
 * Group: a key of 256 random bits, behind a prefix by which scanners of secrets find one that leaked. A text of another form, which a
 * person may have made up, opens nothing, also if its hash is in the list.
 */
const BEARER = /^bearer +(lkop_[\w-]{43})$/i

/**
 * Reads `AUTH_OPERATOR_KEYS`.
 *
 * @returns the well-formed entries, and the places in the list, from 1, of the malformed entries
 * @example readOperatorKeys('night:read:9f86…').keys[0].name // 'night'
 */
export function readOperatorKeys(text = ''): {
  readonly keys: readonly OperatorKey[]
  readonly bad: readonly number[]
} {
  const keys: OperatorKey[] = []
  const bad: number[] = []
  for (const [at, entry] of text.split(',').entries()) {
    const said = entry.trim()
    if (ENTRY.test(said)) {
      const [name, scope, hash] = said.split(':') as [string, OperationScope, string]
      keys.push({ name, scope, hash })
    } else if (said !== '') {
      // A list may end with a comma.
      bad.push(at + 1)
    }
  }
  return { keys, bad }
}

/** The line of the log at the start, which never repeats an entry: it may be a key in the clear. */
export function badKeysLine(bad: readonly number[]): string {
  const which = bad.length === 1 ? `entry ${bad[0]}` : `the entries ${bad.join(', ')}`
  return `AUTH_OPERATOR_KEYS: ${which} of the list must be <name>:<scope>:<hash> as \`latchkey secret operator\` prints it, and opens nothing.`
}

/**
 * The key of an `Authorization` header. It costs one hash and a comparison with each known hash, whichever of them is right.
 *
 * @param authorization the header; any text
 * @returns `undefined`: it has no key that is known here
 */
export async function findOperatorKey(
  keys: readonly OperatorKey[],
  authorization: string,
): Promise<OperatorKey | undefined> {
  const text = BEARER.exec(authorization)?.[1]
  if (text === undefined) return undefined
  const encode = (value: string) => new TextEncoder().encode(value)
  const digest = await crypto.subtle.digest('SHA-256', encode(text))
  const hash = encode(toHex(new Uint8Array(digest)))
  const [found] = keys.filter((key) => isSameBytes(hash, encode(key.hash)))
  return found
}
