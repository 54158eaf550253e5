import { ExpressAuth, getSession } from '@auth/express'
import express, { type NextFunction, type Request, type Response } from 'express'
import { authConfig } from './auth.config.ts'

export const app = express()

app.set('trust proxy', true)
app.use('/auth', ExpressAuth(authConfig))

async function authSession(req: Request, res: Response, next: NextFunction) {
  res.locals.session = await getSession(req, authConfig)
  next()
}

app.use(authSession)
app.use(express.static('public'))

app.get('/me', (_req, res) => {
  res.json(res.locals.session)
})

app.get('/login', (_req, res) => {
  res.sendFile('login.html', { root: 'public' })
})

app.get('/members', (_req, res) => {
  if (!res.locals.session?.user) return res.redirect('/login')
  res.send('<h1>Members</h1><p><a href="/auth/signout">Sign out</a></p>')
})
