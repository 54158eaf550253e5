import { serve } from '@hono/node-server'
import { sqliteStore } from '@latchkey/worker/stores/sqlite'
import { createApp } from './app.js'
import { sqlite } from './sqlite.js'

const port = Number(process.env.PORT ?? 3000)
const app = createApp({
  db: sqlite(process.env.DATABASE ?? 'organisations.db'),
  // On your own machine. Then your mail service: docs/email-sending.md.
  send: async ({ to, subject, text }) => console.log(`To ${to}: ${subject}\n\n${text}`),
  env: process.env,
  origin: new URL(process.env.AUTH_URL ?? `http://localhost:${port}`).origin,
  store: sqliteStore(process.env.SESSIONS ?? 'sessions.db'),
})
serve({ fetch: app.fetch, port }, () => {
  console.log(`The example runs at http://localhost:${port}`)
})
