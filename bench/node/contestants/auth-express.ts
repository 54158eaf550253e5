import { type ExpressAuthConfig, getSession } from '@auth/express'
import GitHub from '@auth/express/providers/github'
import { signInWithAuthJs } from '../auth-js-sessions.ts'
import { type Contestant, SECRET } from '../contestant.ts'

// @auth/express as its documentation sets it up, with its sessions as JWTs, without a database.

const config: ExpressAuthConfig = {
  secret: SECRET,
  trustHost: true,
  basePath: '/auth',
  providers: [GitHub({ clientId: 'bench', clientSecret: 'bench' })],
}

const authExpress: Contestant = {
  signIn: signInWithAuthJs,
  read: (req) => getSession(req, config),
}

export default authExpress
