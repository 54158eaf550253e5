import { json, type Outcome } from '../../http/outcome.js'

export const apps = (): Outcome => json({ error: 'Configuration' }, 404)

export const removeApp = (): Outcome => json({ error: 'Configuration' }, 404)
