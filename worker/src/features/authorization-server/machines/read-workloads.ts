import { isRecord } from '@latchkey/session/internal'
import { isLoopback } from '../../../lib/is-loopback.js'
import { readAddress } from '../key-set.js'
import { parsedJson } from '../read-resource.js'

/** A job at an OpenID issuer that gets the tokens of a machine for the token that the issuer gave it. */
export interface Workload {
  readonly issuer: string
  /** Where the issuer publishes its keys; `undefined`: its discovery document says it. */
  readonly jwksUri: string | undefined
  /** The audience that its tokens must have alone; `undefined`: this issuer. */
  readonly audience: string | undefined
  /** What each claim must be, by its name. */
  readonly claims: ReadonlyMap<string, ClaimRule>
  /** May the job bring one token again until it ends? */
  readonly isReused: boolean
}

/** A claim is one of these, to the letter, or a text that begins so. */
type ClaimRule = { readonly values: readonly ClaimValue[] } | { readonly startsWith: string }
type ClaimValue = string | number | boolean

const MAX_WORKLOADS = 20
const MAX_RULES = 20
/** In characters. */
const MAX_TEXT = 1_024

const MEMBERS = ['issuer', 'jwksUri', 'audience', 'claims', 'reuse']

const GITHUB = 'token.actions.githubusercontent.com'

/**
 * A `sub` of GitHub that names its owner. The owner of any repository chooses the claims in its `sub`, such as `environment` alone, or
 * another owner's workflow that everybody may call.
 */
const OWNED_SUB = /^(?:repo|repository|repository_id|repository_owner|repository_owner_id):/

/**
 * The claims that name the owner of a job at issuers that anybody may have jobs at, by their hosts. Without one of them a rule would
 * hold for the jobs of strangers.
 */
const OWNERS: ReadonlyMap<string, readonly string[]> = new Map([
  [GITHUB, ['repository', 'repository_id', 'repository_owner', 'repository_owner_id', 'sub']],
  ['gitlab.com', ['project_id', 'project_path', 'namespace_id', 'namespace_path', 'sub']],
  [
    'app.terraform.io',
    [
      'terraform_organization_id',
      'terraform_organization_name',
      'terraform_project_id',
      'terraform_workspace_id',
      'sub',
    ],
  ],
  ['accounts.google.com', ['sub', 'email']],
])

/** @returns a text: what is wrong, as the rest of a sentence */
export function readWorkloads(value: unknown): readonly Workload[] | string {
  const given = typeof value === 'string' ? parsedJson(value) : value
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_WORKLOADS) {
    return 'must be an array of 1 to 20 workloads'
  }
  const workloads: Workload[] = []
  for (const one of given) {
    const workload = readWorkload(one)
    if (typeof workload === 'string') return workload
    workloads.push(workload)
  }
  return workloads
}

function readWorkload(given: unknown): Workload | string {
  if (!isRecord(given)) return 'must have objects alone'
  const other = Object.keys(given).find((name) => !MEMBERS.includes(name))
  if (other !== undefined) return `has a workload with another member than ${MEMBERS.join(', ')}`
  const { issuer, jwksUri, audience, reuse = false } = given
  if (!isIssuer(issuer)) {
    return 'must name the `issuer` of each workload: https, or http for this machine, without a query'
  }
  const address = jwksUri === undefined ? undefined : readAddress(jwksUri)
  if (jwksUri !== undefined && address === undefined) {
    return 'has a `jwksUri` that is not https, or http for this machine'
  }
  if (audience !== undefined && !isText(audience)) return 'has an `audience` that is not a text'
  if (typeof reuse !== 'boolean') return 'has a `reuse` that is neither true nor false'
  const claims = readRules(given.claims)
  if (!claims) {
    return 'must say in `claims` of each workload what 1 to 20 claims are: a text, a number, a boolean, an array of these, or { startsWith }'
  }
  const { hostname } = new URL(issuer)
  const owners = OWNERS.get(hostname)
  const isNamed = (name: string) => isWhole(claims.get(name), name === 'sub' ? hostname : undefined)
  if (owners && !owners.some(isNamed)) {
    return `has a workload at ${hostname}, where strangers have jobs too: name its owner by the whole value of ${owners.join(', ')}${hostname === GITHUB ? ' (which begins with the repository or its owner)' : ''}`
  }
  return { issuer, jwksUri: address, audience, claims, isReused: reuse }
}

/** May it be the issuer of tokens (OpenID Connect Core, section 2, `iss`)? It stays as it is written. */
export function isIssuer(value: unknown): value is string {
  const url = isText(value) ? URL.parse(value) : null
  if (!url || url.search + url.hash + url.username + url.password !== '') return false
  return !/[?#\s]/.test(value as string) && (url.protocol === 'https:' || isLoopback(url))
}

function readRules(value: unknown): ReadonlyMap<string, ClaimRule> | undefined {
  if (!isRecord(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > MAX_RULES) return undefined
  const rules = new Map<string, ClaimRule>()
  for (const [name, said] of entries) {
    const rule = readRule(said)
    if (!rule || name === '') return undefined
    rules.set(name, rule)
  }
  return rules
}

function readRule(said: unknown): ClaimRule | undefined {
  if (isRecord(said)) {
    const { startsWith, ...others } = said
    return isText(startsWith) && Object.keys(others).length === 0 ? { startsWith } : undefined
  }
  const values: unknown[] = Array.isArray(said) ? said : [said]
  if (values.length === 0 || values.length > MAX_RULES) return undefined
  return values.every(isValue) ? { values: [...values] } : undefined
}

function isValue(value: unknown): value is ClaimValue {
  if (typeof value !== 'number') return isText(value) || typeof value === 'boolean'
  // JSON of a greater one is read as its neighbor, which is another project.
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT
}

/**
 * Does a rule name an owner? A beginning, and a yes or no, would also hold for strangers.
 *
 * @param subAt the host of the issuer whose `sub` it is
 */
function isWhole(rule: ClaimRule | undefined, subAt: string | undefined): boolean {
  if (!rule || !('values' in rule)) return false
  if (subAt === GITHUB) return rule.values.every((value) => OWNED_SUB.test(String(value)))
  return rule.values.every((value) => typeof value !== 'boolean')
}

/** Do the claims of a token match every rule of a workload? */
export function areMatching(
  claims: Readonly<Record<string, unknown>>,
  { claims: rules }: Pick<Workload, 'claims'>,
): boolean {
  return [...rules].every(([name, rule]) => {
    const claim = Object.hasOwn(claims, name) ? claims[name] : undefined
    if ('values' in rule) return rule.values.some((value) => value === claim)
    return typeof claim === 'string' && claim.startsWith(rule.startsWith)
  })
}
