import NextAuth, { type NextAuthConfig } from '@latchkey/next'
import credentials from '@latchkey/next/providers/credentials'
import passkey from '@latchkey/next/providers/passkey'
import videoapp from '@latchkey/next/providers/videoapp'

const callbacks: NextAuthConfig['callbacks'] = {
  /** The proxy alone guards these pages. */
  authorized: ({ request, auth }) =>
    !request.nextUrl.pathname.startsWith('/guarded') || auth !== null,
}

/** Anybody who knows the password, by any name. */
const config: NextAuthConfig = process.env.AUTH_WORKER_URL
  ? { callbacks }
  : {
      callbacks: {
        ...callbacks,
        jwt: ({ token, trigger, session }) =>
          trigger === 'update' ? { ...token, name: String(Object(session).name) } : token,
      },
      providers: [
        videoapp({ clientId: 'client', clientSecret: 'client-secret' }),
        passkey({ rpName: 'App' }),
        credentials({
          authorize: ({ username, password }) =>
            password === 'right' ? { id: String(username), name: String(username) } : null,
        }),
      ],
    }

export const { handlers, auth, requireSession, signIn, signOut, update } = NextAuth(config)
