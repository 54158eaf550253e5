import type { AuthConfig } from '@latchkey/worker'
import github from '@latchkey/worker/providers/github'

export const config: AuthConfig = {
  providers: [github()],
  callbacks: {
    signIn: ({ user }) => user.email?.endsWith('@example.com') === true,
    session: ({ session }) => ({ ...session, user: { ...session.user, role: 'member' } }),
  },
}
