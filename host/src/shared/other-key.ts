/**
 * The log's entry for a token that another key has signed: it tells the operator why users are not
 * signed in.
 */
export const OTHER_KEY =
  'A session cookie does not sign in: another key has signed its token. Is AUTH_SECRET that of the service?'
