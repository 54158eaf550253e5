/** A header of MCP. Which there are, a later version of MCP decides (2026-07-28: `Mcp-Method`, `Mcp-Name`, `Mcp-Param-…`). */
const MCP_HEADER = /^mcp-[!#$%&'*+.^_`|~0-9a-z-]{0,60}$/

/** The length up to which the headers that a browser asks for are read. Characters. */
const MAX_ASKED = 2_048

/** The most headers that are allowed because a browser asks for them. */
const MAX_MORE = 32

/**
 * The headers that a preflight allows: a list, and each that is asked for and begins with `mcp-`.
 *
 * @param listed with a comma and a space between two
 * @param asked the value of `Access-Control-Request-Headers`
 * @example allowedHeaders('Content-Type', 'content-type,mcp-method') // 'Content-Type, mcp-method'
 */
export function allowedHeaders(listed: string, asked: string | null | undefined): string {
  const known = listed.toLowerCase().split(', ')
  const names = (asked ?? '').slice(0, MAX_ASKED).toLowerCase().split(',')
  const more = names
    .map((name) => name.trim())
    .filter((name) => MCP_HEADER.test(name) && !known.includes(name))
  return [listed, ...[...new Set(more)].slice(0, MAX_MORE)].join(', ')
}
