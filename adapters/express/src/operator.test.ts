import express from 'express5'
import { listen } from '../../../test/express/support.js'
import { testOperatorPaths } from '../../../test/support/operator-in-apps.js'
import { MiddlewareAuth } from './index.js'

testOperatorPaths(async (config, path, init) => {
  const app = express().use(express.json()).use('/auth', MiddlewareAuth(config))
  const { ask, stop } = await listen(app)
  try {
    const { status, text } = await ask(path, init as object)
    return { status, text }
  } finally {
    await stop()
  }
})
