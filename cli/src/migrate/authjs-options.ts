/**
 * What a person must decide about an option of Auth.js that is not the same here, by its path in the
 * configuration. `docs/migrate-from-authjs.md` says more of each.
 */
export const AUTHJS_OPTIONS: Readonly<Record<string, string>> = {
  adapter:
    'There is no adapter. Take the accounts over with `latchkey import`, or let `subject` look them up in the tables that you have; the rest of your tables stays yours.',
  basePath: '',
  callbacks: '',
  'callbacks.authorized': 'Protect pages by `requireSession` or `locals.auth()`.',
  'callbacks.jwt': '',
  'callbacks.redirect': '',
  'callbacks.session': '',
  'callbacks.signIn': '',
  cookies: '',
  'cookies.callbackUrl': 'There is no such cookie: the flow has its own.',
  'cookies.csrfToken': 'Only its `name` can be chosen.',
  'cookies.nonce': 'There is one sealed cookie for each flow (`cookies.flow`).',
  'cookies.pkceCodeVerifier': 'There is one sealed cookie for each flow (`cookies.flow`).',
  'cookies.sessionToken': '',
  'cookies.state': 'There is one sealed cookie for each flow (`cookies.flow`).',
  'cookies.webauthnChallenge': 'There is one sealed cookie for each flow (`cookies.flow`).',
  debug: '',
  events: '',
  'events.createUser': 'Ask for `isNewUser` in `events.signIn`.',
  'events.linkAccount': '',
  'events.session': 'It is given `session` alone.',
  'events.signIn': '',
  'events.signOut': 'It is given `{ session }`, and no `token`.',
  'events.updateUser': 'Nothing of a user is kept that could be updated.',
  experimental: 'Passkeys need no option: docs/passkeys.md.',
  jwt: 'The session is a signed JWT of a published format, which nothing encodes otherwise. Old cookies that `jwt.encode` wrote cannot be read; `jwt.maxAge` is `session.maxAge`.',
  logger: '',
  pages: '',
  'pages.error': '',
  'pages.newUser': '',
  'pages.signIn': '',
  'pages.signOut': '',
  'pages.verifyRequest': '',
  providers: '',
  redirectProxyUrl:
    'Set AUTH_REDIRECT_PROXY_URL: it is the proxy’s origin and base path, and the proxy names the previews in AUTH_TRUSTED_ORIGINS.',
  secret: '',
  session: '',
  'session.generateSessionToken': 'Sessions have ids of their own making.',
  'session.maxAge': '',
  'session.strategy': '',
  'session.updateAge': '',
  skipCSRFCheck: '',
  theme: '',
  trustHost: '',
  useSecureCookies:
    'The cookie is `Secure`, with the prefix `__Host-`, wherever the address is https.',
}

export const DATABASE_SESSIONS =
  'Sessions in a database are signed out by the change: only encrypted cookies are read. Sessions here need no database.'
