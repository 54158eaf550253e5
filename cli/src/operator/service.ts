import { Failed, type Terminal, WrongUse } from '../command.js'
import { printable } from '../printable.js'
import { baseUrlOf } from './base-url.js'
import { failureOf, refusalOf } from './failures.js'

/** The operator API of one service. */
export interface Service {
  /** Such as `https://example.com/auth`. */
  readonly base: string
  /**
   * Calls one method.
   *
   * @param body the members that the method takes; those that are undefined are left out
   * @returns the `result` of the answer, not yet checked
   * @throws {Failed} with the word of the API, or `Unreachable`
   */
  call(method: string, body: object): Promise<unknown>
}

/** Milliseconds for one request and its answer. */
const TIMEOUT = 10_000
/** The export of a person is the largest answer. Bytes. */
const MAX_ANSWER = 32 * 1024 * 1024

/**
 * The operator API of the service that `--to` or `LATCHKEY_URL` names, with the key in
 * `AUTH_OPERATOR_KEY`. Nothing is sent yet. The key goes to that origin alone.
 *
 * @param timeout milliseconds for one request and its answer
 * @throws {WrongUse} the address or the key is missing or malformed
 */
export function serviceOf(
  to: string | undefined,
  { env, note }: Pick<Terminal, 'env'> & Partial<Pick<Terminal, 'note'>>,
  timeout = TIMEOUT,
): Service {
  const base = baseUrlOf(to, env, note)
  const key = keyIn(env)
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0' && base.startsWith('https:')) {
    throw new WrongUse(
      'Remove NODE_TLS_REJECT_UNAUTHORIZED: with it, anybody on the way could read the key.',
    )
  }
  return {
    base,
    async call(method, body) {
      const { status, headers, text } = await ask(method, body, { base, key, timeout })
      // A service that repeats the key must not bring it to the terminal: spelled out, in another way of JSON, or in a header.
      const hidden = (said: string) => said.replaceAll(key, '[key]')
      const answer = parse(hidden(text), hidden)
      if (status === 200 && answer && 'result' in answer) return answer.result
      const shown = new Headers([...headers].map(([name, value]) => [name, hidden(value)]))
      throw refusalOf({ base, method, status, headers: shown, answer })
    },
  }
}

/** @throws {WrongUse} without a value of the variable: it may be another secret */
function keyIn({ AUTH_OPERATOR_KEY: key }: Terminal['env']): string {
  if (!key) {
    throw new WrongUse(
      'Set AUTH_OPERATOR_KEY in the environment: `latchkey secret operator <name>` makes a key.',
    )
  }
  if (/^lkop_[\w-]{43}$/.test(key)) return key
  throw new WrongUse('AUTH_OPERATOR_KEY is not a key: that is lkop_ and 43 letters and digits.')
}

interface Way {
  readonly base: string
  readonly key: string
  readonly timeout: number
}

/** @throws {Failed} */
async function ask(method: string, body: object, { base, key, timeout }: Way) {
  try {
    const answer = await fetch(`${base}/operator/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    const { status, headers } = answer
    const isRedirect = status >= 300 && status < 400
    if (isRedirect) await answer.body?.cancel()
    return { status, headers, text: isRedirect ? '' : await textOf(answer) }
  } catch (error) {
    throw failureOf(error, { base, method, timeout })
  }
}

/** @throws {Failed} it is too long */
async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > MAX_ANSWER) throw new Failed('Unreachable', 'The answer of the service is too long.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** @param hidden each text of the value without the key */
function parse(
  text: string,
  hidden: (said: string) => string,
): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text, (_, one) =>
      typeof one === 'string' ? hidden(one) : one,
    )
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {}
  return undefined
}

/** The error for a result of another shape: the service is not one that this command knows. */
export function notUnderstood({ base }: Service, method: string): Failed {
  return new Failed(
    'Unreachable',
    `${printable(base)} answers ${method} otherwise than a service of this version.`,
  )
}
