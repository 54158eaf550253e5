import { json, type Outcome } from '../../http/outcome.js'

export const authorize = (): Outcome => json({ error: 'Configuration' }, 404)
