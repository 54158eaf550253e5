import { inEnglish, type Words } from '../languages/words.js'
import type { AuthRequest } from './request.js'

/** The language in which a request is answered, and its texts. */
export async function wordsFor(_request: AuthRequest): Promise<Words> {
  return inEnglish
}
