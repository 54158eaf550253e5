import { protectMcp } from '@latchkey/express'
import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { who } from './who.js'

const { PORT = '3001', AUTH_WORKER_URL = 'http://localhost:8787/auth' } = process.env
const audience = process.env.MCP_URL ?? `http://localhost:${PORT}/mcp`

const app = express()
app.use(protectMcp({ audience, scope: 'who:read', name: 'Who' }, { worker: AUTH_WORKER_URL }))
app.all('/mcp', toNodeHandler(who))
app.listen(Number(PORT), () => console.log(`An MCP server that asks for a token: ${audience}`))
