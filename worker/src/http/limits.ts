import { isRecord } from '@latchkey/session/internal'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { TooManyAttempts } from '../errors.js'
import { digest } from '../lib/digest.js'
import { keyOfSub } from '../lib/key-of-sub.js'
import { ownDetail } from '../lib/own-detail.js'
import { pattern } from '../lib/pattern.js'
import { randomToken } from '../lib/random.js'
import type { AttemptLimit, LedgerDocument } from '../stores/ports.js'
import type { CredentialsConfig } from '../types.js'
import type { Fields } from './body.js'
import { provenNetwork } from './client-network.js'
import { deviceCount, deviceCountOfCodes } from './device-cookie.js'
import { tryByNetwork } from './network-limit.js'
import type { Outcome } from './outcome.js'
import type { AuthRequest } from './request.js'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * May a mail be sent to an address? No mailbox is flooded, and requests of one network do not use
 * up those of the others, nor strangers' those of a browser that has signed in with the address.
 *
 * @param key the address's, in the ledger
 * @returns seconds to wait; 0: go ahead
 * @throws {StoreUnavailable}
 */
export async function waitToMail(request: AuthRequest, key: string): Promise<number> {
  const device = await deviceCount(request, key)
  if (device !== undefined) return wait(request, key, mailsFor(device))
  return wait(request, key, async () => [
    { name: `mails for ${await networkName(request)}`, max: 5, period: HOUR },
    { name: 'mails', max: 10, period: HOUR },
    { name: 'mails of a day', max: 30, period: DAY },
  ])
}

/**
 * May a code be tried for an address? With these limits an attacker who tries codes every day has one
 * chance in thirty thousand a day (OWASP ASVS 6.5.5; NIST SP 800-63B, 3.2.2). A browser that has signed
 * in with the address has as many of its own.
 */
export async function waitToTryCode(request: AuthRequest, key: string): Promise<number> {
  const device = await deviceCount(request, key)
  const whose = device === undefined ? '' : ` by ${device}`
  return wait(request, key, [
    { name: `codes${whose}`, max: 10, period: HOUR },
    { name: `codes of a day${whose}`, max: 30, period: DAY },
  ])
}

/**
 * May a person begin to add another way to sign in? Each one costs what a sign-in costs, and a write.
 *
 * @returns seconds to wait; 0: go ahead
 * @throws {StoreUnavailable}
 */
export async function waitToAdd(request: AuthRequest, sub: string): Promise<number> {
  return waitInLedger(request, [await addsOf(sub)], [{ name: ADDS, max: 200, period: HOUR }])
}

const ADDS = 'adds'

/** The key of the ways that somebody has tried to add. */
export async function addsOf(sub: string): Promise<string> {
  return `ways:${await keyOfSub(sub)}`
}

/** A code of a second factor that somebody tries, as the limits see it. */
export interface FactorAttempt {
  /** Seconds to wait; 0: go ahead. */
  readonly wait: number
  /** To be called when the code was right. */
  readonly forgive: () => Promise<void>
}

/**
 * May a code of a second factor be tried? Counted as passwords are, by network and by person, before it is known
 * whether it is right; a right one ends the count, so that it is of wrong ones in a row. A stranger with the first
 * factor alone has three chances in ten thousand a day (NIST SP 800-63B, 3.2.2), and does not lock out a browser
 * in which the person has given a code before.
 *
 * @param limited the key of the first factor's name, in the ledger
 * @param added when the factor was set up, in seconds
 * @throws {StoreUnavailable}
 */
export async function tryFactor(
  request: AuthRequest,
  sub: string,
  limited: string,
  added: number,
): Promise<FactorAttempt> {
  const key = await factorsOf(sub)
  const device = await deviceCountOfCodes(request, sub, limited, added)
  const here = await tryByNetwork(request, key)
  const fromAnywhere = [
    { name: 'codes', max: 30, period: HOUR },
    { name: 'codes of a day', max: 100, period: DAY },
  ]
  const network = async () => triesFrom(await networkName(request), true)
  const limits =
    here.wait > 0 ? [] : device ? triesBy(device) : [...(await network()), ...fromAnywhere]
  return {
    wait: here.wait || (await waitInLedger(request, [key], limits)),
    async forgive() {
      here.takeBack()
      const names = limits.map(({ name }) => name)
      await request.stores.ledger.forgive(key, names)
    },
  }
}

/** The key of a person's second factor. */
export async function factorsOf(sub: string): Promise<string> {
  return `factor:${await keyOfSub(sub)}`
}

/** What a browser that its owner has signed in with may ask for, whatever strangers do. */
function mailsFor(device: string): readonly AttemptLimit[] {
  return [
    { name: `mails for ${device}`, max: 5, period: HOUR },
    { name: `mails of a day for ${device}`, max: 10, period: DAY },
  ]
}

/** As a network has it for a quarter of an hour, and less in a day than strangers have together. */
function triesBy(device: string): readonly AttemptLimit[] {
  return [
    { name: `tries by ${device}`, max: 10, period: 15 * MINUTE },
    { name: `tries of a day by ${device}`, max: 100, period: DAY },
  ]
}

/** The limits of a network, and of all strangers together. */
function triesFrom(network: string, isShared: boolean): readonly AttemptLimit[] {
  const fromHere = { name: `tries from ${network}`, max: 10, period: 15 * MINUTE }
  const fromAnywhere = { name: 'tries', max: 100, period: HOUR }
  return isShared ? [fromHere] : [fromHere, fromAnywhere]
}

/** An attempt to sign in with credentials, as the limits see it. */
export interface CredentialsAttempt {
  /** Seconds to wait; 0: go ahead. */
  readonly wait: number
  /** To be called when the credentials were right. @returns what the ledger knows of the way to sign in */
  readonly forgive: (way: string) => Promise<LedgerDocument | undefined>
  /** The one name that was typed, in the ledger: after a sign-in with it the browser is known. */
  readonly name: string | undefined
}

/**
 * May these credentials be tried? Counted before it is known whether they are right, so that many
 * at once cannot pass; by person, and more strictly by person and network, so that a stranger
 * elsewhere does not lock the owner out at once (OWASP ASVS 6.1.1). A browser that has signed in as this
 * person is counted by itself, so that a stranger does not lock it out at all.
 *
 * An app may take two spellings of a name for one account or for two. So all spellings are counted together, and a
 * right password takes off the tries with its own spelling alone, and makes the browser known for that spelling.
 */
export async function tryCredentials(
  request: AuthRequest,
  provider: CredentialsConfig,
  fields: Fields,
): Promise<CredentialsAttempt> {
  const named = namesIn(provider, fields)
  const digestOf = (text: string) => digest(['latchkey/limits/v1', provider.id, text], 16)
  const keys = await Promise.all(
    named.map(async ({ folded }) => `credentials:${await digestOf(folded)}`),
  )
  const [all = ''] = keys
  // With several names it is unknown which one signs in: an attacker may add a victim's name.
  const isOne = keys.length === 1
  const exact = isOne ? named[0]?.exact : undefined
  const name = exact === undefined ? undefined : `${all} ${await digestOf(exact)}`
  if (request.attempt && name !== undefined) request.attempt.claimed = all
  const device = name && (await deviceCount(request, name))
  const here = await tryByNetwork(request, all)
  if (here.wait > 0) return { wait: here.wait, name, forgive: async () => undefined }
  const forgive = async (key: string, limits: readonly string[], way: string, of?: string[]) => {
    here.takeBack()
    return (await request.stores.ledger.forgive(key, limits, way, of)) ?? undefined
  }
  if (device) {
    const limits = triesBy(device)
    const names = limits.map(({ name }) => name)
    return {
      wait: await waitInLedger(request, [name], limits),
      name,
      forgive: (way) => forgive(name, names, way),
    }
  }
  // Without a field that names a person all attempts share one key, so the wide limit is left out.
  const isShared = named.some(({ folded }) => folded === '')
  const limits = triesFrom(await networkName(request), isShared)
  // Without one exact name a right try takes itself off, and no other one.
  const part = name ?? randomToken(16)
  const parts = isOne ? limits.map((limit) => ({ ...limit, name: `${limit.name} of ${part}` })) : []
  return {
    wait: await waitInLedger(request, keys, [...limits, ...parts]),
    name,
    forgive: (way) => {
      // Where nothing is forgiven the way is looked for all the same.
      if (!isOne) return forgive(way, [], way)
      const [own, whole] = [parts, limits].map((some) => some.map(({ name }) => name))
      return forgive(all, own ?? [], way, whole)
    },
  }
}

/**
 * The page that a person was on, with status 429 (RFC 6585), so that they can go on from there.
 *
 * @param wait seconds
 * @param page called only if a page is shown
 */
export async function tooManyAttempts(
  { config, path, wantsJson }: AuthRequest,
  wait: number,
  callbackUrl: SafeRedirect | undefined,
  page: () => Promise<Outcome>,
): Promise<Outcome> {
  const error = new TooManyAttempts('Too many attempts.', { cause: ownDetail({ path, wait }) })
  error.retryAfter = wait
  const refusal = { kind: 'refusal', error, callbackUrl } as const
  return wantsJson || config.raw ? refusal : { ...refusal, shown: await page() }
}

/** The network comes first: it is counted close by, which keeps floods from the ledger. */
async function wait(
  request: AuthRequest,
  key: string,
  limits: readonly AttemptLimit[] | (() => Promise<readonly AttemptLimit[]>),
) {
  const here = await tryByNetwork(request, key)
  if (here.wait > 0) return here.wait
  return waitInLedger(request, [key], typeof limits === 'function' ? await limits() : limits)
}

async function waitInLedger(
  { stores }: AuthRequest,
  keys: readonly string[],
  limits: readonly AttemptLimit[],
): Promise<number> {
  const waits: number[] = []
  for (const key of keys) waits.push(await stores.ledger.admit(key, limits))
  return Math.max(0, ...waits)
}

async function networkName(request: AuthRequest): Promise<string> {
  return (await provenNetwork(request)) ?? 'anywhere'
}

const USUAL_NAME = /^(?:user(?:[-_ ]?name)?|e-?mail|login)$/i
/** Many people may share one of these. */
const SHARED_NAME = /^account$/i

/** The most fields of a form that name a person. */
const MAX_PEOPLE = 4

/** Stands for a form with more of them. */
const MANY = ' many'

/** A person that a form names. */
interface Name {
  /** One spelling for all spellings that an app may treat as the same person; empty: the form names no person. */
  readonly folded: string
  /** As it was typed; left out if it is unknown by which text the app finds the person. */
  readonly exact?: string
}

/**
 * The people that a form names: in the fields whose type or name indicates a person, else in the
 * first visible field. Each counts by itself, since the app may use any of them and an attacker may
 * vary the rest.
 */
function namesIn({ credentials }: CredentialsConfig, fields: Fields): readonly Name[] {
  const shown = Object.entries(credentials).filter(
    ([, { type }]) => type !== 'password' && type !== 'hidden',
  )
  const isDeclared = shown.length > 0
  const names = isDeclared ? shown.map(([name]) => name) : Object.keys(fields)
  const isUsual = (name: string) => USUAL_NAME.test(name) || credentials[name]?.type === 'email'
  const usual = names.filter(isUsual)
  const other = names.find((name) => SHARED_NAME.test(name)) ?? (isDeclared ? names[0] : undefined)
  const chosen = usual.length > 0 ? usual : [other].flatMap((name) => name ?? [])
  const people = new Map<string, Name>()
  for (const value of chosen.map((name) => fields[name])) {
    const folded = personIn(value)
    if (!folded) continue
    const before = people.get(folded)
    const isExact = typeof value === 'string' && (!before || before.exact === value)
    people.set(folded, isExact ? { folded, exact: value } : { folded })
  }
  if (people.size === 0) return [{ folded: '' }]
  // No real form has so many. Such requests share one count of their own.
  return people.size > MAX_PEOPLE ? [{ folded: MANY }] : [...people.values()]
}

/**
 * One spelling for all spellings that an app's database may treat as the same person. Marks are removed
 * before as well: to put a run of them in order takes the square of its length, and it may fill the body. Capitals
 * come first, since one mark has a letter for a capital (U+0345).
 */
function personIn(value: unknown): string {
  const letters = textIn(value).toUpperCase().replace(unseen(), '')
  return letters.normalize('NFKD').toLowerCase().toUpperCase().replace(unseen(), '')
}

const unseen = pattern(String.raw`[^\p{L}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}`, 'gu')

/**
 * The text that `String` gives, which most apps use; but for an object that may throw, so each
 * object is another text.
 */
function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(textIn).join()
  return isRecord(value) ? '{}' : String(value ?? '')
}
