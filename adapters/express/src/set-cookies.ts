import type { ServerResponse } from 'node:http'

/**
 * Adds Set-Cookie lines to those of the app. A line for a cookie that was set before takes its
 * place: a browser should not be sent two (RFC 6265, 4.1.1).
 */
export function setCookies(res: ServerResponse, lines: readonly string[]): void {
  if (lines.length === 0) return
  const names = new Set(lines.map(nameOf))
  const present = [res.getHeader('set-cookie') ?? []].flat().map(String)
  res.setHeader('Set-Cookie', [...present.filter((line) => !names.has(nameOf(line))), ...lines])
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf('=')).trim()
}
