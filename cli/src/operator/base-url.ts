import { WrongUse } from '../command.js'

/** As in the apps: a URL without a path has the base path of the shipped Worker. */
const DEFAULT_BASE_PATH = '/auth'

/**
 * The base URL of the service: `--to`, or else `AUTH_WORKER_URL`.
 *
 * @returns without a slash at its end, such as `https://example.com/auth`
 * @throws {WrongUse} there is none, or a key must not be sent there
 */
export function baseUrlOf(
  to: string | undefined,
  { AUTH_WORKER_URL }: Readonly<Record<string, string | undefined>>,
): string {
  const text = to ?? AUTH_WORKER_URL
  const name = to === undefined ? 'AUTH_WORKER_URL' : '--to'
  if (!text) throw new WrongUse('Name the service: --to <base URL>, or AUTH_WORKER_URL.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(text)) {
    throw new WrongUse(
      `${name} must be the address of the auth routes, such as https://example.com/auth.`,
    )
  }
  if (url.username || url.password) {
    throw new WrongUse(`${name} must not contain a user name or a password.`)
  }
  if (url.protocol === 'http:' && !/^(?:localhost|127[.]0[.]0[.]1)$/.test(url.hostname)) {
    throw new WrongUse(`${name} must begin with https://, unless it is localhost or 127.0.0.1.`)
  }
  const path = url.pathname.replace(/\/+$/, '') || DEFAULT_BASE_PATH
  return url.origin + path
}
