import NextAuth from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import GitHub from 'next-auth/providers/github'
import { authConfig } from './auth.config'
import { findUser } from './lib/users'

export const { handlers, auth, signIn, signOut, unstable_update } = NextAuth({
  ...authConfig,
  providers: [
    GitHub,
    Credentials({
      credentials: { username: { label: 'User name' }, password: { type: 'password' } },
      authorize: ({ username, password }) => findUser(String(username), String(password)),
    }),
  ],
})
