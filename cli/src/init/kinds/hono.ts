import { importsOf, listOf } from '../code.js'
import type { ChosenProvider, Kind } from '../planned.js'
import { rangesOf } from '../versions.js'
import { nodeApp } from './node.js'

export const hono: Kind = {
  summary: 'an app on Node with Hono',
  async plan(wanted) {
    const dependencies = rangesOf('@hono/node-server', '@latchkey/hono', '@latchkey/worker', 'hono')
    return nodeApp(wanted, dependencies, appOf(wanted.providers))
  },
}

function appOf(providers: readonly ChosenProvider[]): string {
  return `import { serve } from '@hono/node-server'
import { authHandler, getSession } from '@latchkey/hono'
${importsOf('@latchkey/hono', providers)}import { Hono } from 'hono'
import { html } from 'hono/html'

const app = new Hono()
app.all('/auth/*', authHandler({ providers: ${listOf(providers)} }))

app.get('/', async (c) => {
  const session = await getSession(c)
  if (!session) return c.html('<a href="/auth/signin?callbackUrl=/">Sign in</a>')
  return c.html(html\`<h1>Hello \${session.user.name ?? 'stranger'}</h1>
    <p><a href="/auth/signout?callbackUrl=/">Sign out</a></p>\`)
})

const port = Number(process.env.PORT ?? 3000)
serve({ fetch: app.fetch, port }, () => console.log(\`The app runs at http://localhost:\${port}\`))
`
}
