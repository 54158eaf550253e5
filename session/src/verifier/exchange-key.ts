import { isRecord } from '../lib/is-record.js'
import { ACCESS_TOKEN_LIFE, MAX_ACCESS_TOKEN_LENGTH } from '../token/access-token.js'
import { type WorkerAddress, type WorkerClient, WorkerUnavailable } from './worker-client.js'

/** Longer answers are refused. Bytes. */
const LIMIT = 2 * MAX_ACCESS_TOKEN_LENGTH

/** A key that the service knows, or refuses. Both are answers. */
const ANSWERS = [200, 400, 401]

/** An API key, and what it is presented for. */
export interface PresentedKey {
  readonly key: string
  readonly resource: string
  readonly issuer: string
  /** The service to ask, instead of the client's own. */
  readonly address: WorkerAddress | undefined
}

/**
 * Exchanges an API key for an access token (RFC 8693, 2.1).
 *
 * @returns the token; `undefined` when the service refuses the key
 * @throws {WorkerUnavailable}
 */
export async function exchangeKey(
  client: Pick<WorkerClient, 'ask'>,
  { key, resource, issuer, address }: PresentedKey,
): Promise<string | undefined> {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: key,
    subject_token_type: 'urn:latchkey:params:oauth:token-type:api-key',
    resource,
  })
  const path = '/oauth/token'
  const question = { path, issuer, limit: LIMIT, isPaced: true, form, statuses: ANSWERS, address }
  const { status, text } = await client.ask(question)
  if (status !== 200) return undefined
  const token = tokenIn(text)
  if (token !== undefined) return token
  throw new WorkerUnavailable('The auth service answered /oauth/token with something else.')
}

/** For how long the answer about a key counts, in milliseconds. */
export const KEY_ANSWER_LIFE = ACCESS_TOKEN_LIFE * 1000

function tokenIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    const token = isRecord(answer) ? answer.access_token : undefined
    return typeof token === 'string' ? token : undefined
  } catch {
    // The parser's error quotes the text, which may have a token in it.
    return undefined
  }
}
