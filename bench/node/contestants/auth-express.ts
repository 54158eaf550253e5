import { encode } from '@auth/core/jwt'
import { type ExpressAuthConfig, getSession } from '@auth/express'
import GitHub from '@auth/express/providers/github'
import { type Contestant, cookieHeader, forEach, SECRET } from '../contestant.ts'

// @auth/express as its documentation sets it up, with its sessions as JWTs, without a database.

const name = 'authjs.session-token'
const config: ExpressAuthConfig = {
  secret: SECRET,
  trustHost: true,
  basePath: '/auth',
  providers: [GitHub({ clientId: 'bench', clientSecret: 'bench' })],
}

const authExpress: Contestant = {
  signIn: (people) =>
    forEach(people, async ({ id, name: fullName, email, image }) => {
      const token = { name: fullName, email, picture: image, sub: id }
      const value = await encode({ token, secret: SECRET, salt: name, maxAge: 30 * 24 * 60 * 60 })
      return cookieHeader({ name, value })
    }),
  read: (req) => getSession(req, config),
}

export default authExpress
