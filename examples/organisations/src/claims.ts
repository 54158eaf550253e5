import type { AuthConfig } from '@latchkey/worker'

export type Role = 'admin' | 'member'

declare module '@latchkey/session' {
  interface Session {
    /** The active organization of this session, and the user's role in it. Absent: none is active. */
    organisation?: string
    role?: Role
  }
}

/** A table of yours: the role of a person in an organization, if they are a member. */
type RoleIn = (organisation: string, person: string) => Promise<Role | undefined>

/** The active organization as a claim. Each new token asks the table, and believes nobody else. */
export const callbacksFor = (roleIn: RoleIn): NonNullable<AuthConfig['callbacks']> => ({
  // The user's choice stays with the session, on the server.
  jwt({ token, trigger, session }) {
    if (trigger !== 'update') return token
    const { organisation } = (session ?? {}) as { readonly organisation?: unknown }
    return typeof organisation === 'string' ? { ...token, organisation } : token
  },
  async session({ session, token: { sub = '', organisation } }) {
    if (typeof organisation !== 'string') return session
    const role = await roleIn(organisation, sub)
    return role ? { ...session, organisation, role } : session
  },
})
