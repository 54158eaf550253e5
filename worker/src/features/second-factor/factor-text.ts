import type { Words } from '../../languages/texts.js'
import { textOfCode } from '../../pages/error-texts.js'

/** The text for a public error word on the pages of a second factor. */
export function factorText(words: Words, error: string, code: string | undefined): string {
  const { errors } = words.texts
  if (code === 'wrong_code') return errors.wrongFactor
  return textOfCode(words, error, code) ?? errors.lateFactor
}
