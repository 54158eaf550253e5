import { AsyncLocalStorage } from 'node:async_hooks'

// As Next's servers do before its modules are loaded: a test imports them in any order.
Object.assign(globalThis, { AsyncLocalStorage })
