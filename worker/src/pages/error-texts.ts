import type { Texts, Words } from '../languages/texts.js'

// Maps and not objects: a word such as `constructor` arrives from the address bar.

const signInTexts = new Map<string, keyof Texts['errors']>([
  ['CredentialsSignin', 'credentials'],
  ['CredentialsSignin rate_limited', 'tooMany'],
  ['OAuthAccountNotLinked', 'notLinked'],
  ['OAuthCallbackError', 'callback'],
  ['AccessDenied', 'denied'],
  ['Verification', 'link'],
  ['MissingCSRF', 'form'],
  ['InvalidCheck', 'check'],
])

/** Is it the user's own choice, and not a failure? */
function isOwnChoice(error: string, code: string | undefined): boolean {
  return error === 'OAuthCallbackError' && code === 'access_denied'
}

/** Is it no failure: the user's own choice, or a check that was not done yet? */
export function isNote(error: string, code: string | undefined): boolean {
  return isOwnChoice(error, code) || (error === 'AccessDenied' && code === 'turnstile')
}

/** The text of one of our own codes, which reveal nothing about a person. @returns `undefined`: no feature that is there has it */
export function textOfCode(
  { texts: { errors }, codes }: Words,
  error: string,
  code: string | undefined,
): string | undefined {
  const said = `${error} ${code}`
  const name = codes.get(said) ?? signInTexts.get(said)
  return name && errors[name as keyof Texts['errors']]
}

/** The sign-in page's text for a public error word. Unknown words and codes are never repeated. */
export function signInText(words: Words, error: string, code: string | undefined): string {
  const { errors } = words.texts
  if (isOwnChoice(error, code)) return errors.cancelled
  return textOfCode(words, error, code) ?? errors[signInTexts.get(error) ?? 'other']
}

/** The texts of the error page: of a title there is one more with `Title` after its name. */
type PageText = 'configuration' | 'denied' | 'link' | 'unavailable'

const errorPages = new Map<string, PageText>([
  ['Configuration', 'configuration'],
  ['AccessDenied', 'denied'],
  ['Verification', 'link'],
  ['Unavailable', 'unavailable'],
])

/** The text of the error page and the target of its link, for a public error word. */
export function errorPageText(
  words: Words,
  error: string,
  code?: string,
): { title: string; text: string; link: 'account' | 'signin' } {
  const { errorPages: pages } = words.texts
  // Only a signed-in user gets a code that has a page of its own.
  const own = words.codes.get(`${error} ${code}`) as PageText | undefined
  if (own && pages[own]) return { title: pages[`${own}Title`], text: pages[own], link: 'account' }
  const page = errorPages.get(error) ?? 'other'
  const text = textOfCode(words, error, code) ?? pages[page]
  return { title: pages[`${page}Title`], text, link: 'signin' }
}
