import { getSession, type MiddlewareAuthConfig } from '@latchkey/express'
import { type Contestant, people, SECRET } from '../contestant.ts'
import { expressRequests } from '../express-requests.ts'
import { ISSUER, signInWithTokens } from '../tokens.ts'

// @latchkey/express on tokens that it sees for the first time.

process.env.AUTH_URL = ISSUER
const [somebody] = expressRequests(await signInWithTokens(people(1)))
let config: MiddlewareAuthConfig = { secret: SECRET }

const latchkeyFirstSight: Contestant = {
  signIn: signInWithTokens,
  read: (req) => getSession(req, config),
  async forget() {
    // A new configuration with the same meaning, so that nothing is cached for it.
    config = { secret: SECRET, trustedOrigins: [] }
    // Keys are derived once in the life of an app.
    if (somebody) await getSession(somebody, config)
  },
}

export default latchkeyFirstSight
