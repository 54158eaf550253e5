import { json, type Outcome } from '../../http/outcome.js'

export const userInfo = (): Outcome => json({ error: 'Configuration' }, 404)
