import { WrongUse } from '../../command.js'
import { importsOf, listOf } from '../code.js'
import { environmentFile } from '../environment.js'
import { manifestFor } from '../manifest.js'
import type { Kind } from '../planned.js'
import { rangesOf } from '../versions.js'
import { firstOf } from './present-app.js'

/** The service alone, in a Worker of its own, for one app or several. */
export const worker: Kind = {
  summary: 'the service in a Cloudflare Worker of its own',
  async plan({ folder, providers, present }) {
    const other = await firstOf(present, ['wrangler.json', 'wrangler.jsonc'], '')
    if (other !== '') {
      throw new WrongUse(
        `${other} is another Worker's, and wrangler reads no wrangler.toml beside it: name a folder for this one.`,
      )
    }
    const url = 'http://localhost:8787'
    const manifest = manifestFor(folder, {
      scripts: { dev: 'wrangler dev', deploy: 'wrangler deploy' },
      dependencies: rangesOf('@latchkey/worker'),
      devDependencies: rangesOf('wrangler'),
    })
    const { name } = JSON.parse(manifest.text) as { name: string }
    return {
      url,
      first: '/auth/signin',
      basePath: '/auth',
      next: ['npm install', 'npm run dev'],
      files: [
        environmentFile('.dev.vars', providers, `${url}/auth/callback`),
        manifest,
        { path: 'wrangler.toml', text: wranglerOf(name) },
        {
          path: 'src/worker.ts',
          text: `import { createAuth } from '@latchkey/worker'
import { operate } from '@latchkey/worker/features/operate'
${importsOf('@latchkey/worker', providers)}
// With the audit log, which AUTH_AUDIT_DAYS switches on.
export { Ledger } from '@latchkey/worker/features/operate'

export default createAuth({
  basePath: '/auth',
  providers: ${listOf(providers)},
  // What the person on duty needs: each part is off until a variable asks for it.
  features: [operate()],
})
`,
        },
      ],
    }
  },
}

function wranglerOf(name: string): string {
  return `name = "${name}"
main = "src/worker.ts"
compatibility_date = "2026-11-01"
minify = true
# What the Worker fetches is on the public internet, and never another Worker of the same zone.
compatibility_flags = ["global_fetch_strictly_public"]

# Without ids: \`wrangler deploy\` creates the missing namespace, and \`wrangler dev\` keeps it on disk.
[[kv_namespaces]]
binding = "SESSIONS"

[[durable_objects.bindings]]
name = "LEDGER"
class_name = "Ledger"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["Ledger"]

# Requests that one key may make in \`period\` seconds, counted in each Cloudflare location.
[[ratelimits]]
name = "RATE_LIMIT"
namespace_id = "1001"
simple = { limit = 30, period = 60 }

[observability]
enabled = true
# The answers of providers have their secrets in the query.
redact_query_string = true
`
}
