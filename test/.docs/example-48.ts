import type { AuthConfig, AuthHandler, Environment } from '@latchkey/worker'

type Role = 'admin' | 'member'

/** A table of yours: D1, Postgres, anything. */
export interface Members {
  roleOf(id: string): Promise<Role>
  setRole(id: string, role: Role): Promise<void>
}

export const callbacksFor = (members: Members): AuthConfig['callbacks'] => ({
  session: async ({ session, token }) => ({
    ...session,
    role: await members.roleOf(token.sub ?? ''),
  }),
})

/** Where an administrator changes a role: first your own change is stored, then the claims are refreshed. */
export async function setRole(
  members: Members,
  auth: AuthHandler<Environment>,
  env: Environment,
  id: string,
  role: Role,
): Promise<void> {
  await members.setRole(id, role)
  await auth.refreshClaims({ sub: id }, env)
}
