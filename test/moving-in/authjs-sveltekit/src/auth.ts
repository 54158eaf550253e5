import { SvelteKitAuth } from '@auth/sveltekit'
import Credentials from '@auth/sveltekit/providers/credentials'
import GitHub from '@auth/sveltekit/providers/github'
import Google from '@auth/sveltekit/providers/google'
import { env } from '$env/dynamic/private'

export const { handle, signIn, signOut } = SvelteKitAuth({
  trustHost: true,
  providers: [
    GitHub,
    Google({ clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET }),
    {
      id: 'company',
      name: 'Company',
      type: 'oidc',
      issuer: env.AUTH_COMPANY_ISSUER,
      clientId: env.AUTH_COMPANY_ID,
      clientSecret: env.AUTH_COMPANY_SECRET,
    },
    Credentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize({ username, password }) {
        if (password !== env.PASSWORD_OF_ADA) return null
        return { id: '1', name: String(username), email: 'ada@example.com' }
      },
    }),
  ],
  callbacks: {
    jwt({ token, profile }) {
      if (profile) token.groups = profile.groups ?? ['everybody']
      return token
    },
    session({ session, token }) {
      return { ...session, user: { ...session.user, id: token.sub ?? '' }, groups: token.groups }
    },
  },
  pages: { signIn: '/signin' },
})
