import { cookieValues } from '@latchkey/session/internal'
import { AuthError } from '../errors.js'
import { findLanguage, tagsByQuality, tagsInOrder } from '../languages/choose.js'
import { loadWords, tagsOf } from '../languages/load.js'
import type { Words } from '../languages/texts.js'
import { addCookie, ownCookieName } from './cookies.js'
import type { AuthRequest } from './request.js'

/** How long a browser keeps the language that was asked for. Seconds. */
const MAX_AGE = 365 * 24 * 60 * 60

/** The parameter of an address that names languages (OpenID Connect Core, 3.1.2.1). */
const PARAMETER = 'ui_locales'

/**
 * The language in which a request is answered, and its texts: that of `ui_locales`, of the cookie, or the best of
 * `Accept-Language`; otherwise English.
 */
export async function wordsFor(request: AuthRequest): Promise<Words> {
  request.words ??= await load(request)
  return request.words
}

/** A page in English is better than none. */
async function load(request: AuthRequest): Promise<Words> {
  const { copy, languages, english, logger } = request.config
  try {
    return await loadWords(
      languageOf(request),
      languages,
      copy,
      english,
      request.features.hooks('pages', 'translations'),
    )
  } catch (cause) {
    logger.error(new AuthError('The texts of a language cannot be loaded.', { cause }))
    return loadWords('en', languages, copy, english)
  }
}

/**
 * Has the browser keep the language that the address of a page asks for. It says nothing about the
 * person.
 */
export function keepLanguage(request: AuthRequest): void {
  const language = request.hasQuery ? askedLanguage(request) : undefined
  if (language === undefined) return
  const name = ownCookieName(request, 'locale')
  if (rememberedLanguages(request).includes(language)) return
  addCookie(request, name, language, { maxAge: MAX_AGE })
}

function languageOf(request: AuthRequest): string {
  const available = languagesOf(request)
  const header = request.original.headers.get('accept-language') ?? ''
  return (
    askedLanguage(request) ??
    findLanguage(rememberedLanguages(request), available) ??
    findLanguage(tagsByQuality(header), available) ??
    'en'
  )
}

function askedLanguage(request: AuthRequest): string | undefined {
  const asked = request.query.get(PARAMETER)
  return asked === null ? undefined : findLanguage(tagsInOrder(asked), languagesOf(request))
}

/** Any browser may send several of one name. */
function rememberedLanguages(request: AuthRequest): readonly string[] {
  return cookieValues(request.cookieHeader, ownCookieName(request, 'locale'))
}

function languagesOf({ config }: AuthRequest): ReadonlySet<string> {
  const tags = tagsOf(config.languages)
  return config.copy ? new Set([...tags, ...config.copy.keys()]) : tags
}
