import { getCookieCache } from 'better-auth/cookies'
import { type Contestant, SECRET } from '../contestant.ts'
import { signIn } from './better-auth-sessions.ts'

// The fastest that better-auth offers: its helper that reads the cookie cache and nothing else.

const betterAuthCache: Contestant = {
  signIn,
  read: ({ headers }) =>
    getCookieCache(new Headers({ cookie: headers.cookie ?? '' }), {
      secret: SECRET,
      isSecure: false,
    }),
}

export default betterAuthCache
