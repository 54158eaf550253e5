import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { requireToken } from '@latchkey/express'
import express from 'express'

/** Serves the page of the app, and the API that the page and `examples/cli` call. */
const port = Number(process.env.PORT ?? 3000)
const worker = process.env.AUTH_WORKER_URL ?? 'http://localhost:8787/auth'
const origin = `http://localhost:${port}`

const page = readFileSync(new URL('../public/index.html', import.meta.url), 'utf8').replace(
  '{{issuer}}',
  worker,
)
const [, importMap = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(page) ?? []
const digest = createHash('sha256').update(importMap).digest('base64')
// Tokens are in the reach of every script of the page: so no other script may run there.
const policy = [
  `default-src 'none'; script-src 'self' 'sha256-${digest}'; connect-src 'self' ${new URL(worker).origin}`,
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

const app = express()

app.get('/', (_, res) => {
  // The address has the code for a moment: no other site gets it, and no cache keeps it.
  res.set({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
  res.set('cache-control', 'no-store').type('html').send(page)
})
app.get('/app.js', (_, res) => res.sendFile(fileURLToPath(new URL('app.js', import.meta.url))))
app.get('/oauth4webapi.js', (_, res) =>
  res.sendFile(fileURLToPath(import.meta.resolve('oauth4webapi'))),
)

const needsToken = requireToken({ audience: `${origin}/api`, scope: 'notes:read' }, { worker })

app.get('/api/notes', needsToken, (_, res) => {
  const { token } = res.locals
  res.json({ user: token?.sub, app: token?.clientId, notes: ['Water the plants'] })
})

app.listen(port, () => console.log(`The example runs at ${origin}`))
