import { app } from './app.js'

export { Ledger } from '@latchkey/worker/ledger'

export default app
