import { createMcpHandler, McpServer, requireScopes } from '@modelcontextprotocol/server'

export const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  const wants = requireScopes('notes:read', 'notes:write')
  server.registerTool('add', { description: 'Adds a note', scopeChallenge: wants }, () => ({
    content: [{ type: 'text', text: 'Added.' }],
  }))
  return server
})
