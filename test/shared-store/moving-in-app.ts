import { getSession, MiddlewareAuth, type MiddlewareAuthConfig } from '@latchkey/express'
import { authjs } from '@latchkey/worker/migrate'
import express from 'express'

// An Express app in a process of its own, with auth routes at /api/auth that only its router knows of.

const secret = `${process.env.OLD_SECRET}`
const config: MiddlewareAuthConfig = {
  providers: [],
  migrateFrom: [authjs({ secret, until: new Date(Date.now() + 86_400_000) })],
}

const app = express()
app.use('/api', express.Router().use('/auth', MiddlewareAuth(config)))
app.get('/me', async (req, res) => {
  res.json(await getSession(req, { ...config, online: true }))
})
app.listen(Number(process.env.PORT), '127.0.0.1')
