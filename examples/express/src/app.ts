import { join } from 'node:path'
import { getSession, MiddlewareAuth, requireSession } from '@latchkey/express'
import ejs from 'ejs'
import express, { type Express } from 'express'
import { authConfig } from './config.js'

const folder = join(import.meta.dirname, '..')

/** A public page, a page for members, and an API. */
export function createApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.engine('ejs', ejs.renderFile)
  app.set('view engine', 'ejs')
  app.set('views', join(folder, 'views'))
  app.use(express.static(join(folder, 'public')))

  app.use('/auth', MiddlewareAuth(authConfig))

  app.get('/', async (req, res) => {
    res.render('home', { session: await getSession(req, authConfig) })
  })

  const members = requireSession({ redirectTo: '/auth/signin' }, authConfig)
  app.get('/members', members, (_req, res) => {
    res.render('members', { session: res.locals.session })
  })
  app.get('/api/me', members, (_req, res) => {
    res.json(res.locals.session?.user)
  })
  return app
}
