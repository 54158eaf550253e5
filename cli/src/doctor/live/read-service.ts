import { isRecord } from '@latchkey/session/internal'
import { type Answer, type Get, isSilent, jsonOf, type Outcome } from './get.js'

/** A provider as `/providers` lists it. */
export interface ListedProvider {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly signinUrl: string
  readonly callbackUrl: string
}

/** The answers of a running service. */
export interface Live {
  /** The address that the operator named, without a slash at its end. */
  readonly base: string
  readonly providers: Outcome
  /** `undefined`: `/providers` did not answer as the service does, so that nothing else was asked. */
  readonly rest:
    | {
        readonly csrf: Outcome
        readonly session: Outcome
        readonly jwks: Outcome
        readonly feed: Outcome
      }
    | undefined
}

/** Asks the routes of a service that anybody may ask. */
export async function readService(base: string, get: Get): Promise<Live> {
  const providers = await get(`${base}/providers`)
  if (isSilent(providers) || !providersIn(providers)) return { base, providers, rest: undefined }
  const [csrf, session, jwks, feed] = await Promise.all([
    get(`${base}/csrf`),
    get(`${base}/session`),
    get(`${base}/jwks.json`),
    // An app asks this when it starts, and gets all recent endings. A faulty service may still answer a question for
    // the new ones alone.
    get(`${base}/revocations?pages=1`),
  ])
  return { base, providers, rest: { csrf, session, jwks, feed } }
}

/** The providers of `/providers`; `undefined`: the answer is not that of the service. */
export function providersIn(answer: Answer): readonly ListedProvider[] | undefined {
  const listed = answer.status === 200 ? jsonOf(answer) : undefined
  if (!isRecord(listed)) return undefined
  const providers = Object.values(listed)
  return providers.every(isProvider) ? providers : undefined
}

function isProvider(value: unknown): value is ListedProvider {
  const members = ['id', 'name', 'type', 'signinUrl', 'callbackUrl']
  return isRecord(value) && members.every((name) => typeof value[name] === 'string')
}

/** The issuer in the URLs of the providers; `undefined`: there is no provider, or they disagree. */
export function issuerIn(providers: readonly ListedProvider[]): URL | undefined {
  const issuers = providers.map(({ id, callbackUrl }) => {
    const end = `/callback/${id}`
    return callbackUrl.endsWith(end) ? callbackUrl.slice(0, -end.length) : undefined
  })
  const [first] = issuers
  const isOne = first !== undefined && issuers.every((one) => one === first)
  return isOne && URL.canParse(first) ? new URL(first) : undefined
}
