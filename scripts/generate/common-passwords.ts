import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packed } from './public-suffixes.ts'

const SOURCE = 'worker/common-passwords.txt'
const FOLDER = 'worker/src/features/passwords'

/** The low bits of a distance. One password in 2^12 that is not in the list is taken for one. */
const LOW_BITS = 12

interface Placing {
  placeOf(password: string, size: number): number
}

/** The most common passwords as the Worker has them: the first ones as they are, and places of all others. */
export function passwordModules(root: string): [string, string][] {
  const { placeOf }: Placing = createRequire(import.meta.url)(join(root, FOLDER, 'place-of.ts'))
  const { first, others } = commonPasswords(root)
  const size = others.length * 2 ** LOW_BITS
  const places = [...new Set(others.map((one) => placeOf(one, size)))].sort((a, b) => a - b)
  const lines = [
    `// Made from ${SOURCE}. Do not edit.`,
    '',
    `export const PLACES = ${size}`,
    `export const LOW_BITS = ${LOW_BITS}`,
    'export const FIRST: readonly string[] =',
    `  '${first.join(' ')}'.split(' ')`,
    'export const PACKED: string =',
    `  '${packed(places, LOW_BITS)}'`,
    '',
  ]
  return [[`${FOLDER}/common-passwords.ts`, lines.join('\n')]]
}

/** The list: the most common passwords of all by their rank, and then the longer ones. */
function commonPasswords(root: string) {
  const [first = '', others = ''] = readFileSync(join(root, SOURCE), 'utf8').trim().split('\n\n')
  return { first: first.split('\n'), others: others.split('\n') }
}
