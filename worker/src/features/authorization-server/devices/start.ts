import { json, type Outcome } from '../../../http/outcome.js'

export const startDevice = (): Outcome => json({ error: 'Configuration' }, 404)
