import service from '../worker/src/worker.ts'
import { withDemoPage } from './demo-page.ts'

export * from '../worker/src/worker.ts'

/** What `npm start` runs: the shipped Worker, with a page for people who have just signed in. */
export default withDemoPage(service)
