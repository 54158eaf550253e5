import { Failed } from '../command.js'
import { OFF, READS } from '../of-features.js'
import { printable } from '../printable.js'

/** Methods that change nothing: after a failure there is nothing to find out. */
const READING: ReadonlySet<string> = new Set(READS)

/** A request that got no answer, or no whole one, as an error whose message says what to do. */
export function failureOf(
  error: unknown,
  { base, method, timeout }: { base: string; method: string; timeout: number },
): Failed {
  if (error instanceof Failed) return error
  const { name, cause, code } = error as { name?: string; cause?: unknown; code?: unknown }
  const { origin } = new URL(base)
  const reason = [code, (cause as { code?: unknown } | undefined)?.code].find(
    (one) => typeof one === 'string',
  )
  if (name === 'TimeoutError') {
    return unreachable(`${origin} did not answer within ${timeout / 1000} s.`, method)
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS/.test(reason ?? '')) {
    return new Failed(
      'Unreachable',
      `This machine does not trust the certificate of ${origin} (${reason}), so the key was not sent. If you have a certificate authority of your own, name its file by NODE_EXTRA_CA_CERTS.`,
    )
  }
  const known = /^[A-Z][A-Z_0-9]+$/.test(reason ?? '') ? reason : (name ?? 'unknown')
  return unreachable(
    `${origin} cannot be reached (${known}): check the address, and if the service runs.`,
    method,
  )
}

function unreachable(message: string, method: string): Failed {
  const more = READING.has(method)
    ? ''
    : ' It may be done or not: run the same command again, which does no harm.'
  return new Failed('Unreachable', message + more)
}

interface Refused {
  readonly base: string
  readonly method: string
  readonly status: number
  readonly headers: Headers
  readonly answer: Record<string, unknown> | undefined
}

/** An answer that is not the result, as an error with the word of the API. */
export function refusalOf({ base, method, status, headers, answer }: Refused): Failed {
  const { error, message } = answer ?? {}
  const isWord = typeof error === 'string' && /^[A-Za-z]{1,64}$/.test(error)
  if (isWord && status >= 400) {
    const said = typeof message === 'string' ? printable(message).slice(0, 300) : undefined
    return new Failed(error, sentenceOf(error, { method, headers, said, status }))
  }
  if (status >= 300 && status < 400) return redirected(base, headers.get('location'))
  if (status === 404) {
    return new Failed(
      'NotFound',
      `There is no operator API at ${base}. Is that the address of the auth routes, such as https://example.com/auth, and does the service have AUTH_OPERATOR_KEYS?`,
    )
  }
  if (status === 429) return new Failed('TooManyAttempts', tooMany(headers))
  const type = /^[\w/+.-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0] ?? 'no content type'
  return unreachable(
    `${base} does not answer as the service does (${status}, ${type}). Is that the address of the auth routes, such as https://example.com/auth, and is there a proxy or a sign-in page before it?`,
    method,
  )
}

function redirected(base: string, location: string | null): Failed {
  const to = URL.canParse(location ?? '', base) ? new URL(location ?? '', base).origin : 'elsewhere'
  return new Failed(
    'Unreachable',
    `${base} redirects to ${to}, and the key was not sent there. If that is the service, name its address by --to or LATCHKEY_URL.`,
  )
}

interface Said {
  readonly method: string
  readonly headers: Headers
  readonly said: string | undefined
  readonly status: number
}

function sentenceOf(word: string, { method, headers, said, status }: Said): string {
  switch (word) {
    case 'OperatorKeyRequired':
      return 'The service does not know the key in AUTH_OPERATOR_KEY. Its AUTH_OPERATOR_KEYS must have the entry of this key.'
    case 'ScopeRequired':
      return `The key only reads, and ${method} needs one that manages: \`latchkey secret operator <name> --manage\` makes one.`
    case 'NotFound':
      return `The service does not have ${method}: ${OFF[method] ?? 'it is older than this command'}.`
    case 'Unavailable':
      return 'The service could not do it now, or not all of it: run the same command again.'
    case 'TooManyRefreshes':
      return `Too many people's claims were refreshed within minutes, and nothing was done. Try again ${whenOf(headers)}.`
    default:
      return status === 429 ? tooMany(headers) : (said ?? `The service refuses it: ${word}.`)
  }
}

function tooMany(headers: Headers): string {
  return `There were too many wrong keys from this network. Try again ${whenOf(headers)}.`
}

function whenOf(headers: Headers): string {
  const seconds = /^\d{1,5}$/.exec(headers.get('retry-after') ?? '')?.[0]
  return seconds === undefined ? 'later' : `in ${seconds} s`
}
