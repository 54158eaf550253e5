// Maps and not objects: a word such as `constructor` arrives from the address bar.

const signInTexts = new Map([
  // The text is the same for an unknown user and a wrong password, whatever the code is (OWASP ASVS
  // 6.3.8: no user enumeration).
  ['CredentialsSignin', 'Sign-in failed. Check the details you provided.'],
  [
    'OAuthAccountNotLinked',
    'This account or address belongs to somebody here already, perhaps to yourself in another way, or was removed as a way to sign in. Nothing has changed. Sign in as you did before.',
  ],
  ['OAuthCallbackError', 'The provider could not sign you in. Please try again.'],
  ['AccessDenied', 'You do not have permission to sign in.'],
  ['Verification', 'This link has expired or was already used. Please ask for a new one.'],
  ['MissingCSRF', 'This form was open too long or came from elsewhere. Please try again.'],
  ['InvalidCheck', 'This sign-in was started elsewhere or too long ago. Please start again.'],
])

/** The sign-in page's text for a public error word. Unknown words and codes are never repeated. */
export function signInText(error: string, code: string | undefined): string {
  if (error === 'OAuthCallbackError' && code === 'access_denied') {
    return 'You cancelled the sign-in. You can try again whenever you like.'
  }
  return (
    ownCodes.get(`${error} ${code}`) ??
    signInTexts.get(error) ??
    'Sign-in did not work. Please try again.'
  )
}

/** The text for a public error word on the page that asks for a mail's code. */
export function verifyRequestText(error: string, code: string | undefined): string {
  return ownCodes.get(`${error} ${code}`) ?? 'This code does not work. Please ask for a new mail.'
}

/** The text for a public error word on the pages of a second factor. */
export function factorText(error: string, code: string | undefined): string {
  if (code === 'wrong_code') {
    return 'That code is not right, or was used before. Wait for the next one, then try again.'
  }
  const own = ownCodes.get(`${error} ${code}`)
  return own ?? 'That took too long. Please try once more.'
}

/** Our own codes, which reveal nothing about a person. */
const ownCodes = new Map([
  ['CredentialsSignin rate_limited', 'Too many attempts. Please wait a while, then try again.'],
  [
    'CredentialsSignin unknown_passkey',
    'This passkey is not known here any more. Use another one, or sign in in another way.',
  ],
  [
    'CredentialsSignin invalid_address',
    'That is not an e-mail address that a mail can be sent to. Please check it.',
  ],
  [
    'AccessDenied turnstile',
    'The form has a check, which needs JavaScript. Wait until it is done, then send the form again.',
  ],
  ['Verification not_sent', 'The mail could not be sent. Please try again in a moment.'],
  [
    'Verification wrong_code',
    'That code is not right, or works no longer. Check it, or ask for a new mail.',
  ],
  [
    'Verification spent_code',
    'Too many wrong codes. The link in the mail still works, or ask for a new mail.',
  ],
])

const errorPages = new Map([
  [
    'Configuration',
    {
      title: 'Sign-in is not set up correctly',
      text: 'There is a problem with the configuration of this service. If you run it, its log says what is wrong.',
    },
  ],
  [
    'AccessDenied',
    { title: 'Access denied', text: 'You do not have permission to sign in with this account.' },
  ],
  [
    'Verification',
    {
      title: 'This link no longer works',
      text: 'It has expired or was already used. Please ask for a new one.',
    },
  ],
  [
    'Unavailable',
    {
      title: 'Sign-in is unavailable',
      text: 'Something that sign-in needs is not answering. Please try again in a moment.',
    },
  ],
])

/** Of our own codes, which only somebody who is signed in meets. */
const errorPagesOfCodes = new Map([
  [
    'AccessDenied last_way',
    {
      title: 'This is your last way to sign in',
      text: 'Without it nobody could sign in to your account. Add another one first.',
    },
  ],
  [
    'AccessDenied too_many_ways',
    {
      title: 'You have many ways to sign in',
      text: 'Remove one that you no longer use, then add another.',
    },
  ],
])

/** What the error page says, and where its link leads, for a public error word. */
export function errorPageText(
  error: string,
  code?: string,
): { title: string; text: string; link: 'account' | 'signin' } {
  const own = errorPagesOfCodes.get(`${error} ${code}`)
  if (own) return { ...own, link: 'account' }
  const entry = errorPages.get(error) ?? {
    title: 'Something went wrong',
    text: 'Signing in did not work this time. Please start again.',
  }
  return { ...entry, text: ownCodes.get(`${error} ${code}`) ?? entry.text, link: 'signin' }
}
