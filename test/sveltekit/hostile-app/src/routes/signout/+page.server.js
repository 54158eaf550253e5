import { signOut } from '../../auth.server.js'

export const actions = { default: signOut }
