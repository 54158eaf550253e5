import { protectMcp } from '@latchkey/express'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import express from 'express'

const handler = createMcpHandler(({ authInfo }) => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('who', { description: 'Says who you are' }, () => ({
    content: [{ type: 'text', text: `You are ${authInfo?.extra?.sub}.` }],
  }))
  return server
})

export const app = express()
app.use(
  protectMcp(
    { audience: 'https://notes.example.com/mcp', scope: 'notes:read', name: 'Notes' },
    { worker: 'https://example.com/auth' },
  ),
)
app.all('/mcp', toNodeHandler(handler))
