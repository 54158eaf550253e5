import express from 'express'

const server = express().listen(3000)

process.once('SIGTERM', () => {
  server.close(() => process.exit(0))
  server.closeIdleConnections()
  setTimeout(() => process.exit(1), 10_000).unref()
})
