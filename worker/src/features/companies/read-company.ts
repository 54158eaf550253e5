import { isRecord } from '@latchkey/session/internal'
import { isCompanyId } from '../../lib/company-id.js'
import { isLoopback } from '../../lib/is-loopback.js'
import { siteName } from '../../pages/theme.js'
import { canCount, domainIn } from './domains.js'

/** A company whose entry was checked. */
export interface KnownCompany {
  readonly id: string
  /** What people see. */
  readonly name: string
  readonly domains: ReadonlySet<string>
  /** Without a slash at its end. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly isOnly: boolean
  readonly asksToJoin: boolean
  /** Does what the provider says of second factors count? */
  readonly hasFactors: boolean
  /** The `acr` that are two factors, beside `mfa` in `amr`. */
  readonly acr: readonly string[]
}

/** An entry that cannot be used, by the member that is wrong. */
export interface WrongCompany {
  readonly wrong: string
}

const MEMBERS = [
  'id',
  'domains',
  'issuer',
  'clientId',
  'clientSecret',
  'name',
  'only',
  'join',
  'factors',
]

const MAX_DOMAINS = 50
/** In characters. */
const MAX_NAME = 100
const MAX_ACR = 10

/** Printable ASCII, as a client's credentials are (RFC 6749, appendix A). In characters. */
const CLIENT = /^[\x20-\x7e]{1,512}$/
const SECRET = /^[\x20-\x7e]{1,2048}$/
const ACR = /^[\x21-\x7e]{1,200}$/

/** Issuers that stand for many tenants, or for private people: anybody with an account there names the tenant. */
const MANY_TENANTS =
  /^https:\/\/login\.microsoftonline\.(?:com|us)\/(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(?:\/|$)/i

/** Checks an entry as an app gives it. It never throws, and quotes no value. */
export function readCompany(entry: unknown): KnownCompany | WrongCompany {
  if (!isRecord(entry)) return { wrong: 'company' }
  const unknown = Object.keys(entry).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) return { wrong: 'an unknown member' }
  const { id, clientId, clientSecret, only = false, join = false } = entry
  if (!isCompanyId(id)) return { wrong: 'id' }
  const domains = readDomains(entry.domains)
  if (!domains) return { wrong: 'domains' }
  const issuer = readIssuer(entry.issuer)
  if (issuer === undefined) return { wrong: 'issuer' }
  if (typeof clientId !== 'string' || !CLIENT.test(clientId)) return { wrong: 'clientId' }
  const hasSecret = clientSecret !== undefined
  if (hasSecret && !(typeof clientSecret === 'string' && SECRET.test(clientSecret))) {
    return { wrong: 'clientSecret' }
  }
  const name = entry.name === undefined ? id : siteName(entry.name, MAX_NAME)
  if (name === undefined) return { wrong: 'name' }
  if (typeof only !== 'boolean') return { wrong: 'only' }
  if (typeof join !== 'boolean') return { wrong: 'join' }
  const acr = readFactors(entry.factors)
  if (!acr) return { wrong: 'factors' }
  return {
    id,
    name,
    domains,
    issuer,
    clientId,
    clientSecret: hasSecret ? (clientSecret as string) : undefined,
    isOnly: only,
    asksToJoin: join,
    ...acr,
  }
}

function readDomains(value: unknown): ReadonlySet<string> | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DOMAINS) return undefined
  const domains = value.flatMap((one) => domainIn(one) ?? [])
  const isWhole = domains.length === value.length && domains.every(canCount)
  return isWhole ? new Set(domains) : undefined
}

/** Without a slash at its end: some providers add one. */
function readIssuer(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= 1_024 ? URL.parse(value) : null
  if (url?.username !== '' || url.password !== '' || /[?#\s\\]/.test(value as string)) {
    return undefined
  }
  if (url.protocol !== 'https:' && !isLoopback(url)) return undefined
  const issuer = (value as string).replace(/\/$/, '')
  // Any other spelling would be another person's id once the entry is tidied up, and pass by a rule about this issuer.
  const isPlain = url.href.replace(/\/$/, '') === issuer && !/\/(?:\/|$)/.test(issuer.slice(8))
  return isPlain && !MANY_TENANTS.test(issuer) ? issuer : undefined
}

function readFactors(value: unknown): Pick<KnownCompany, 'hasFactors' | 'acr'> | undefined {
  if (value === undefined || value === false) return { hasFactors: false, acr: [] }
  if (value === true) return { hasFactors: true, acr: [] }
  const acr = isRecord(value) && Object.keys(value).length === 1 ? value.acr : undefined
  if (!Array.isArray(acr) || acr.length === 0 || acr.length > MAX_ACR) return undefined
  const isText = (one: unknown): one is string => typeof one === 'string' && ACR.test(one)
  return acr.every(isText) ? { hasFactors: true, acr: [...acr] } : undefined
}

/** An entry as variables have it, which are texts. */
export function entryOfVariables(
  id: string,
  variables: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { DOMAINS, ISSUER, ID, SECRET: secret, NAME, ONLY, JOIN, FACTORS } = variables
  const words = (text: unknown) => String(text).trim().split(/\s+/)
  // Another word than these two is a mistake, which the entry's check finds.
  const flag = (text: unknown) => (text === 'true' ? true : text === 'false' ? false : text)
  const acr = flag(FACTORS)
  const entry = {
    id,
    domains: DOMAINS === undefined ? undefined : words(DOMAINS),
    issuer: ISSUER,
    clientId: ID,
    clientSecret: secret,
    name: NAME,
    only: flag(ONLY),
    join: flag(JOIN),
    factors: typeof acr === 'string' ? { acr: words(acr) } : acr,
  }
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))
}
