import { type RequestAuth, webAuth } from '@latchkey/web'
import credentials from '@latchkey/web/providers/credentials'
import videoapp from '@latchkey/web/providers/videoapp'
import { createContext } from 'react-router'

const providers = [
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
]

/** The service runs in this process, unless AUTH_WORKER_URL names a Worker. */
const config = { inProcess: { providers }, forwarded: {} }

/** A function, since the build has no AUTH_SECRET: the first request reads the variables. */
export const { handle, signIn, signOut } = webAuth(() =>
  process.env.AUTH_WORKER_URL ? config.forwarded : config.inProcess,
)

/** The session of a request, for its loaders and actions. */
export const authContext = createContext<RequestAuth>()
