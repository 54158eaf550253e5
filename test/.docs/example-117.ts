import { createVerifier } from '@latchkey/session'

export const verifier = createVerifier({ worker: 'https://example.com/auth' })
