import { getSession, MiddlewareAuth, type MiddlewareAuthConfig } from '@latchkey/express'
import credentials from '@latchkey/express/providers/credentials'
import express from 'express'

// An Express app in a process of its own, as `startStoreApp` starts it: `AUTH_STORE` says where sessions are.

const { PROVIDER } = process.env

/** A provider of the test's own with tokens that end at once: each request for one refreshes. */
const fake = {
  id: 'fake',
  name: 'Fake',
  type: 'oauth',
  clientId: 'client',
  clientSecret: 'client-secret',
  authorization: `${PROVIDER}/authorize`,
  token: `${PROVIDER}/token`,
  userinfo: `${PROVIDER}/me`,
  profile: ({ id }: { id: string }) => ({ id }),
} as const

const config: MiddlewareAuthConfig = {
  providers: [
    credentials({
      authorize: ({ username, password }) =>
        password === 'right' ? { id: String(username), name: String(username) } : null,
    }),
    ...(PROVIDER ? [fake] : []),
  ],
  revocation: { maxDelay: 10 },
  callbacks: {
    async session({ session, getAccessToken }) {
      if (!PROVIDER) return session
      const access = await getAccessToken()
      return { ...session, token: access.ok ? access.accessToken : access.reason }
    },
  },
}

const app = express()
app.use('/auth', MiddlewareAuth(config))
app.get('/me', async (req, res) => {
  res.json(await getSession(req, config))
})
app.listen(Number(process.env.PORT), '127.0.0.1')
