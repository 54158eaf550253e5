import { json, type Outcome } from '../../http/outcome.js'

export const endSession = (): Outcome => json({ error: 'Configuration' }, 404)
