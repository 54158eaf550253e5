import { type AuthConfig, type AuthHandler, createAuth } from '@latchkey/worker'
import github from '@latchkey/worker/providers/github'
import { memoryStore } from '@latchkey/worker/stores/memory'

/** Your staff, by their `session.user.id`: your own table. */
const staff = new Set(['uS7TJNZj5Bz21xmY5ssYgQ'])

export const config: AuthConfig = {
  basePath: '/auth',
  store: memoryStore(),
  providers: [github()],
  /** Staff need one with every way to sign in, even if they have not set it up yet. */
  secondFactor: ({ sub }) => staff.has(sub),
}

export const auth: AuthHandler<object> = createAuth(config)

/** For the help desk, when a user has lost their phone and their recovery codes. */
export async function lostEverything(sub: string, env: object) {
  await auth.resetFactors(sub, env)
  await auth.endSessions({ sub }, env)
}
