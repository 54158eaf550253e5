// src/hooks.server.ts
export { handle } from './auth.js'
