import type { Account, AuthHandler, Profile } from '@latchkey/worker'

/** A user of a company's directory. `userName` and `externalId` are unique in the company. */
export interface ScimUser {
  readonly id: string
  readonly userName: string
  readonly externalId: string
  readonly active: boolean
}

/** A value of an attribute, as a filter names it. */
export type By = { readonly [Name in 'id' | 'userName' | 'externalId']?: string }

/** A part of the users, from an index that begins at 0. */
export interface Part {
  readonly from: number
  readonly most: number
}

/** Your tables (scim-tables.ts). Every row belongs to one company. */
export interface Directory {
  /** The users with this value, or all of them, and how many there are. `userName` is compared without case. */
  find(
    company: string,
    by?: By,
    part?: Part,
  ): Promise<{ users: readonly ScimUser[]; total: number }>
  /** @param user `null` deletes the row */
  save(company: string, id: string, user: ScimUser | null): Promise<void>
  /** Keeps the `sub` of a person's ID tokens by the id that the directory has for them. */
  keepSubject(company: string, externalId: string, subject: string): Promise<void>
  subject(company: string, externalId: string): Promise<string | undefined>
}

/** What the route calls of the service: of `createAuth(…)`, or of a service binding to `AuthService`. */
type Auth = Pick<
  AuthHandler<object>,
  'subOfCompany' | 'getPerson' | 'blockPerson' | 'unblockPerson'
>

interface Settings {
  readonly auth: Auth
  readonly directory: Directory
  /** The SHA-256 of each company's token in hex, by the company's id. */
  readonly tokens: Readonly<Record<string, string>>
}

/** The most users in an answer, bytes in a body, and characters in a value. */
const MOST = { users: 100, bytes: 65_536, characters: 256 }
const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0:'
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0:'

/** What the caller has done wrong, in words for its administrator. */
class Problem extends Error {
  readonly status: number
  readonly scimType: string | undefined

  constructor(status: number, detail: string, scimType?: string) {
    super(detail)
    this.status = status
    this.scimType = scimType
  }
}

/**
 * Answers a request of SCIM 2.0 (RFC 7644) from a company's directory: a user with `active: false` is blocked.
 *
 * @param path of the request below the route, such as `/Users/1`
 * @example if (pathname.startsWith('/scim/v2/')) return scim(request, pathname.slice(8), settings)
 */
export async function scim(request: Request, path: string, settings: Settings): Promise<Response> {
  try {
    return await answerTo(request, path, settings)
  } catch (error) {
    if (!(error instanceof Problem)) {
      // The directory tries again. The answer says nothing about the error.
      console.error('scim', error instanceof Error ? error.name : 'Error')
      return problem(new Problem(503, 'Not done, or not everywhere. Try again.'))
    }
    return problem(error)
  }
}

async function answerTo(request: Request, path: string, settings: Settings): Promise<Response> {
  const { directory } = settings
  // The token alone says whose people these are.
  const company = await companyOf(request, settings.tokens)
  const [, resource, id] = /^\/(\w+)(?:\/([\w-]{1,64}))?$/.exec(path) ?? []
  const asked = `${request.method} ${resource}${id === undefined ? '' : '/:id'}`
  if (asked === 'GET ServiceProviderConfig') return json(CONFIG)
  if (asked === 'GET Users') return list(directory, company, new URL(request.url).searchParams)
  if (asked === 'POST Users') {
    const { userName, externalId, active = true } = changesIn(await bodyOf(request))
    // Without `externalId` the person could not be blocked.
    if (userName === undefined || externalId === undefined) {
      throw new Problem(400, 'userName or externalId is missing.', 'invalidValue')
    }
    const user = { id: crypto.randomUUID(), userName, externalId, active }
    return json(await change(company, user, settings), 201)
  }
  if (!/^(?:GET|PUT|PATCH|DELETE) Users\/:id$/.test(asked)) throw new Problem(404, 'Not found.')
  const [user] = (await directory.find(company, { id: id ?? '' })).users
  if (!user) throw new Problem(404, 'Not found.')
  if (request.method === 'GET') return json(shown(user))
  if (request.method === 'DELETE') {
    await change(company, { ...user, active: false }, settings)
    await directory.save(company, user.id, null)
    return new Response(null, { status: 204 })
  }
  const body = await bodyOf(request)
  const changes = request.method === 'PUT' ? changesIn(body) : operationsIn(body)
  return json(await change(company, { ...user, ...changes }, settings))
}

/** First the row, then the person: a sign-in that is under way meets one of both. Each step may be repeated. */
async function change(company: string, user: ScimUser, { auth, directory }: Settings) {
  const { userName, externalId } = user
  for (const by of [{ userName }, { externalId }]) {
    const { users } = await directory.find(company, by)
    if (users.some(({ id }) => id !== user.id)) {
      throw new Problem(409, `${Object.keys(by)} is another user's.`, 'uniqueness')
    }
  }
  await directory.save(company, user.id, user)
  // Okta's ids are subjects. An id of Entra without a row names no person, and `mayEnter` refuses the one who comes with it.
  const subject = (await directory.subject(company, externalId)) ?? externalId
  const sub = await auth.subOfCompany({ company, subject })
  if (sub === null) throw new Error('The service does not know the company.')
  const reason = `SCIM of ${company}`
  const blocked = (await auth.getPerson(sub))?.blocked
  if (!user.active && !blocked) await auth.blockPerson({ sub, reason })
  // A block that you have imposed stays, and so does one of another company.
  if (user.active && blocked?.reason === reason) await auth.unblockPerson(sub)
  return shown(user)
}

/**
 * For `callbacks.signIn`: keeps which subject the directory's user has, and refuses a person who has left, also one who
 * was never here before.
 */
export async function mayEnter(
  directory: Directory,
  account: Account,
  profile?: Profile,
): Promise<boolean> {
  const [, company] = /^company-(.+)$/.exec(account.provider) ?? []
  if (company === undefined) return true
  // The `sub` of Entra is another one for each client. Its directory knows `oid`.
  const externalId = typeof profile?.oid === 'string' ? profile.oid : account.providerAccountId
  await directory.keepSubject(company, externalId, account.providerAccountId)
  const { users } = await directory.find(company, { externalId })
  return users.every(({ active }) => active)
}

async function companyOf(request: Request, tokens: Settings['tokens']): Promise<string> {
  const header = request.headers.get('authorization') ?? ''
  const [, token = ''] = /^Bearer (\S{1,512})$/i.exec(header) ?? []
  const digest = await sha256(token)
  // Each one is compared to its end, so that the time says nothing about them.
  const [company] = Object.keys(tokens).filter((id) => isSame(digest, tokens[id] ?? ''))
  if (company === undefined) throw new Problem(401, 'The token is wrong.')
  return company
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

async function list(directory: Directory, company: string, asked: URLSearchParams) {
  const startIndex = Math.max(1, wholeIn(asked.get('startIndex'), 1))
  const most = Math.min(MOST.users, wholeIn(asked.get('count'), MOST.users))
  const by = filterIn(asked.get('filter'))
  const { users, total } = await directory.find(company, by, { from: startIndex - 1, most })
  return json({
    schemas: [`${MESSAGES}ListResponse`],
    totalResults: total,
    startIndex,
    itemsPerPage: users.length,
    Resources: users.map(shown),
  })
}

/** `userName eq "…"` or `externalId eq "…"`: nothing else is asked before a user is made. */
function filterIn(filter: string | null): By | undefined {
  if (filter === null) return undefined
  const form = /^(userName|externalId) eq ("(?:[^"\\]|\\["\\])*")$/i
  const [, name, text = ''] = form.exec(filter) ?? []
  if (name === undefined) throw new Problem(400, 'The filter is not supported.', 'invalidFilter')
  const value = shortText(JSON.parse(text), name)
  return name.toLowerCase() === 'username' ? { userName: value } : { externalId: value }
}

function wholeIn(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : otherwise
}

type Changes = { -readonly [Name in 'userName' | 'externalId' | 'active']?: ScimUser[Name] }

/** What a resource says, or an operation without a path. Other attributes are ignored. */
function changesIn(body: Readonly<Record<string, unknown>>): Changes {
  const changes: Changes = {}
  for (const [name, value] of Object.entries(body)) note(changes, name, value)
  return changes
}

/** RFC 7644, section 3.5.2. */
function operationsIn({ Operations }: Readonly<Record<string, unknown>>): Changes {
  if (!Array.isArray(Operations)) throw new Problem(400, 'Operations is missing.', 'invalidSyntax')
  const changes: Changes = {}
  for (const { op, path, value } of Operations.map(recordIn)) {
    // Entra writes `Replace`.
    const isRemoved = String(op).toLowerCase() === 'remove'
    if (typeof path === 'string') note(changes, path, isRemoved ? undefined : value)
    else if (!isRemoved) Object.assign(changes, changesIn(recordIn(value)))
  }
  return changes
}

/** A value of `active` that cannot be read is refused: to ignore it would let a person stay. Entra writes `"False"`. */
function note(changes: Changes, path: string, value: unknown): void {
  const name = path.toLowerCase().replace(`${SCHEMAS}user:`.toLowerCase(), '')
  if (name === 'active') {
    const text = String(value).toLowerCase()
    if (text !== 'true' && text !== 'false') {
      throw new Problem(400, 'active is neither true nor false.', 'invalidValue')
    }
    changes.active = text === 'true'
  }
  if (name === 'username') changes.userName = shortText(value, path)
  if (name === 'externalid') changes.externalId = shortText(value, path)
}

function shortText(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= MOST.characters) return value
  throw new Problem(400, `${name} is not a short text.`, 'invalidValue')
}

/** Reads no more than a directory sends for a user. */
async function bodyOf(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength
    if (length > MOST.bytes) throw new Problem(413, 'The body is too large.')
    text += decoder.decode(chunk, { stream: true })
  }
  try {
    return recordIn(JSON.parse(text))
  } catch {
    throw new Problem(400, 'The body is not an object.', 'invalidSyntax')
  }
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw new Problem(400, 'This is not an object.', 'invalidSyntax')
}

const CONFIG = {
  schemas: [`${SCHEMAS}ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST.users },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    { type: 'oauthbearertoken', name: 'Token', description: 'The token of the company.' },
  ],
}

function shown(user: ScimUser) {
  return { schemas: [`${SCHEMAS}User`], ...user, meta: { resourceType: 'User' } }
}

function json(body: object, status = 200): Response {
  const headers = { 'content-type': 'application/scim+json', 'cache-control': 'no-store' }
  return new Response(JSON.stringify(body), { status, headers })
}

function problem({ status, message, scimType }: Problem): Response {
  const detail = { status: String(status), detail: message, ...(scimType ? { scimType } : {}) }
  return json({ schemas: [`${MESSAGES}Error`], ...detail }, status)
}
