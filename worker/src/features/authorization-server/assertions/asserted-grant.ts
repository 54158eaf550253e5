import { isRecord } from '@latchkey/session/internal'
import { acrOf } from '@latchkey/session/issue'
import { StoreUnavailable } from '../../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { digest } from '../../../lib/base64url.js'
import { companyOf } from '../../../lib/company-id.js'
import { oldestPid } from '../../../lib/oldest-pid.js'
import type { LedgerDocument } from '../../../stores/ledger/types.js'
import type { Authorization } from '../authorization.js'
import { endAbove, type Grant, keyOf, lifeOf } from '../grant.js'
import { contentOf, grantIn } from '../grant-document.js'
import { ledgerOf, ofItself } from '../grant-ledger.js'
import { refreshSealer } from '../refresh-token.js'
import type { Granted } from '../tokens.js'

/** What an assertion says that a person lets an app do. */
export type Asserted = Omit<Authorization, 'handle' | 'sid' | 'session' | 'sexp' | 'pid'>

/** A grant that goes on, and up to when its tokens are stale, as the ledger has just said. */
type StandingGrant = Grant & Pick<Granted, 'staleUntil'>

const DAY = 24 * 60 * 60

/** An ended handle is known for a day, by whatever clock. Seconds. */
const REMEMBERED = 2 * DAY

/** The most handles that an assertion tries, beside the first one. */
const TRIES = 4

/** The most handles of a day. */
const MAX_GENERATIONS = 1_000

/**
 * The one grant of a person, an app and a resource that rests on assertions. Its handle follows from these, so that each assertion
 * finds it, and has another one after each ending: verifiers refuse an ended one. With one call of the ledger if it is there, and a
 * second one if it begins.
 *
 * @returns `undefined`: it has ended since the assertion was issued, or all that the person has
 * @throws {StoreUnavailable}
 */
export async function assertedGrant(
  request: AuthRequest,
  asserted: Asserted,
): Promise<StandingGrant | undefined> {
  const first = await tryHandle(request, asserted, 0)
  if (first) return first
  const { ended, next } = endingIn(
    await ledgerOf(request).document(endingKey(asserted, await nameOf(asserted))),
  )
  if (ended !== undefined && asserted.began <= ended) return undefined
  for (let generation = next; generation < next + TRIES; generation++) {
    const grant = await tryHandle(request, asserted, generation)
    if (grant) return grant
  }
  return undefined
}

/** @returns `undefined`: the handle has ended, or all that the person has that began by then */
async function tryHandle(
  request: AuthRequest,
  asserted: Asserted,
  generation: number,
): Promise<StandingGrant | undefined> {
  const { sub, amr, scopes } = asserted
  const handle = await handleOf(request, asserted, generation)
  const now = nowInSeconds(request)
  const pid = await oldestPid(request.keys, sub)
  const life = lifeOf({ sub, handle, sid: undefined, began: asserted.began, pid })
  const key = keyOf(sub, handle)
  const sexp = Number.MAX_SAFE_INTEGER
  const facts = {
    ...{ ...asserted, handle, sid: undefined, sexp, added: now, acr: acrOf(amr) },
    ...{ ...companyOf(amr), asserted: generation },
  }
  const [sealer] = (await refreshSealer(request)).ids
  const content = await contentOf(request, facts, asserted, [{ at: now, key: sealer }])
  const live = (version: number) => ledgerOf(request).liveDocument(key, life, { version, content })
  let answer = await live(0).catch(() => live(0))
  // The rest of one that was deleted, whose handle counts again.
  if (!answer.isOver && !answer.document && answer.deleted !== undefined) {
    answer = await live(answer.deleted)
  }
  if (answer.isOver || !answer.document) return undefined
  const grant = { ...grantIn(sub, handle, answer.document), staleUntil: answer.staleUntil }
  if (answer.isChanged || answer.document.content === content) {
    await endAbove(request, grant)
    return grant
  }
  const isKnown = scopes.every((scope) => grant.scopes.includes(scope))
  if (!isKnown) await addScopes(request, grant, answer.document, facts)
  return grant
}

/** `GET /apps` shows all that the app was given. A faster request, or a fault, leaves it to the next assertion. */
async function addScopes(
  request: AuthRequest,
  grant: Grant,
  { version }: LedgerDocument,
  facts: Omit<Grant, 'version' | 'uses' | 'sealed'> & Asserted,
): Promise<void> {
  const scopes = [...new Set([...grant.scopes, ...facts.scopes])]
  const changed = { ...facts, scopes, added: grant.added }
  const content = await contentOf(request, changed, facts, grant.uses)
  const key = keyOf(grant.sub, grant.handle)
  await ledgerOf(request)
    .changeDocument(key, version, content)
    .catch((error: Error) => request.config.logger.error(error))
}

/**
 * Notes that grants end now, before they do: assertions that were issued by then give nothing, and newer ones begin another grant.
 * Grants that rest on no assertion are left out.
 *
 * @throws {StoreUnavailable} the grants have not ended
 */
export async function noteEnded(request: AuthRequest, grants: readonly Grant[]): Promise<void> {
  const now = nowInSeconds(request)
  for (const grant of grants) {
    if (grant.asserted === undefined) continue
    const key = endingKey(grant, await nameOf(grant))
    for (let tries = 0; ; tries++) {
      const document = await ledgerOf(request).document(key)
      const known = endingIn(document)
      const content = JSON.stringify({
        ended: Math.max(now, known.ended ?? 0),
        next: Math.min(Math.max(known.next, grant.asserted + 1), MAX_GENERATIONS),
      })
      const change = { version: document?.version ?? 0, content, expires: now + REMEMBERED }
      const life = ofItself(grant.handle)
      const answer = await ledgerOf(request).liveDocument(key, life, change)
      // One that is over has a note.
      if (answer.isOver || answer.document?.content === content) break
      if (tries >= TRIES) throw new StoreUnavailable('The end of a grant cannot be noted.')
    }
  }
}

function endingIn(document: LedgerDocument | undefined): {
  readonly ended: number | undefined
  readonly next: number
} {
  const none = { ended: undefined, next: 1 }
  if (typeof document?.content !== 'string') return none
  try {
    const content: unknown = JSON.parse(document.content)
    const { ended, next } = isRecord(content) ? content : {}
    if (Number.isSafeInteger(ended) && Number.isSafeInteger(next)) {
      return { ended: ended as number, next: next as number }
    }
  } catch {
    // Then nothing is known of an ending but what the ledger says of handles.
  }
  return none
}

function nameOf({ sub, app, resource }: Pick<Grant, 'sub' | 'app' | 'resource'>): Promise<string> {
  return digest(['latchkey/asserted/v1', sub, app, resource], 16)
}

function endingKey({ sub }: Pick<Grant, 'sub'>, name: string): string {
  return `ended\n${sub}\n${name}`
}

/** Where the rows of its person are, as each handle. */
async function handleOf(
  { stores }: AuthRequest,
  { sub, app, resource }: Asserted,
  generation: number,
): Promise<string> {
  const name = await digest(['latchkey/asserted/v1', sub, app, resource, String(generation)], 16)
  return stores.drawSid?.(sub, undefined, name) ?? name
}
