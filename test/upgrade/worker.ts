import './stopped-clock.js'
import { xAuth } from '@hono/oauth-providers/x'
import { type AuthConfig, customFetch } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import fromHono from '@latchkey/worker/providers/from-hono'
import { behindDoors, mails, provider } from './doors.js'

export { Ledger } from './doors.js'

/** A Worker of a user, the same for every version of the packages. */
const oauth = {
  clientId: 'the-client-id',
  clientSecret: 'the-client-secret',
  [customFetch]: provider.fetch,
}

const config: AuthConfig = {
  basePath: '/auth',
  logger: { error: unlessExpected, warn() {}, debug() {} },
  providers: [
    {
      ...oauth,
      id: 'plain',
      name: 'Plain',
      type: 'oauth',
      authorization: 'https://issuer.example/authorize?scope=basic',
      token: 'https://issuer.example/token',
      userinfo: 'https://issuer.example/userinfo',
    },
    { ...oauth, id: 'open', name: 'Open', type: 'oidc', issuer: 'https://issuer.example' },
    {
      ...oauth,
      id: 'posting',
      name: 'Posting',
      type: 'oidc',
      issuer: 'https://issuer.example',
      authorization: { params: { response_mode: 'form_post' } },
    },
    fromHono({
      id: 'x',
      name: 'X',
      clientId: oauth.clientId,
      clientSecret: oauth.clientSecret,
      middleware: ({ clientId, clientSecret, redirectUri }) =>
        xAuth({
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uri: redirectUri,
          scope: ['users.read'],
        }),
    }),
    credentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize: ({ username, password }) =>
        password === 'right' ? { id: String(username), name: String(username) } : null,
    }),
    email({
      from: 'sign-in@auth.example',
      sendVerificationRequest: ({ identifier, url, code }) =>
        void mails.set(identifier, { url, code }),
    }),
  ],
  callbacks: {
    jwt: ({ token, account, trigger, session }) => {
      if (account?.provider === 'open') return { ...token, plan: 'gold' }
      return trigger === 'update' ? { ...token, nickname: session } : token
    },
    session: ({ session, token: { name, plan, nickname } }) => ({
      ...session,
      ...(plan === undefined ? {} : { plan }),
      ...(nickname === undefined ? {} : { nickname }),
      // Enough text to split the cookie into pieces.
      ...(name === 'big' ? { notes: 'note '.repeat(800) } : {}),
    }),
  },
}

function unlessExpected({ name, message }: Error): void {
  if (!/^(?:CredentialsSignin|InvalidCheck|Verification)$/.test(name)) console.error(name, message)
}

export default behindDoors(config)
