import type { NextAuthConfig } from 'next-auth'

/** The part that runs at the edge too. */
export const authConfig = {
  pages: { signIn: '/login' },
  session: { strategy: 'jwt', maxAge: 14 * 24 * 60 * 60 },
  providers: [],
  callbacks: {
    authorized({ auth, request: { nextUrl } }) {
      const isGuarded = nextUrl.pathname.startsWith('/members')
      return !isGuarded || auth?.user !== undefined
    },
    jwt({ token, user, trigger, session }) {
      if (user) token.role = user.role ?? 'member'
      if (trigger === 'update') token.name = session.user.name
      return token
    },
    session({ session, token }) {
      session.user.role = token.role
      return session
    },
  },
} satisfies NextAuthConfig
