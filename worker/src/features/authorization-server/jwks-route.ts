import { json, type Outcome } from '../../http/outcome.js'

export const showJwks = (): Outcome => json({ error: 'Configuration' }, 404)
