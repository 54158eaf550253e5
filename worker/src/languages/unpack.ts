import type { OwnTexts } from './copy.js'
import { english } from './english.js'

/**
 * The texts of a packed table, by their names.
 *
 * @param packed as `npm run generate` writes it
 */
export async function unpack(packed: string): Promise<OwnTexts> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  const values = (await new Response(inflated).json()) as unknown[][]
  const sections = Object.entries(english()).map(([section, texts], at) => {
    const named = Object.keys(texts).map((name, index) => [name, values[at]?.[index]])
    return [section, Object.fromEntries(named.filter(([, text]) => text))]
  })
  return Object.fromEntries(sections)
}
