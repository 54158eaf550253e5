import { mintSession } from '@latchkey/session/testing'

const app = { secret: 'a-secret-of-my-tests-0123456789abcdef', issuer: 'http://localhost:3000/auth' }

/** The cookie of a user who signed in ten minutes ago. */
export const stale = await mintSession({ ...app, authTime: Date.now() / 1000 - 600 })
/** The cookie of a user with two factors. */
export const strong = await mintSession({ ...app, amr: ['credentials', 'otp', 'mfa'] })
