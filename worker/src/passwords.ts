export { isBreachedPassword } from './passwords/breached.js'
export { hashPassword, needsRehash } from './passwords/new-hash.js'
export { verifyPassword } from './passwords/verify-password.js'
