import { MiddlewareAuth, type MiddlewareAuthConfig } from '@latchkey/express'
import github from '@latchkey/express/providers/github'
import express from 'express'

/** Most answers below are a line of this configuration. */
export const config: MiddlewareAuthConfig = { providers: [github()] }

export const app = express()
app.use('/auth', MiddlewareAuth(config))
