import { isRecord } from '@latchkey/session/internal'
import type { Fields } from '../../http/body.js'
import { deviceCount } from '../../http/device-cookie.js'
import { networkName, triesBy, triesFrom, waitInLedger } from '../../http/limits.js'
import { tryByNetwork } from '../../http/network-limit.js'
import type { AuthRequest } from '../../http/request.js'
import { digest, randomToken } from '../../lib/base64url.js'
import { pattern } from '../../lib/pattern.js'
import { USUAL_FIELDS } from '../../pages/provider-forms.js'
import type { LedgerDocument } from '../../stores/ledger/types.js'
import type { CredentialsConfig } from '../../types.js'

/** An attempt to sign in with credentials, as the limits see it. */
export interface CredentialsAttempt {
  /** Seconds to wait; 0: go ahead. */
  readonly wait: number
  /** To be called when the credentials were right. @returns what the ledger knows of the way to sign in */
  readonly forgive: (way: string) => Promise<LedgerDocument | undefined>
  /** The one name that was typed, in the ledger: after a sign-in with it the browser is known. */
  readonly name: string | undefined
  /** The person that the log may name, if the attempt fails: the key of the one that the form names. */
  readonly claimed: string | undefined
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
  provider: WithFields,
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
  const claimed = name === undefined ? undefined : all
  const device = name && (await deviceCount(request, name))
  const here = await tryByNetwork(request, all)
  if (here.wait > 0) return { wait: here.wait, name, claimed, forgive: async () => undefined }
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
      claimed,
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
    claimed,
    forgive: (way) => {
      // No try is forgiven here, but the call also answers the way.
      if (!isOne) return forgive(way, [], way)
      const [own, whole] = [parts, limits].map((some) => some.map(({ name }) => name))
      return forgive(all, own ?? [], way, whole)
    },
  }
}

const USUAL_NAME = /^(?:user(?:[-_ ]?name)?|e-?mail|login)$/i
/** Many people may share one of these. */
const SHARED_NAME = /^account$/i

/** The most fields of a form that name a person. */
const MAX_PEOPLE = 4

/** A provider whose fields are known, since each has a form. */
type WithFields = CredentialsConfig & Required<Pick<CredentialsConfig, 'credentials'>>

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
 * vary the rest. If no declared field names anybody, or the app declares none, the fields that were sent count: an app's own
 * page may send others than the form by default.
 */
function namesIn({ credentials }: WithFields, fields: Fields): readonly Name[] {
  const declared = credentials === USUAL_FIELDS ? {} : credentials
  const shown = Object.entries(declared).flatMap(([name, { type }]) =>
    type === 'password' || type === 'hidden' ? [] : name,
  )
  const isUsual = (name: string) => USUAL_NAME.test(name) || declared[name]?.type === 'email'
  const sent = Object.keys(fields)
  const named = peopleIn(namingIn(shown, isUsual, shown[0]), fields)
  const people = named.size > 0 ? named : peopleIn(namingIn(sent, isUsual), fields)
  if (people.size === 0) return [{ folded: '' }]
  // No real form has so many. Such requests share one count of their own.
  return people.size > MAX_PEOPLE ? [{ folded: MANY }] : [...people.values()]
}

/** The names of the fields that name a person. */
function namingIn(
  names: readonly string[],
  isUsual: (name: string) => boolean,
  first?: string,
): readonly string[] {
  const usual = names.filter(isUsual)
  if (usual.length > 0) return usual
  return [names.find((name) => SHARED_NAME.test(name)) ?? first].flatMap((name) => name ?? [])
}

/** By one spelling for all. */
function peopleIn(names: readonly string[], fields: Fields): Map<string, Name> {
  const people = new Map<string, Name>()
  for (const value of names.map((name) => fields[name])) {
    const folded = personIn(value)
    if (!folded) continue
    const before = people.get(folded)
    const isExact = typeof value === 'string' && (!before || before.exact === value)
    people.set(folded, isExact ? { folded, exact: value } : { folded })
  }
  return people
}

/**
 * One spelling for all spellings that an app's database may treat as the same person. Marks are removed
 * before as well: to order a run of marks takes quadratic time, and a run may fill the body. Capitals
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
