import { json, type Outcome } from '../../http/outcome.js'

export const revokeToken = (): Outcome => json({ error: 'Configuration' }, 404)
