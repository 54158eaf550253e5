import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { domainToASCII } from 'node:url'

/** The list as `tldts` has it: a trie of labels, from the last one on. */
interface Trie {
  readonly nodeFlags: Uint8Array
  readonly edgeStart: Uint16Array
  readonly edgeLength: Uint8Array
  readonly edgeChild: Uint16Array
  readonly labelText: string
  readonly rulesRoot: number
  readonly exceptionsRoot: number
}

interface Hashing {
  suffixHash(name: string, size: number): number
  readonly COMMON_SUFFIXES: RegExp
}

/** The low bits of a distance. One host in 2^11 that is not a suffix is taken for one. */
const LOW_BITS = 11

/**
 * The Public Suffix List as the session package has it: the sorted hashes of the rules, as
 * distances.
 */
export function suffixModules(root: string): [string, string][] {
  const load = createRequire(import.meta.url)
  const hashing: Hashing = load(join(root, 'host/src/shared/suffix-hash.ts'))
  const rules = suffixRules().filter((rule) => !hashing.COMMON_SUFFIXES.test(rule))
  const size = rules.length * 2 ** LOW_BITS
  const places = [...new Set(rules.map((rule) => hashing.suffixHash(rule, size)))]
  const lines = [
    '// Made from the Public Suffix List, as the package tldts has it. Do not edit.',
    '',
    `export const SUFFIX_PLACES = ${size}`,
    'export const PACKED_SUFFIXES: string =',
    `  '${packed(places.sort((one, other) => one - other))}'`,
    '',
  ]
  return [['host/src/shared/packed-suffixes.ts', lines.join('\n')]]
}

/** Every rule of two labels or more, in ASCII; an exception begins with an exclamation mark. */
export function suffixRules(): string[] {
  const load = createRequire(import.meta.url)
  const trie: Trie = load(join(dirname(load.resolve('tldts')), 'src/data/trie.js'))
  const offsets: number[] = []
  let length = 0
  for (const size of trie.edgeLength) {
    offsets.push(length)
    length += size
  }
  const below = (node: number, suffix: string): string[] => {
    const found = trie.nodeFlags[node] && suffix.includes('.') ? [suffix] : []
    const end = trie.edgeStart[node + 1] ?? trie.edgeLength.length
    for (let edge = trie.edgeStart[node] ?? end; edge < end; edge++) {
      const at = offsets[edge] ?? 0
      const label = trie.labelText.slice(at, at + (trie.edgeLength[edge] ?? 0))
      found.push(...below(trie.edgeChild[edge] ?? 0, suffix ? `${label}.${suffix}` : label))
    }
    return found
  }
  const exceptions = below(trie.exceptionsRoot, '').map((name) => `!${ascii(name)}`)
  return [...new Set([...below(trie.rulesRoot, '').map(ascii), ...exceptions])]
}

function ascii(rule: string): string {
  return rule.startsWith('*.') ? `*.${domainToASCII(rule.slice(2))}` : domainToASCII(rule)
}

/** The distances between sorted places in Rice's code, as base64. Ones fill the last byte. @param lowBits of a distance */
export function packed(places: readonly number[], lowBits = LOW_BITS): string {
  const bytes: number[] = []
  let count = 0
  const write = (bit: number) => {
    if (count % 8 === 0) bytes.push(255)
    if (!bit) bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) & ~(128 >> (count % 8))
    count += 1
  }
  let before = -1
  for (const place of places) {
    const distance = place - before - 1
    for (let high = distance >> lowBits; high > 0; high--) write(1)
    write(0)
    for (let shift = lowBits - 1; shift >= 0; shift--) write((distance >> shift) & 1)
    before = place
  }
  return Buffer.from(bytes).toString('base64')
}
