import type { ImportRow } from '@latchkey/host/shared'
import { createAuth } from '@latchkey/worker'
import email from '@latchkey/worker/providers/email'
import github from '@latchkey/worker/providers/github'
import google from '@latchkey/worker/providers/google'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { terminalOf } from 'latchkey/test-support/terminal'
import { type Outside, runImport } from '../import.js'

const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'

/** Runs the command over a text against a service, and records the requests. */
export async function importing(text: string, ...args: readonly string[]) {
  const client = { clientId: 'id', clientSecret: 'secret' }
  const auth = createAuth({
    basePath: '/auth',
    secret: AUTH_SECRET,
    store: memoryStore(),
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    providers: [
      github(client),
      google(client),
      email({ from: 'a@example.com', sendVerificationRequest: () => {} }),
    ],
  })
  const env = { AUTH_IMPORT_UNTIL: new Date(Date.now() + 86_400_000).toISOString() }
  const terminal = terminalOf({ env: { AUTH_SECRET } })
  const sent: ImportRow[] = []
  const outside: Outside = {
    fetch: async (url, init) => {
      const request = new Request(url, init)
      if (url.pathname.endsWith('/import')) {
        const body = (await request.clone().json()) as { accounts: ImportRow[] }
        sent.push(...body.accounts)
      }
      return auth.fetch(request, env)
    },
    now: Date.now,
    sleep: async () => {},
    open: async function* () {
      for (let at = 0; at < text.length; at += 500) yield text.slice(at, at + 500)
    },
  }
  const to = ['-', '--to', 'https://auth.example/auth']
  const code = await runImport([...to, ...args], terminal, outside)
  return { code, sent, printed: terminal.printed(), noted: terminal.noted() }
}
