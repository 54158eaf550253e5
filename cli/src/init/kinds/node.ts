import { environmentFile } from '../environment.js'
import { manifestFor } from '../manifest.js'
import type { Plan, Planned, Wanted } from '../planned.js'

/** Starts the app again when its code changes. */
const DEV = 'node --watch --env-file=.env app.js'

/** Sessions outlive a restart. */
export const STORE = [['AUTH_STORE', 'file:.data/auth.db']] as const

/** The folder of the store ignores itself, so that an app's own list need not change. */
export const DATA: Planned = { path: '.data/.gitignore', text: '*\n' }

/**
 * An app of its own on Node, which is one file.
 *
 * @param dependencies of its `package.json`
 * @param app the text of `app.js`
 */
export function nodeApp(
  { folder, providers }: Wanted,
  dependencies: Readonly<Record<string, string>>,
  app: string,
): Plan {
  const url = 'http://localhost:3000'
  return {
    url,
    first: '/',
    basePath: '/auth',
    next: ['npm install', 'npm run dev'],
    files: [
      environmentFile('.env', providers, `${url}/auth/callback`, STORE),
      DATA,
      manifestFor(folder, { scripts: { dev: DEV }, dependencies }),
      { path: 'app.js', text: app },
    ],
  }
}
