import type { OwnTexts } from './copy.js'
import { type English, type Table, together } from './words.js'

/** The texts of a packed table without their names, by section of {@link OWNERS}. */
export type Unpacked = readonly (readonly (readonly unknown[])[])[]

/** Whose texts a packed table has: the core's, and those of features, by their names. A test compares it with them. */
export const OWNERS: readonly string[] =
  ' account credentials email last-way passkeys second-factor turnstile ways'.split(' ')

/** @param packed as `npm run generate` writes it */
export async function unpack(packed: string): Promise<Unpacked> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  return (await new Response(inflated).json()) as Unpacked
}

/** The texts that a service shows, by their names. */
export function named(unpacked: Unpacked, { parts }: English): OwnTexts {
  const tables = [...parts].map(([feature, part]): Table => {
    const sections = Object.entries(part()).map(([section, texts], at) => {
      const values = unpacked[OWNERS.indexOf(feature)]?.[at]
      const found = Object.keys(texts).map((name, index) => [name, values?.[index]])
      return [section, Object.fromEntries(found.filter(([, text]) => text))]
    })
    return Object.fromEntries(sections)
  })
  return together(tables) as OwnTexts
}
