import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'

/** An MCP server with one tool, which says who you are. A token was checked before it. */
export const who = createMcpHandler(({ authInfo }) => {
  const server = new McpServer({ name: 'who', version: '1.0.0' })
  server.registerTool('who', { description: 'Says who you are' }, () => ({
    content: [{ type: 'text', text: `You are ${authInfo?.extra?.sub}.` }],
  }))
  return server
})
