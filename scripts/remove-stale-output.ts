import { existsSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// The compiler keeps the output of files that were moved or deleted, and `npm pack` would publish
// it.

const root = join(import.meta.dirname, '..')
for (const path of globSync(
  '{session,worker,cli,sandbox,adapters/express,adapters/hono}/dist/**/*.{js,ts,map}',
  {
    cwd: root,
  },
)) {
  const source = path.replace('/dist/', '/src/').replace(/(?:[.]d[.]ts|[.]js)(?:[.]map)?$/, '.ts')
  if (!existsSync(join(root, source)) && !existsSync(join(root, `${source}x`))) {
    rmSync(join(root, path))
  }
}
