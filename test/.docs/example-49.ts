import { MiddlewareAuth, requireSession } from '@latchkey/express'
import github from '@latchkey/express/providers/github'
import express from 'express'

export const app = express()
app.use('/auth', MiddlewareAuth({ providers: [github()] }))

app.use('/payout', requireSession({ maxAge: 300 }))
app.get('/payout', (_req, res) => void res.send('How much?'))
app.post('/payout', (_req, res) => void res.send('Paid.'))

app.use('/keys', requireSession({ maxAge: 3600, acr: '2', redirectTo: '/auth/signin' }))
app.get('/keys', (_req, res) => void res.send('Your keys'))
