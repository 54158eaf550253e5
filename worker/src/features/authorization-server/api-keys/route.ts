import { json, type Outcome } from '../../../http/outcome.js'

export const keys = (): Outcome => json({ error: 'Configuration' }, 404)

export const createKey = (): Outcome => json({ error: 'Configuration' }, 404)

export const removeKey = (): Outcome => json({ error: 'Configuration' }, 404)
