import type { OwnTexts } from './own-texts.js'
import type { Table } from './texts.js'
import { textsIn, type Unpacked, unpack } from './unpack.js'

/** The packed texts of a folder, in all its languages. */
interface Translations {
  readonly packed: Parameters<typeof unpack>[0]
}

/**
 * The texts of a folder in another language than English, by its tag. A process unpacks them once, when it needs them.
 *
 * @param english the texts in English, whose members the others have
 * @param load the module with the packed ones
 */
export function ownTranslations(
  english: () => Table,
  load: () => Promise<Translations>,
): (tag: string) => Promise<OwnTexts> {
  let unpacked: Unpacked | undefined
  return async (tag) => {
    unpacked ??= await unpack((await load()).packed)
    // Each language is a part that begins with its tag.
    const lines = unpacked.find(([first]) => first === tag)?.slice(1)
    return textsIn(english(), lines) as OwnTexts
  }
}
