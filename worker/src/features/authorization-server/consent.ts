import { json, type Outcome } from '../../http/outcome.js'

export const decide = (): Outcome => json({ error: 'Configuration' }, 404)
