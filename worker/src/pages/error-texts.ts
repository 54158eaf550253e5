import type { Texts } from '../languages/texts.js'

// Maps and not objects: a word such as `constructor` arrives from the address bar.

type ErrorText = keyof Texts['errors']

const signInTexts = new Map<string, ErrorText>([
  ['CredentialsSignin', 'credentials'],
  ['OAuthAccountNotLinked', 'notLinked'],
  ['OAuthCallbackError', 'callback'],
  ['AccessDenied', 'denied'],
  ['Verification', 'link'],
  ['MissingCSRF', 'form'],
  ['InvalidCheck', 'check'],
])

/** Our own codes, which reveal nothing about a person. */
const ownCodes = new Map<string, ErrorText>([
  ['CredentialsSignin rate_limited', 'tooMany'],
  ['CredentialsSignin unknown_passkey', 'unknownPasskey'],
  ['CredentialsSignin invalid_address', 'address'],
  ['AccessDenied turnstile', 'human'],
  ['Verification not_sent', 'notSent'],
  ['Verification wrong_code', 'wrongCode'],
  ['Verification spent_code', 'spentCode'],
])

/** Is it what a person did themselves, and no failure? */
export function isOwnChoice(error: string, code: string | undefined): boolean {
  return error === 'OAuthCallbackError' && code === 'access_denied'
}

/** The text of one of our own codes. @returns `undefined`: there is none, or no feature that is there has it */
function textOfCode({ errors }: Texts, said: string): string | undefined {
  const name = ownCodes.get(said)
  return name && errors[name]
}

/** The sign-in page's text for a public error word. Unknown words and codes are never repeated. */
export function signInText(texts: Texts, error: string, code: string | undefined): string {
  const { errors } = texts
  if (isOwnChoice(error, code)) return errors.cancelled
  return textOfCode(texts, `${error} ${code}`) ?? errors[signInTexts.get(error) ?? 'other']
}

/** The text for a public error word on the page that asks for a mail's code. */
export function verifyRequestText(texts: Texts, error: string, code: string | undefined): string {
  return textOfCode(texts, `${error} ${code}`) ?? texts.errors.code
}

/** The text for a public error word on the pages of a second factor. */
export function factorText(texts: Texts, error: string, code: string | undefined): string {
  if (code === 'wrong_code') return texts.errors.wrongFactor
  return textOfCode(texts, `${error} ${code}`) ?? texts.errors.lateFactor
}

/** The texts of the error page: of a title there is one more with `Title` after its name. */
type PageText = 'configuration' | 'denied' | 'link' | 'unavailable' | 'lastWay' | 'manyWays'

const errorPages = new Map<string, PageText>([
  ['Configuration', 'configuration'],
  ['AccessDenied', 'denied'],
  ['Verification', 'link'],
  ['Unavailable', 'unavailable'],
])

/** Titles for our own codes, which only a signed-in user meets. */
const errorPagesOfCodes = new Map<string, PageText>([
  ['AccessDenied last_way', 'lastWay'],
  ['AccessDenied too_many_ways', 'manyWays'],
])

/** What the error page says, and where its link leads, for a public error word. */
export function errorPageText(
  texts: Texts,
  error: string,
  code?: string,
): { title: string; text: string; link: 'account' | 'signin' } {
  const { errorPages: pages } = texts
  const own = errorPagesOfCodes.get(`${error} ${code}`)
  // A word of the address bar may be of a feature that is not there.
  if (own && pages[own]) return { title: pages[`${own}Title`], text: pages[own], link: 'account' }
  const page = errorPages.get(error) ?? 'other'
  const text = textOfCode(texts, `${error} ${code}`) ?? pages[page]
  return { title: pages[`${page}Title`], text, link: 'signin' }
}
