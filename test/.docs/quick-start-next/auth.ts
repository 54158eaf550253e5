// auth.ts
import NextAuth from '@latchkey/next'
import videoapp from '@latchkey/next/providers/videoapp'

declare module '@latchkey/session' {
  interface Session {
    role?: 'admin' | 'member'
  }
}

/** The ids of the admins: the page shows yours. */
const admins: (string | undefined)[] = []

export const { handlers, auth, requireSession, signIn, signOut, update } = NextAuth({
  providers: [videoapp()],
  callbacks: {
    session: ({ session }) => ({
      ...session,
      role: admins.includes(session.user.id) ? 'admin' : 'member',
    }),
  },
})
