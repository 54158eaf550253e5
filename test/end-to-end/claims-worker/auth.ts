import { type AuthConfig, createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import type { AuthBindings } from '@latchkey/worker/ledger'
import credentials from '@latchkey/worker/providers/credentials'

export type Env = AuthBindings & {
  readonly SERVICE: Fetcher
  readonly OPERATOR: Fetcher
  readonly AUDIENCE: string
}

/** The app's own table, in the isolate of the service. */
export const roles = new Map<string, string>()

/** The service: the same in both Workers, which have the same ledger. */
export const auth = createAuth<Env>((env) => configOf(env.AUDIENCE))

const configs = new Map<string, AuthConfig>()

function configOf(audience: string): AuthConfig {
  const config = configs.get(audience) ?? make(audience)
  configs.set(audience, config)
  return config
}

function make(audience: string): AuthConfig {
  return {
    basePath: '/auth',
    providers: [
      credentials({
        credentials: { username: {} },
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    ],
    subject: ({ account }) => account.providerAccountId,
    callbacks: {
      session: ({ session }) => ({
        ...session,
        role: roles.get(session.user.id ?? '') ?? 'reader',
      }),
    },
    features: [
      authorizationServer({
        apps: { client: { redirectUris: ['http://127.0.0.1/callback'] } },
        resources: { [audience]: { name: 'Notes', scopes: { 'notes:read': 'Read' } } },
      }),
    ],
  }
}
