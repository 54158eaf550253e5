import type { Words } from '../languages/texts.js'
import type { Markup } from '../pages/markup.js'
import type { Theme } from '../pages/theme.js'
import { csrfToken } from './csrf.js'
import { wordsFor } from './locale.js'
import type { AuthRequest } from './request.js'

/** What every page is made of. */
export interface PageHead {
  readonly theme: Theme
  readonly words: Words
  /** The base path, such as `/auth`. */
  readonly base: string
}

/** What every page with a form is made of. */
export interface FormHead extends PageHead {
  readonly csrfToken: string
  /** What shows that a person sends a form. `undefined`: no form needs it. */
  readonly human: Markup | undefined
}

export async function pageHead(request: AuthRequest): Promise<PageHead> {
  const { theme, basePath: base } = request.config
  return { theme, words: await wordsFor(request), base }
}

export async function formHead(request: AuthRequest): Promise<FormHead> {
  const head = await pageHead(request)
  const human = request.features.ports.guard?.field(request, head.words)
  return { ...head, csrfToken: await csrfToken(request), human }
}
