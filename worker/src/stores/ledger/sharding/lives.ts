import { answerOf } from '../answers.js'
import { homeOfDocument } from '../rows.js'
import { documentAfter, isCurrent, liveAnswer, pageOf } from '../rules/lives.js'
import type { Ledger } from '../rules.js'
import type { KeyedDocument, LiveDocument, SessionOwner, Standing } from '../types.js'
import { decideEverywhere, newestDocument } from './documents.js'
import { type Ask, answers, type Home } from './homes.js'
import { standingIn } from './stale.js'

/**
 * One call if one object has the document, the handles and the owner's cut-offs. Other objects are asked before,
 * so that a call that begins after an ending finds it.
 */
export const liveEverywhere: Ask<'liveDocument'> = async (homes, call, key, life, change) => {
  const { own, at } = homes
  const { sid, also, owner } = life
  const [only] = own.length === 1 ? own : []
  // A session whose tokens may be stale is its own second handle.
  const isSession = also === sid
  const handles: readonly (readonly [string, SessionOwner?])[] = [
    [sid, owner],
    ...(also === undefined || isSession ? [] : [[also] as const]),
  ]
  const asked = handles.flatMap(([handle, of]) => {
    const objects = at({ sid: handle, sub: of?.sub }).filter((object) => object !== only)
    return objects.map((object) => standingOf(object, handle, isSession ? of : undefined, of))
  })
  const all = await Promise.all(asked)
  const isOver = all.some((one) => one.isOver)
  const untils = all.flatMap(({ staleUntil }) => staleUntil ?? [])
  const alsoStale = (answer: LiveDocument): LiveDocument => {
    const latest = Math.max(...untils, answer.staleUntil ?? -1)
    return latest < 0 ? answer : { ...answer, staleUntil: latest }
  }
  if (only && !isOver) return alsoStale(await call(only))
  const before = await newestDocument(homes, key)
  if (isOver || !isCurrent(before, change)) {
    return alsoStale(liveAnswer(isOver, false, before))
  }
  const after = documentAfter(before, change)
  const isChanged = await decideEverywhere(
    homes,
    key,
    change.version,
    after.content,
    change.expires,
  )
  return alsoStale(
    liveAnswer(false, isChanged, isChanged ? after : await newestDocument(homes, key)),
  )
}

/** @param user of a session whose tokens may be stale in this object, which is then asked about that too */
async function standingOf(
  object: Ledger,
  handle: string,
  user: SessionOwner | undefined,
  owner: SessionOwner | undefined,
): Promise<Standing> {
  if (!user)
    return {
      isOver: (await answerOf(object, 'isRevoked', owner ? [handle, owner] : [handle])) === true,
    }
  const session: Parameters<Ledger['standing']> = [handle, user]
  const ask = async (one: Ledger) => (await answerOf(one, 'standing', session)) as Standing
  return standingIn(object, ask, session)
}

/** The newest version of each counts, and a deleted one hides older ones. */
export const listEverywhere: Ask<'documentsOf'> = async (
  homes,
  call,
  home,
  kinds,
  _count,
  after,
) => {
  const [first, ...rest] = homes.own as [Ledger, ...Ledger[]]
  if (rest.length === 0) return call(first)
  const args = [home, kinds, homes.counts.at(-1)]
  const lists = (await answers(homes, (object) =>
    answerOf(object, 'documentsOf', args),
  )) as (readonly KeyedDocument[])[]
  const newest = new Map<string, KeyedDocument>()
  for (const document of lists.flat()) {
    const { version = 0 } = newest.get(document.key) ?? {}
    if (document.version >= version) newest.set(document.key, document)
  }
  const there = [...newest.values()].filter(({ content }) => content !== null)
  return pageOf(there, kinds, after)
}

/**
 * The handles end first. Without its document nobody would know which handle to end, if a call fails and is made again; so an
 * object deletes documents in the step in which it ends all of the handles, or once they have ended.
 */
export const endEverywhere: Ask<'endAll'> = async ({ at }, _call, sids, until, keys, left) => {
  const parts = new Map<Ledger, [string[], number, string[]]>()
  const add = (home: Home, which: 0 | 2, name: string) => {
    for (const object of at(home)) {
      const part = parts.get(object) ?? [[], until, []]
      parts.set(object, part)
      part[which].push(name)
    }
  }
  for (const sid of sids) add({ sid }, 0, sid)
  for (const key of keys) add({ name: homeOfDocument(key) }, 2, key)
  const all: readonly Part[] = [...parts]
  const listing = left ? at({ name: left[0] }) : []
  const [only] = all.length === 1 ? all : []
  if (only && listing.length === 1 && listing[0] === only[0]) {
    return (await answerOf(only[0], 'endAll', [...only[1], left])) as EndedAll
  }
  const isLast = ([, [own, , documents]]: Part) => documents.length > 0 && own.length < sids.length
  const first = all.filter((part) => !isLast(part))
  const last = all.filter(isLast)
  // One that is alone in this ends its handles in the same step.
  const steps =
    last.length > 1 ? [[...first, ...handlesOf(last)], documentsOf(last)] : [first, last]
  for (const step of steps) {
    await Promise.all(step.map(([object, part]) => answerOf(object, 'endAll', part)))
  }
  return undefined
}

type EndedAll = Awaited<ReturnType<Ledger['endAll']>>

/** What one object ends and deletes. */
type Part = readonly [Ledger, readonly [sids: readonly string[], number, keys: readonly string[]]]

function handlesOf(parts: readonly Part[]): Part[] {
  const some = parts.filter(([, [sids]]) => sids.length > 0)
  return some.map(([object, [sids, until]]) => [object, [sids, until, []]])
}

function documentsOf(parts: readonly Part[]): Part[] {
  return parts.map(([object, [, until, keys]]) => [object, [[], until, keys]])
}
