import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'

/** The same configuration that `MiddlewareAuth` gets. */
export const config = {
  basePath: '/auth',
  providers: [credentials({ credentials: { username: {} }, authorize: signIn })],
  // Otherwise `sub` is a digest of the id that `authorize` returned.
  subject: ({ provider, account }) =>
    provider === 'credentials' ? account.providerAccountId : undefined,
  store: memoryStore(),
} satisfies AuthConfig

const auth = createAuth(config)

/** After a password has changed: ends every session but this one. */
export async function passwordChanged(sub: string, sid: string): Promise<void> {
  await auth.endSessions({ sub, except: sid }, process.env)
}

function signIn({ username }: { username?: unknown }) {
  return username === 'ada' ? { id: 'ada', name: 'Ada' } : null
}
