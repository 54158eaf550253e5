import type { Planned } from '../planned.js'

/** Starts the app again when its code changes. */
export const DEV = 'node --watch --env-file=.env app.js'

/** Sessions outlive a restart. */
export const STORE = [['AUTH_STORE', 'file:.data/auth.db']] as const

/** The folder of the store ignores itself, so that an app's own list need not change. */
export const DATA: Planned = { path: '.data/.gitignore', text: '*\n' }
