import type { OwnTexts } from '../../languages/own-texts.js'
import { textsIn, type Unpacked, unpack } from '../../languages/unpack.js'
import { texts } from './texts.js'

/** What this process has unpacked. */
let unpacked: Unpacked | undefined

/** The texts of this folder in another language than English: a part of the packed ones, which begins with its tag. */
export async function translations(tag: string): Promise<OwnTexts> {
  unpacked ??= await unpack((await import('./translations.js')).packed)
  const lines = unpacked.find(([first]) => first === tag)?.slice(1)
  return textsIn(texts(), lines) as OwnTexts
}
