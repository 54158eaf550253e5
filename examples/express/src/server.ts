import { createApp } from './app.js'

const port = Number(process.env.PORT ?? 3000)
const server = createApp().listen(port, () => {
  console.log(`The example runs at http://localhost:${port}`)
})

// A supervisor or a container ends with SIGTERM: requests under way are answered, and no new connection is taken.
process.once('SIGTERM', () => {
  // Otherwise a proxy goes on to send requests over the connections that it has.
  server.prependListener('request', (_req, res) => res.setHeader('connection', 'close'))
  server.close(() => process.exit(0))
  server.closeIdleConnections()
  // A client that never ends its request does not hold the process.
  setTimeout(() => process.exit(1), 10_000).unref()
})
