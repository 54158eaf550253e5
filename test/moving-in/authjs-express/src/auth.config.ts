import type { ExpressAuthConfig } from '@auth/express'
import Credentials from '@auth/express/providers/credentials'
import GitHub from '@auth/express/providers/github'
import Google from '@auth/express/providers/google'
import { findUser } from './users.ts'

declare module '@auth/express' {
  interface User {
    role?: string
  }
}

export const authConfig: ExpressAuthConfig = {
  trustHost: true,
  session: { strategy: 'jwt', maxAge: 14 * 24 * 60 * 60 },
  pages: { signIn: '/login', error: '/login' },
  providers: [
    GitHub,
    Google,
    {
      id: 'company',
      name: 'Company',
      type: 'oidc',
      issuer: process.env.AUTH_COMPANY_ISSUER,
      clientId: process.env.AUTH_COMPANY_ID,
      clientSecret: process.env.AUTH_COMPANY_SECRET,
    },
    Credentials({
      credentials: {
        username: { label: 'User name' },
        password: { label: 'Password', type: 'password' },
      },
      // Answers { id: '1', name: 'Ada', role: 'admin' }, or null.
      authorize: ({ username, password }) => findUser(String(username), String(password)),
    }),
  ],
  callbacks: {
    jwt({ token, user }) {
      if (user) token.role = user.role ?? 'member'
      return token
    },
    session({ session, token }) {
      if (token.sub) session.user.id = token.sub
      return { ...session, role: token.role }
    },
  },
}
