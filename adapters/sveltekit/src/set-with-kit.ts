import { parseCookieLine } from '@latchkey/host'
import type { KitEvent } from './types.js'

/** Sets a cookie through Kit, by the Set-Cookie line of the service. */
export function setWithKit(cookies: KitEvent['cookies'], line: string): void {
  const { name, value, options } = parseCookieLine(line)
  // The value is not encoded again.
  cookies.set(name, value, { ...options, encode: (value) => value })
}
