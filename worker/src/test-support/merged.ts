import type { SessionClaims } from '@latchkey/session'
import { deriveKeyRing } from '../lib/key-ring.js'
import { hasMoved, isBlocked, type Person, type PersonWay, withWay } from '../person/person.js'
import { subjectOf } from '../person/subject.js'
import { personKey, subjectKey, type WayDocument, wayKey } from '../person/way-document.js'
import type { Ledger } from '../stores/ledger/rules.js'
import { secret } from './browser.js'

/**
 * Writes what version 0.2 wrote until a person was another one, by `ways: { merge: true }`. The service finishes such a
 * merge before the next change of that other person's ways.
 *
 * @param into the session of the other person
 * @param given the id that the app has given the account
 * @returns `false`: that version would have refused it, or another request was faster
 */
export async function decideMerge(
  ledger: Ledger,
  { sub, amr, session }: SessionClaims,
  [provider, account]: readonly [provider: string, account: string],
  given?: string,
): Promise<boolean> {
  const own = await subjectOf(provider, account)
  const way = provider === 'email' ? `email:${own}` : own
  const document = await read<WayDocument>(ledger, wayKey(way))
  if (document.content && 'removed' in document.content) return false
  const from = document.content?.owner ?? given ?? own
  const theirs = await read<Person>(ledger, personKey(from))
  const known = hasMoved(theirs.content) ? undefined : theirs.content
  const isBusy =
    known?.mergedInto !== undefined || known?.erasing || known?.ways.some((one) => one.state)
  if (from === sub || isBusy || isBlocked(theirs.content)) return false
  if (!document.content) await document.write({ owner: from, first: true })
  const name = `${account} at ${provider}`
  const list = known ?? { ways: [await entryOf(way, provider, { name, account })] }
  const mine = await read<Person>(ledger, personKey(sub))
  if (mine.content?.mergedInto !== undefined || mine.content?.erasing || isBlocked(mine.content)) {
    return false
  }
  const { isAlone: _, ...before } = mine.content ?? {
    ways: [await firstOf(ledger, sub, amr[0] ?? '', session)],
  }
  const since = Math.floor(Date.now() / 1000)
  const pending = list.ways.map((one): PersonWay => ({ ...one, state: 'adding', since, from }))
  const both = pending.reduce<Person>((all, one) => withWay(all, one.way, one), before)
  return (await mine.write(both)) && (await theirs.write({ ...list, mergedInto: sub }))
}

/** The way of a person without a list, which begins with it. */
async function firstOf(
  ledger: Ledger,
  sub: string,
  provider: string,
  { user }: SessionClaims['session'],
): Promise<PersonWay> {
  const claim = await read<{ readonly way: string }>(ledger, subjectKey(sub))
  const way = provider === 'email' ? `email:${sub}` : (claim.content?.way ?? sub)
  const document = await read<WayDocument>(ledger, wayKey(way))
  if (!document.content) await document.write({ owner: sub, first: true })
  const { name, email } = user as { name?: string; email?: string }
  return entryOf(way, provider, { ...(name ? { name } : {}), ...(email ? { address: email } : {}) })
}

async function entryOf(way: string, provider: string, described: object): Promise<PersonWay> {
  const ring = await deriveKeyRing([secret], Date.now)
  const sealed = await (await ring.sealer('way')).seal(
    { way, ...described },
    Number.MAX_SAFE_INTEGER,
  )
  return { way, provider, added: null, used: null, sealed }
}

/** A document, and how to write it as long as it is the same. */
async function read<Content>(ledger: Ledger, key: string) {
  const { version = 0, content } = (await ledger.document?.(key)) ?? {}
  return {
    content: typeof content === 'string' ? (JSON.parse(content) as Content) : undefined,
    write: async (next: object) =>
      (await ledger.changeDocument?.(key, version, JSON.stringify(next))) ?? false,
  }
}
