import type { English } from './english-of.js'
import { OWNERS } from './feature-texts.js'
import type { OwnTexts } from './own-texts.js'
import { type Table, together } from './texts.js'

/** The texts of a packed table without their names, each as a line, by {@link OWNERS}. */
export type Unpacked = readonly (readonly string[])[]

/** @param packed as `npm run modules` makes it */
export async function unpack(packed: string): Promise<Unpacked> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  const text = await new Response(inflated).text()
  return text.split('\f').map((lines) => lines.split('\n'))
}

/** The texts that a service shows, by their names. */
export function named(unpacked: Unpacked, { parts }: English): OwnTexts {
  const tables = [...parts].map(([feature, part]) =>
    textsIn(part(), unpacked[OWNERS.indexOf(feature)]),
  )
  return together(tables) as OwnTexts
}

/** Lines, with the names of English texts in the same order. */
export function textsIn(english: Table, lines: readonly string[] = []): Table {
  const rest = lines.values()
  const sections = Object.entries(english).map(([section, texts]) => {
    const entries = Object.keys(texts).map((name) => [name, textIn(rest.next().value)])
    return [section, Object.fromEntries(entries.filter(([, text]) => text))]
  })
  return Object.fromEntries(sections)
}

/** @param line a text, or the forms of a number, each after its category; empty: there is none */
function textIn(line = ''): Table[string][string] {
  const parts = line.split('\t')
  if (parts.length === 1) return line
  const forms = parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] ?? '']] : []))
  return Object.fromEntries(forms)
}
