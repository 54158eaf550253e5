import NextAuth from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import GitHub from 'next-auth/providers/github'
import { authConfig } from './auth.config'
import { findUser } from './lib/users'

export const { handlers, auth, signIn, signOut, unstable_update } = NextAuth({
  ...authConfig,
  providers: [
    GitHub,
    {
      id: 'company',
      name: 'Company',
      type: 'oidc',
      issuer: process.env.AUTH_COMPANY_ISSUER,
      clientId: process.env.AUTH_COMPANY_ID,
      clientSecret: process.env.AUTH_COMPANY_SECRET,
    },
    Credentials({
      credentials: { username: { label: 'User name' }, password: { type: 'password' } },
      authorize: ({ username, password }) => findUser(String(username), String(password)),
    }),
  ],
})
