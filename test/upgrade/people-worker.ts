import './stopped-clock.js'
import { IMPORT_HEADER, proofKeyOf, signImport } from '@latchkey/host/shared'
import { type AuthConfig, customFetch } from '@latchkey/worker'
import { authjs, betterAuth } from '@latchkey/worker/migrate'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import passkey from '@latchkey/worker/providers/passkey'
import { behindDoors, mails, provider } from './doors.js'
import { OLD_SECRET } from './old-sessions.js'

export { Ledger } from './doors.js'

/**
 * A Worker with several ways to sign in, passkeys, second factors, and accounts and sessions
 * of another library: the same for every version of the packages since 0.2.
 */
const accountsAt = (id: string) => ({
  clientId: 'the-client-id',
  clientSecret: 'the-client-secret',
  [customFetch]: provider.fetch,
  id,
  name: id,
  type: 'oauth' as const,
  authorization: 'https://issuer.example/authorize?scope=basic',
  token: 'https://issuer.example/token',
  userinfo: 'https://issuer.example/userinfo',
})

const old = { secret: OLD_SECRET, until: '2101-01-01' }

const config: AuthConfig = {
  basePath: '/auth',
  logger: { error() {}, warn() {}, info() {}, debug() {} },
  accountDeletion: true,
  migrateFrom: [authjs(old), betterAuth(old)],
  subject: ({ account }) =>
    account.provider === 'owned' ? `app-${account.providerAccountId}` : undefined,
  providers: [
    accountsAt('plain'),
    accountsAt('other'),
    accountsAt('owned'),
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
    passkey({ rpName: 'Example' }),
  ],
}

export default behindDoors(config, {
  '/test/token-of': async (auth, request, env) => {
    const { searchParams } = new URL(request.url)
    const [sub = '', of = ''] = ['sub', 'provider'].map((name) => searchParams.get(name) ?? '')
    return auth.getAccessTokenOf(sub, of, env)
  },
  '/test/disconnect': async (auth, request, env) => {
    const { searchParams } = new URL(request.url)
    const [sub = '', of = ''] = ['sub', 'provider'].map((name) => searchParams.get(name) ?? '')
    return auth.disconnect(sub, of, env)
  },
  '/test/import': async (auth, request, env) => {
    const body = new Uint8Array(await request.arrayBuffer())
    const url = new URL('/auth/import', request.url)
    const key = await proofKeyOf(String(env.AUTH_SECRET_1), 'import')
    const signature = await signImport(key, url, body, Date.now() / 1000)
    const headers = { [IMPORT_HEADER]: signature, 'content-type': 'application/json' }
    return (await auth.fetch(new Request(url, { method: 'POST', headers, body }), env)).json()
  },
})
