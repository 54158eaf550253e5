import NextAuth, { type NextAuthConfig } from '@latchkey/next'
import credentials from '@latchkey/next/providers/credentials'
import passkey from '@latchkey/next/providers/passkey'
import videoapp from '@latchkey/next/providers/videoapp'

/** With `AUTH_WORKER_URL` the Worker answers `/api/auth/*`; without it this app does. */
const config: NextAuthConfig = process.env.AUTH_WORKER_URL
  ? {}
  : {
      providers: [
        videoapp(),
        passkey({ rpName: 'Latchkey example' }),
        credentials({
          name: 'Password',
          credentials: {
            username: { label: 'User name', required: true },
            password: { label: 'Password', type: 'password', required: true },
          },
          // An example's password. A real app compares with a slow hash, as examples/worker does.
          authorize: ({ username, password }) =>
            username === 'ada' && password === 'lovelace' ? { id: 'ada', name: 'Ada' } : null,
        }),
      ],
    }

export const { handlers, auth, requireSession, signIn, signOut } = NextAuth(config)
