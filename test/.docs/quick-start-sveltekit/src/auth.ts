// src/auth.ts
import { ComponentKitAuth } from '@latchkey/sveltekit'
import videoapp from '@latchkey/sveltekit/providers/videoapp'

declare module '@latchkey/session' {
  interface Session {
    role?: 'admin' | 'member'
  }
}

/** The ids of the admins: the page shows yours. */
const admins: (string | undefined)[] = []

export const { handle, signIn, signOut } = ComponentKitAuth({
  providers: [videoapp()],
  callbacks: {
    session: ({ session }) => ({
      ...session,
      role: admins.includes(session.user.id) ? 'admin' : 'member',
    }),
  },
})
