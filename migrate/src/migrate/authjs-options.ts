/**
 * Advice on options of Auth.js that the service's own list of options lacks, or that does not suit
 * code before its change.
 */
export const AUTHJS_OPTIONS: Readonly<Record<string, string>> = {
  adapter:
    'There is no adapter. Import the accounts with `latchkey import`, or let `subject` look them up in your own tables.',
  'cookies.sessionToken.options': 'You can set only `domain` and `sameSite`.',
  'events.session': 'It gets only `session`.',
  'events.signOut': 'It gets `{ session }`, and no `token`.',
  jwt: 'The session is a signed JWT of a published format. Cookies from an `encode` of your own cannot be read.',
}

export const DATABASE_SESSIONS =
  'The change ends sessions in a database: only encrypted cookies are read. Sessions here need no database.'
