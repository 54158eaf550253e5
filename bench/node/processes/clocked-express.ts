import { getSession } from '@latchkey/express'
import express from 'express'
import { noted, serve } from '../clocked-app.ts'

const app = express()
app.get('/account', async (req, res) => {
  const session = await noted(() => getSession(req))
  res.json({ name: session?.user?.name })
})
await serve(app)
