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
    // Different from the last in something that makes no difference, lest it be taken for that.
    config = { secret: SECRET, trustedOrigins: [] }
    // Keys are derived once in the life of an app.
    if (somebody) await getSession(somebody, config)
  },
}

export default latchkeyFirstSight
