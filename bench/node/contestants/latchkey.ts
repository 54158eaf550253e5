import { getSession } from '@latchkey/express'
import { type Contestant, SECRET } from '../contestant.ts'
import { ISSUER, signInWithTokens } from '../tokens.ts'

// @latchkey/express by its environment variables, as an app in production is set up.

process.env.AUTH_URL = ISSUER
process.env.AUTH_SECRET = SECRET

const latchkey: Contestant = {
  signIn: signInWithTokens,
  read: (req) => getSession(req),
}

export default latchkey
