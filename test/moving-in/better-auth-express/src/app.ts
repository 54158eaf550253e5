import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import express from 'express'
import { auth } from './auth.ts'

export const app = express()

app.all('/api/auth/*splat', toNodeHandler(auth))

app.use(express.json())

app.get('/me', async (req, res) => {
  const session = await auth.api.getSession({
    headers: fromNodeHeaders(req.headers),
  })
  res.json(session)
})

app.get('/members', async (req, res) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })
  if (!session) return res.redirect('/login')
  res.json(`Hello ${session.user.name}`)
})
