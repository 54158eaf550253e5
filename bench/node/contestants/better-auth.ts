import type { Contestant, Session } from '../contestant.ts'
import { auth, signIn } from './better-auth-sessions.ts'

// better-auth as its documentation sets it up, with its cookie cache.

const betterAuth: Contestant = {
  signIn,
  read: ({ headers }): Promise<Session | null> =>
    auth.api.getSession({ headers: new Headers({ cookie: headers.cookie ?? '' }) }),
}

export default betterAuth
