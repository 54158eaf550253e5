import { fill } from '../languages/fill.js'
import type { Words } from '../languages/texts.js'
import { printable } from '../lib/printable.js'

/** The kind of a device, as far as its browser says. */
export type DeviceKind = 'phone' | 'tablet' | 'laptop' | 'unknown'

/** The device and place of a sign-in, so that people can tell their sessions apart. */
export interface Device {
  /** The `User-Agent` header. */
  readonly userAgent?: string
  /** Town and country, from Cloudflare. */
  readonly place?: string
}

/** The device of a request, from its headers. No decision depends on it. */
export function deviceOf(request: Request): Device {
  const userAgent = printable(request.headers.get('user-agent'))
  const { city, country } = (request as { cf?: { city?: unknown; country?: unknown } }).cf ?? {}
  const place = [city, country].filter((part) => typeof part === 'string' && part !== '').join(', ')
  return { ...(userAgent ? { userAgent } : {}), ...(place ? { place: place.slice(0, 100) } : {}) }
}

const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
] as const

const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const

/**
 * A device in two words, such as `Firefox on Windows`; browsers imitate each other, so it is a hint
 * only.
 */
export function nameOfDevice({ userAgent = '' }: Device, { texts }: Words): string {
  const browser = BROWSERS.find(([, sign]) => sign.test(userAgent))?.[0]
  const system = systemOf(userAgent)
  if (browser && system) return fill(texts.devices.browserOn, { browser, system })
  return browser ?? system ?? texts.devices.unknown
}

function systemOf(userAgent: string): (typeof SYSTEMS)[number][0] | undefined {
  return SYSTEMS.find(([, sign]) => sign.test(userAgent))?.[0]
}

/** Its kind, a hint as well. A tablet that asks for the pages of a desktop is a laptop here, as everywhere. */
export function kindOfDevice({ userAgent = '' }: Device): DeviceKind {
  const system = systemOf(userAgent)
  if (system === undefined) return 'unknown'
  if (system === 'iPad') return 'tablet'
  // Android says it of phones alone.
  const isPhone = system === 'Android' ? /\bMobile\b/.test(userAgent) : system === 'iPhone'
  if (isPhone) return 'phone'
  return system === 'Android' ? 'tablet' : 'laptop'
}
