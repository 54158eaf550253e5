import NextAuth from '@latchkey/next'
import credentials from '@latchkey/next/providers/credentials'
import videoapp from '@latchkey/next/providers/videoapp'

export const { handlers, auth, requireSession, signIn, signOut } = NextAuth({
  callbacks: {
    /** The proxy alone guards requests of this form. */
    authorized: ({ request, auth }) =>
      !request.nextUrl.searchParams.has('guarded') || auth !== null,
  },
  providers: [
    videoapp({ clientId: 'client', clientSecret: 'client-secret' }),
    credentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize: ({ username, password }) =>
        password === 'right' ? { id: String(username), name: String(username) } : null,
    }),
  ],
})
