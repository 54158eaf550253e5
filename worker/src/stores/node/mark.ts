import { InvalidConfiguration } from '../../errors.js'
import type { Ledger } from '../ledger/rules.js'
import type { ServiceMark, Stores, StoreWarning } from '../ports.js'

/**
 * The key of the document that names the store's service. It begins as no person's document does,
 * so that no erasure deletes it.
 */
export const MARK_KEY = 'service'

/** The version of its content. */
const VERSION = 1

/** How many other processes may write the mark at the same time. */
const MAX_TRIES = 10

/** A process has one configuration, or a few. */
const MAX_MARKS = 8

type Documents = Pick<Ledger, 'document' | 'changeDocument'>

/**
 * Writes the service's mark into a store, or finds that the store belongs to another service: then
 * nothing is read and written in it, since the same account would be the same person in both, with
 * the ways to sign in that either has added (docs/decisions/stores.md). A
 * process asks once.
 *
 * @param release how an operator takes the mark away
 * @param warnings changes that the operator should make to the store
 */
export function claiming(
  ledger: Documents,
  release: string,
  warnings: () => Promise<readonly StoreWarning[]>,
): NonNullable<Stores['claim']> {
  const checks = new Map<string, Promise<readonly StoreWarning[]>>()
  return (mark) => {
    const name = JSON.stringify([mark.secrets, mark.urls])
    const before = checks.get(name)
    if (before) return before
    // A store that cannot be asked about itself can be used all the same.
    const claim = claimIn(ledger, mark, release).then(() => warnings().catch(() => []))
    if (checks.size >= MAX_MARKS) checks.clear()
    checks.set(name, claim)
    claim.catch((error) => {
      // A store that was out of reach is asked again. A refusal lasts, so that this service does not take a mark's
      // place in the moment in which an operator has taken it away for another one.
      if (!(error instanceof InvalidConfiguration)) checks.delete(name)
    })
    return claim
  }
}

async function claimIn(ledger: Documents, own: ServiceMark, release: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { version = 0, content = null } = (await ledger.document(MARK_KEY)) ?? {}
    const there = content === null ? undefined : markIn(content)
    if (there && !isSame(there, own)) throw new InvalidConfiguration(refusal(release))
    if (there && isNew(there, own)) return
    const next = JSON.stringify({ v: VERSION, secrets: own.secrets, urls: urlsOf(there, own) })
    if (await ledger.changeDocument(MARK_KEY, version, next)) return
  }
  throw new Error('Others change the mark of the store faster than it can be read.')
}

/** An invalid mark belongs to no service: nothing is written over it. */
function markIn(content: string): ServiceMark {
  try {
    const { v, secrets, urls }: Record<string, unknown> = JSON.parse(content)
    if (v === VERSION && areTexts(secrets) && areTexts(urls)) return { secrets, urls }
  } catch {}
  return { secrets: [], urls: [] }
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** Without its `AUTH_URL` a process, such as a job, is known by its secret alone. */
function isSame(there: ServiceMark, own: ServiceMark): boolean {
  const common = own.secrets.filter((digest) => there.secrets.includes(digest))
  const isOther = (digest: string) => {
    const [url, ownUrl] = [urlBy(digest, there), urlBy(digest, own)]
    return url !== '' && ownUrl !== '' && url !== ownUrl
  }
  return common.length > 0 && !common.some(isOther)
}

/**
 * Does it say all that this process knows? After a rotation it has the digests of the former secret too, so that
 * processes that do not have the new one yet can start meanwhile.
 */
function isNew(there: ServiceMark, { secrets: [first = ''], urls }: ServiceMark): boolean {
  return there.secrets.includes(first) && (urls.length === 0 || urlBy(first, there) !== '')
}

/** A process without its `AUTH_URL` keeps the known URLs, as far as it has the secrets. */
function urlsOf(there: ServiceMark | undefined, { secrets, urls }: ServiceMark): readonly string[] {
  if (urls.length > 0 || !there?.urls.length) return urls
  return secrets.map((digest) => urlBy(digest, there))
}

/** The digest of the `AUTH_URL` with the secret of a digest; empty if it is not known. */
function urlBy(digest: string, { secrets, urls }: ServiceMark): string {
  return urls[secrets.indexOf(digest)] ?? ''
}

function refusal(release: string): string {
  return `The store belongs to another service: its mark was made with another AUTH_URL or AUTH_SECRET. Accounts that one service adds would sign people in at the other one, so give this service a store of its own, or AUTH_STORE_PREFIX. If it is the same service, and its AUTH_URL was changed or all its secrets were replaced, take the mark away once and start it again: ${release}`
}
