import { MiddlewareAuth, requireToken } from '@latchkey/express'
import express from 'express'

const audience = 'https://api.example.com/'

export const app = express()
app.use('/auth', MiddlewareAuth({}))
app.get('/notes', requireToken({ audience, scope: 'notes:read' }), (req, res) => {
  res.json({ user: res.locals.token?.sub })
})
app.post('/payout', requireToken({ audience, maxAge: 300, acr: '2' }), (req, res) => {
  res.json({ user: res.locals.token?.sub })
})
