import { ComponentKitAuth } from '@latchkey/sveltekit'
import credentials from '@latchkey/sveltekit/providers/credentials'
import videoapp from '@latchkey/sveltekit/providers/videoapp'

/**
 * On Node this app answers `/auth/*` itself: the build takes this file in the place of `auth.server.ts`. The
 * secret, and the key and the secret of the video app, are in the environment.
 */
export const { handle, signIn, signOut } = ComponentKitAuth({
  pages: { signIn: '/signin', signOut: '/signout' },
  providers: [
    videoapp(),
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
})
