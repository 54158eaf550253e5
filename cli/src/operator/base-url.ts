import { type Terminal, WrongUse } from '../command.js'

/** As in the apps: a URL without a path has the base path of the shipped Worker. */
const DEFAULT_BASE_PATH = '/auth'

/**
 * The base URL of the service: `--to`, or else `LATCHKEY_URL`. `AUTH_WORKER_URL` of version 0.2 still works: it is a variable of apps too,
 * which answer the auth routes otherwise with it.
 *
 * @returns without a slash at its end, such as `https://example.com/auth`
 * @throws {WrongUse} there is none, or a key must not be sent there
 */
export function baseUrlOf(
  to: string | undefined,
  { LATCHKEY_URL, AUTH_WORKER_URL }: Terminal['env'],
  note: Terminal['note'] = () => {},
): string {
  const text = to ?? (LATCHKEY_URL || AUTH_WORKER_URL)
  const variable = LATCHKEY_URL ? 'LATCHKEY_URL' : 'AUTH_WORKER_URL'
  const name = to === undefined ? variable : '--to'
  if (!text) throw new WrongUse('Name the service: --to <base URL>, or LATCHKEY_URL.')
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
  if (name === 'AUTH_WORKER_URL') note(`${RENAMED}\n`)
  const path = url.pathname.replace(/\/+$/, '') || DEFAULT_BASE_PATH
  return url.origin + path
}

const RENAMED =
  'Warning: set LATCHKEY_URL instead of AUTH_WORKER_URL. An app that is started with\nAUTH_WORKER_URL leaves the auth routes to that service.'
