import { json, type Outcome } from '../../http/outcome.js'

export const token = (): Outcome => json({ error: 'Configuration' }, 404)
