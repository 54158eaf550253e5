import { importsOf, listOf } from '../code.js'
import type { ChosenProvider, Kind } from '../planned.js'
import { rangesOf } from '../versions.js'
import { nodeApp } from './node.js'

export const express: Kind = {
  summary: 'an app on Node with Express',
  async plan(wanted) {
    const dependencies = rangesOf('@latchkey/express', '@latchkey/worker', 'express')
    return nodeApp(wanted, dependencies, appOf(wanted.providers))
  },
}

function appOf(providers: readonly ChosenProvider[]): string {
  return `import { getSession, MiddlewareAuth } from '@latchkey/express'
${importsOf('@latchkey/express', providers)}import express from 'express'

const app = express()
app.use('/auth', MiddlewareAuth({ providers: ${listOf(providers)} }))

app.get('/', async (req, res) => {
  const session = await getSession(req)
  if (!session) return res.send('<a href="/auth/signin?callbackUrl=/">Sign in</a>')
  res.send(\`<h1>Hello \${escapeHtml(session.user.name ?? 'stranger')}</h1>
    <p><a href="/auth/signout?callbackUrl=/">Sign out</a></p>\`)
})

const port = Number(process.env.PORT ?? 3000)
app.listen(port, () => console.log(\`The app runs at http://localhost:\${port}\`))

/** A user can type anything as a name. */
function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => \`&#\${character.charCodeAt(0)};\`)
}
`
}
