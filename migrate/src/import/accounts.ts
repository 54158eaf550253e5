import type { Row, Value } from './rows.js'

/** An account as another library has stored it. */
export interface OldAccount {
  /** The person's id there. */
  readonly user: string
  readonly provider: string
  /** Its id at the provider, or the address. */
  readonly account: string
  /** The issuer of the ID token that was stored with it. */
  readonly issuer?: string | undefined
  /** It is the password of an address, by its hash. */
  readonly hash?: string | undefined
}

/** The reason why an account of the export cannot be taken over. */
type Unusable = 'unreadable' | 'password' | 'unverified' | 'bad-hash' | 'two-factor'

/** An account of a row, or the known part of one that cannot be taken over. */
export type FoundAccount = Partial<OldAccount> & { readonly why?: Unusable }

/** The account of one row, before other rows about its person are read. */
export type RowAccount = FoundAccount & {
  /** It is a password. */
  readonly isPassword?: true
  /** It is the address of a person who signed in with a second factor. */
  readonly hasFactor?: true
}

/** What reports call the provider of a password. */
export const PASSWORD = 'password'

/** What accounts are made of besides those of providers. */
export interface Wanted {
  /** The id of the provider of verified addresses. */
  readonly email?: string | undefined
  /** The id of the provider of passwords. */
  readonly credentials?: string | undefined
  /** The hashes of passwords, too. */
  readonly passwords?: boolean | undefined
}

/** Has a table with these columns, by their plain names, accounts or people? */
export function hasAccounts(columns: readonly string[]): boolean {
  return kindOf(new Set(columns)) !== undefined
}

/** The values of a row or a table, by the plain names of its columns. */
export function kindOf(names: Names): 'accounts' | 'people' | undefined {
  return isAccounts(names) ? 'accounts' : isPeople(names) ? 'people' : undefined
}

interface Names {
  has(name: string): boolean
}

/** `accounts` of Auth.js and NextAuth.js, `account` of better-auth. */
function isAccounts(names: Names): boolean {
  if (!names.has('userid')) return false
  return isAuthjs(names) || (names.has('providerid') && names.has('accountid'))
}

/** Then an `accountId` is something else. NextAuth.js 3 had `providerId`. */
function isAuthjs(names: Names): boolean {
  return names.has('provideraccountid') && (names.has('provider') || names.has('providerid'))
}

/** `users` of Auth.js, `user` of better-auth. */
function isPeople(names: Names): boolean {
  return names.has('id') && names.has('email') && names.has('emailverified')
}

/** The accounts in a row. A row of the table of people may have none or several. */
export function accountsIn(row: Row, wanted: Wanted): readonly RowAccount[] {
  const { values } = row
  if (isAccounts(values)) return [accountIn(values, wanted)].flat()
  if (!isPeople(values)) return []
  const user = idIn(row)
  const address = idOf(values.get('email'))
  const isVerified = isTrue(values.get('emailverified'))
  const { email, credentials, passwords } = wanted
  const factor = isTrue(values.get('twofactorenabled')) ? { hasFactor: true as const } : {}
  return [
    email !== undefined && user && address && isVerified
      ? { user, provider: email, account: address, ...factor }
      : [],
    credentials !== undefined && user && hasPassword(values)
      ? { user, provider: credentials, account: user }
      : [],
    passwords && user && hasPassword(values) ? passwordOf(user, hashIn(values)) : [],
  ].flat()
}

/** The addresses, passwords and accounts of all rows, with what one row says of another one's person. */
export function* joined(
  rows: Iterable<readonly [kind: 'accounts' | 'people', account: RowAccount]>,
  { email }: Wanted,
): Generator<FoundAccount> {
  const all = [...rows]
  const addresses = new Map<string, RowAccount>()
  const own = new Set<string | undefined>()
  for (const [kind, one] of all) {
    const { user = '', provider, isPassword } = one
    if (kind === 'people' && provider === email && !isPassword) addresses.set(user, one)
    if (kind === 'accounts' && isPassword) own.add(user)
  }
  for (const [, { isPassword, hasFactor: _, ...account }] of all) if (!isPassword) yield account
  for (const [kind, { isPassword, ...account }] of all) {
    // A column of the person beside better-auth's own account is something else.
    if (!isPassword || (kind === 'people' && own.has(account.user))) continue
    yield ofAddress(account, addresses)
  }
}

function ofAddress(
  { hash, ...password }: FoundAccount,
  addresses: ReadonlyMap<string, RowAccount>,
): FoundAccount {
  const address = addresses.get(password.user ?? '')
  if (!address) return { ...password, why: 'unverified' }
  const known = { ...password, account: address.account as string }
  if (address.hasFactor) return { ...known, why: 'two-factor' }
  return hash === undefined ? { ...known, why: 'bad-hash' } : { ...known, hash }
}

function passwordOf(user: string, hash: string | undefined): RowAccount {
  return { user, provider: PASSWORD, isPassword: true, hash }
}

/** The id of a row itself, in a table of people that of the person; `undefined`: it has none. */
export function idIn({ values }: Row): string | undefined {
  return idOf(values.get('id'))
}

function accountIn(
  values: Row['values'],
  { credentials, passwords }: Wanted,
): RowAccount | readonly RowAccount[] {
  const user = idOf(values.get('userid'))
  const byAuthjs = isAuthjs(values)
  const provider = textOf(
    values.get(byAuthjs && values.has('provider') ? 'provider' : 'providerid'),
  )
  const account = idOf(values.get(byAuthjs ? 'provideraccountid' : 'accountid'))
  const columns = {
    ...(user ? { user } : {}),
    ...(provider ? { provider } : {}),
    ...(account ? { account } : {}),
  }
  // better-auth keeps a password in an account with the person's own id.
  if (provider === 'credential' || values.get('type') === 'credentials') {
    const isOwn = passwords && provider === 'credential' && user !== undefined
    const kept = isOwn ? [passwordOf(user, hashIn(values))] : []
    if (user && credentials !== undefined) {
      return [{ user, provider: credentials, account: user }, ...kept]
    }
    return kept.length > 0 ? kept : { ...columns, why: 'password' as const }
  }
  if (!user || !provider || !account) return { ...columns, why: 'unreadable' as const }
  const issuer = textOf(values.get('issuer')) ?? issuerIn(textOf(values.get('idtoken')))
  return { user, provider, account, issuer }
}

/** `iss` of an ID token, which is not verified: the operator vouches for the whole export. */
function issuerIn(token: string | undefined): string | undefined {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString(),
    )
    const { iss } = claims as { iss?: unknown }
    return typeof iss === 'string' ? iss : undefined
  } catch {
    return undefined
  }
}

function hasPassword(values: Row['values']): boolean {
  return [...values].some(([name, value]) => isOfPassword(name) && Boolean(textOf(value)))
}

/** Has a column, by its plain name, something of a password? */
function isOfPassword(name: string): boolean {
  return name.includes('password')
}

/** A PHC string, modular crypt, Django's own, or better-auth's two numbers. */
const HASH = /^(?:\$|pbkdf2_|[0-9a-f]{32}:)/
/** Characters. */
const MAX_HASH = 512

/** The hash of a row: of several columns with something of a password, such as the token of a reset, the one that looks like a hash. */
function hashIn(values: Row['values']): string | undefined {
  const texts = [...values].flatMap(([name, value]) =>
    isOfPassword(name) ? (textOf(value) ?? []) : [],
  )
  const hash = texts.find((text) => HASH.test(text)) ?? texts[0]
  return hash === undefined || hash.length > MAX_HASH ? undefined : hash
}

function textOf(value: Value): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Bytes that are not UTF-8 were all read as one character, so several ids would become the same. */
function idOf(value: Value): string | undefined {
  const text = textOf(value)
  return text?.includes('\ufffd') ? undefined : text
}

/** `BIT(1)` of MySQL is a byte. */
const YES: ReadonlySet<string> = new Set(['t', 'true', '\u0001'])
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]|$)/
const NUMBER = /^\d+(?:\.\d+)?$/

/**
 * Is the value a date, a number above zero or a yes? Any other value counts as no: databases have several ways to write a
 * zero, and an address that counts by mistake signs a stranger in.
 */
function isTrue(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value > 0
  if (typeof value !== 'string') return false
  if (NUMBER.test(value)) return Number(value) > 0
  return YES.has(value.toLowerCase()) || (DATE.test(value) && Date.parse(value.slice(0, 10)) > 0)
}
