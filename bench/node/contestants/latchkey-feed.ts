import { getSession, type MiddlewareAuthConfig } from '@latchkey/express'
import type { Contestant } from '../contestant.ts'
import { ISSUER, signInWithTokens } from '../tokens.ts'

// @latchkey/express with a Worker: it fetches the Worker's keys and reads its feed of ended sessions,
// as often as the options allow.

process.env.AUTH_URL = ISSUER
const worker = process.argv.at(-1) ?? ''
const config: MiddlewareAuthConfig = { worker, revocation: { maxDelay: 10 } }

const latchkeyFeed: Contestant = {
  signIn: signInWithTokens,
  read: (req) => getSession(req, config),
}

export default latchkeyFeed
