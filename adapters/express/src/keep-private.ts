import type { ServerResponse } from 'node:http'
import { privateHeader } from '@latchkey/host'

const guarded = new WeakSet<ServerResponse>()

/**
 * Keeps an answer with a session cookie from shared caches (RFC 9111, 7.3), whatever the app has said of it before or
 * says until it is sent: by `setHeader`, in `writeHead`, or in a listener of `on-headers`.
 */
export function keepPrivate(res: ServerResponse): void {
  if (guarded.has(res)) return
  guarded.add(res)
  for (const method of ['setHeader', 'appendHeader'] as const) {
    const set: (name: string, value: string) => unknown = res[method]
    const corrected = (name: string, value: string) => {
      const kept = privateHeader(name, value)
      return kept === undefined ? res : set.call(res, name, kept)
    }
    Object.assign(res, { [method]: corrected })
  }
  const { writeHead } = res
  const settled = (...all: Parameters<typeof writeHead>) => {
    settle(res)
    // Headers that are given here pass through the methods above.
    return writeHead.apply(res, all)
  }
  Object.assign(res, { writeHead: settled })
  settle(res)
}

/** The headers that were set before, or none. */
function settle(res: ServerResponse): void {
  for (const name of res.getHeaderNames()) {
    if (privateHeader(name, '') === undefined) res.removeHeader(name)
  }
  res.setHeader('Cache-Control', res.getHeader('cache-control') ?? '')
}
