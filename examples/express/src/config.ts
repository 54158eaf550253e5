import type { MiddlewareAuthConfig } from '@latchkey/express'
import credentials from '@latchkey/express/providers/credentials'
import videoapp from '@latchkey/express/providers/videoapp'

/** With `AUTH_WORKER_URL` the Worker answers `/auth/*`; without it this process does. */
export const authConfig: MiddlewareAuthConfig = process.env.AUTH_WORKER_URL
  ? {}
  : {
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
    }
