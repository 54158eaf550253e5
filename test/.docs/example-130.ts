import { MiddlewareAuth, requireSession } from '@latchkey/express'
import github from '@latchkey/express/providers/github'
import express from 'express'

export const app = express()
app.use('/auth', MiddlewareAuth({ providers: [github()] }))
app.get('/inbox', requireSession({ redirectTo: '/auth/signin' }), (_req, res) => {
  res.type('text').send(`Hello ${res.locals.session?.user?.name}`)
})
