import { json, type Outcome } from '../../http/outcome.js'

export const showMetadata = (): Outcome => json({ error: 'Configuration' }, 404)
