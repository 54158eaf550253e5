import { authHandler, requireSession } from '@latchkey/hono'
import github from '@latchkey/hono/providers/github'
import { Hono } from 'hono'

export const app = new Hono()
app.all('/auth/*', authHandler({ providers: [github()] }))

app.use('/payout', requireSession({ maxAge: 300 }))
app.get('/payout', (c) => c.text('How much?'))
app.post('/payout', (c) => c.text('Paid.'))

app.use('/keys', requireSession({ maxAge: 3600, acr: '2', redirectTo: '/auth/signin' }))
app.get('/keys', (c) => c.text('Your keys'))
