import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packed } from './public-suffixes.ts'

/**
 * Passwords of public leaks by their rank, from `@zxcvbn-ts/language-common` 4.1.3 (MIT): the first ones of all, the first 3,000
 * with 8 to 14 characters, and all with more.
 */
const SOURCE = 'worker/common-passwords.txt'
const FOLDER = 'worker/src/features/passwords'

/** The low bits of distances between places of short passwords. One password in 2^12 that is not in the list is taken for one. */
const LOW_BITS = 12
/** The places of the few long ones are so far apart that no other password meets one. */
const LONG_PLACES = 2 ** 31
const LONG_LOW_BITS = 25

interface Placing {
  placeOf(password: string, size: number): number
}

/** The most common passwords as the Worker has them: the first ones as they are, and places of all others. */
export function passwordModules(root: string): [string, string][] {
  const { placeOf }: Placing = createRequire(import.meta.url)(join(root, FOLDER, 'place-of.ts'))
  const { first, short, long } = commonPasswords(root)
  const listed = (passwords: readonly string[], places: number, lowBits: number) => {
    const all = new Set(passwords.map((one) => placeOf(one, places)))
    const sorted = [...all].sort((one, other) => one - other)
    return `{ places: ${places}, lowBits: ${lowBits}, packed: '${packed(sorted, lowBits)}' }`
  }
  const lines = [
    `// Made from ${SOURCE}. Do not edit.`,
    '',
    'export const FIRST: readonly string[] =',
    `  '${first.join(' ')}'.split(' ')`,
    `export const SHORT = ${listed(short, short.length * 2 ** LOW_BITS, LOW_BITS)}`,
    `export const LONG = ${listed(long, LONG_PLACES, LONG_LOW_BITS)}`,
    '',
  ]
  return [[`${FOLDER}/common-passwords.ts`, lines.join('\n')]]
}

function commonPasswords(root: string) {
  const blocks = readFileSync(join(root, SOURCE), 'utf8').trim().split('\n\n')
  const [first = [], short = [], long = []] = blocks.map((block) => block.split('\n'))
  return { first, short, long }
}
