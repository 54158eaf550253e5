/**
 * What a person must know of options of Auth.js, if the service's own list of options does not say
 * it, or does not suit code that has not been changed yet.
 */
export const AUTHJS_OPTIONS: Readonly<Record<string, string>> = {
  adapter:
    'There is no adapter. Take the accounts over with `latchkey import`, or let `subject` look them up in the tables that you have, which stay yours.',
  'cookies.sessionToken.options': 'Only `domain` and `sameSite` can be chosen.',
  'events.session': 'It is given `session` alone.',
  'events.signOut': 'It is given `{ session }`, and no `token`.',
  jwt: 'The session is a signed JWT of a published format. Cookies that an `encode` of your own wrote cannot be read.',
}

export const DATABASE_SESSIONS =
  'Sessions in a database are signed out by the change: only encrypted cookies are read. Sessions here need no database.'
