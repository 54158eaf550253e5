import { firstOf } from '../shared/origin.js'
import { isBasePath } from '../shared/service-routes.js'
import type { HostRequest } from './host-request.js'

/**
 * The part of the path that a proxy says it has taken off, `X-Forwarded-Prefix`; empty: none. Any client can write this
 * header, so only that of a trusted proxy counts.
 */
export function toldPrefix(request: Pick<HostRequest, 'header'>): string {
  const told = firstOf(request.header('x-forwarded-prefix'))
  const prefix = told.endsWith('/') ? told.slice(0, -1) : told
  return isBasePath(prefix) ? prefix : ''
}

/**
 * The part of a service's base path that its mount in the app lacks: a proxy has taken it off.
 *
 * @example prefixOfMount('/app/auth', '/auth') // '/app'
 */
export function prefixOfMount(base: string | undefined, mount: string | undefined): string {
  return base !== undefined && mount && base.endsWith(mount) ? base.slice(0, -mount.length) : ''
}

/** A path of this app as browsers have it. A URL stays as it is, and so does a path with the prefix. */
export function withPrefix(prefix: string, path: string): string {
  const isWhole = prefix === '' || `${path.split(/[?#]/, 1)[0]}/`.startsWith(`${prefix}/`)
  return isWhole || !path.startsWith('/') ? path : prefix + path
}
