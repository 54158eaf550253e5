import { json, type Outcome } from '../../../http/outcome.js'

export const showDevice = (): Outcome => json({ error: 'Configuration' }, 404)

export const enterUserCode = (): Outcome => json({ error: 'Configuration' }, 404)
