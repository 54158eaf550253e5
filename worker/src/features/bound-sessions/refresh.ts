import type { SessionClaims } from '@latchkey/session'
import { StoreUnavailable } from '../../errors.js'
import { logEvent } from '../../http/log-event.js'
import { json, type Outcome } from '../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { oldestPid } from '../../lib/oldest-pid.js'
import { setSessionCookie } from '../../session/issue.js'
import { readSession } from '../../session/read.js'
import { loadSession, sessionEnd } from '../../session/record.js'
import { renewSession } from '../../session/renew.js'
import { isRevoked, revokeSession } from '../../session/revoke.js'
import type { LiveChange, LiveDocument } from '../../stores/ledger/types.js'
import { boundAnswer, ENDED, INVALID } from './answer.js'
import { confirmationOf } from './browser-key.js'
import { type Challenge, type KnownRow, newChallenge, openChallenge } from './challenge.js'
import { headerText, setChallenge } from './headers.js'
import { isOld, MAX_IDENTIFIER, type Named, namedBy, nameOf } from './identifier.js'
import { offerInstead } from './offer.js'
import { faultOf, type Proof, type ProofFault, readProof, warnOf } from './proof.js'
import { type BoundRow, endOf, FASTER, keyOf, MAX_TRIES, ownerOf, rowIn, stateOf } from './row.js'
import { isOn } from './settings.js'

/** The longest proof. Characters. */
const MAX_PROOF = 4_096

/** What a browser asks for. */
interface Asked {
  readonly id: string
  readonly sid: string
  readonly name: string
  readonly proof: Proof | undefined
  /** The challenge of the proof, if it is this session's, and not too old. */
  readonly challenge: Challenge | undefined
}

/** The answer to a request if the session goes on. */
type Verdict = 'good' | 'ask' | ProofFault

/** A row that was read or written, with the version and the answer that it came with. */
interface Found {
  readonly row: BoundRow & { readonly version: number }
  readonly live: LiveDocument
}

/** POST /bound/refresh: the browser proves that it has the key of a session, and gets the next token. */
export async function refresh(request: AuthRequest): Promise<Outcome> {
  const id = headerText(request, 'sec-secure-session-id')
  const text = headerText(request, 'secure-session-response')
  if (id === undefined || id.length > MAX_IDENTIFIER) return INVALID
  if (text !== undefined && text.length > MAX_PROOF) {
    await warnOf(request, 'size')
    return INVALID
  }
  const named = await namedBy(request, id)
  if (!named) return notKnown(request)
  // Its record and row are gone, and the browser would ask for ever.
  if (hasEnded(request, named)) return ENDED
  const { sid } = named
  const name = nameOf(id)
  const proof = text === undefined ? undefined : readProof(text)
  const given = proof?.jti === undefined ? undefined : await openChallenge(request, proof.jti)
  if (proof?.jti !== undefined && !given) return ask(request, { id, name })
  const isOwn = given?.name === name && given.until > nowInSeconds(request)
  return answer(request, { id, sid, name, proof, challenge: isOwn ? given : undefined })
}

/** Is a session beyond the limit of all sessions? */
function hasEnded(request: AuthRequest, { began }: Named): boolean {
  const now = nowInSeconds(request)
  return began !== undefined && sessionEnd(request, now, began) <= now
}

async function answer(request: AuthRequest, asked: Asked): Promise<Outcome> {
  const { sid, name, challenge } = asked
  const { ledger } = request.stores
  let known: KnownRow | undefined = challenge?.row
  // A challenge with its row is later than what had counted in that version.
  let last = 0
  if (!known) {
    const document = await ledger.document(keyOf(sid))
    const row = await rowIn(request, sid, document?.content)
    if (!document || !row) return (await ledger.isRevoked(sid)) ? ENDED : notKnown(request, sid)
    known = { ...row, version: document.version }
    last = row.last
  }
  let verdict = await verdictOf(asked, known)
  if (verdict === 'good' && hasCounted(asked, last)) verdict = 'ask'
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const live: LiveDocument = await ledger.liveDocument(
      keyOf(sid),
      { sid, also: sid, owner: await ownerOf(request, known) },
      await changeFor(request, asked, known, verdict),
    )
    if (live.isOver) return over(request, sid, live)
    const row = await rowIn(request, sid, live.document?.content)
    if (!row || !live.document) return notKnown(request, sid)
    // Another key has taken the place of this identifier's.
    if (row.name !== name) return ENDED
    known = { ...row, version: live.document.version }
    const found = { row: { ...row, version: live.document.version }, live }
    if (live.isChanged) return renew(request, asked, found)
    if (verdict === 'good' && hasCounted(asked, row.last)) verdict = 'ask'
    if (verdict !== 'good') return refuse(request, asked, found, verdict)
  }
  throw new StoreUnavailable(FASTER)
}

/** Has the challenge of a proof counted, or one that was given after it? */
function hasCounted({ challenge }: Asked, last: number): boolean {
  return challenge !== undefined && challenge.at <= last
}

async function verdictOf({ proof, challenge }: Asked, { key }: KnownRow): Promise<Verdict> {
  if (!proof) return 'ask'
  if (proof.jti === undefined) return 'form'
  return challenge ? ((await faultOf(proof, key)) ?? 'good') : 'ask'
}

/** A good proof is counted in the step in which the ledger says that the session goes on. */
async function changeFor(
  request: AuthRequest,
  { sid, challenge }: Asked,
  { version, began }: KnownRow,
  verdict: Verdict,
): Promise<LiveChange | undefined> {
  if (verdict !== 'good' || !challenge) return undefined
  const last = await stateOf(request, sid, challenge.at)
  return { version, last, expires: endOf(request, began) }
}

/** Asks for a proof. @param known the row, so that the proof needs no call to read it */
async function ask(
  request: AuthRequest,
  { id, name }: Pick<Asked, 'id' | 'name'>,
  known?: Found['row'],
): Promise<Outcome> {
  setChallenge(request, await newChallenge(request, { name, row: known }, known?.last), id)
  return { kind: 'empty', status: 403 }
}

/** @param verdict `ask`, or why the proof is not good */
async function refuse(
  request: AuthRequest,
  asked: Asked,
  { row, live }: Found,
  verdict: Exclude<Verdict, 'good'>,
): Promise<Outcome> {
  const session = await claimsOf(request, asked, row)
  const loaded = await loadSession(request, session, { ...standingOf(live) })
  if (loaded === 'over') return over(request, asked.sid, live)
  if (loaded === 'unknown') return notKnown(request, asked.sid)
  if (verdict === 'ask') return ask(request, asked, row)
  await warnOf(request, verdict)
  return INVALID
}

/**
 * The answer for a session that is not known, now or ever: the browser keeps its key and asks again. If a later sign-in has begun
 * another session in this browser, it forgets the key.
 */
async function notKnown(request: AuthRequest, sid?: string): Promise<Outcome> {
  const current = await readSession(request)
  const isOther = current?.state === 'live' && current.claims.sid !== sid
  return isOther ? ENDED : { kind: 'empty' }
}

function over(
  { config, stores, waitUntil }: AuthRequest,
  sid: string,
  live: LiveDocument,
): Outcome {
  if (live.document) {
    waitUntil(stores.ledger.forget(sid).catch((error: Error) => config.logger.error(error)))
  }
  return ENDED
}

/** The answer to a proof that has counted. */
async function renew(request: AuthRequest, asked: Asked, { row, live }: Found): Promise<Outcome> {
  const { id, sid, name } = asked
  const session = await claimsOf(request, asked, row)
  const current = await readSession(request)
  if (current && current.claims.sid !== sid) {
    const isOther = current.state === 'live' || !(await isRevoked(request, current.claims))
    if (isOther) return endBefore(request, session, row)
  }
  // One that has ended here before may be another person's.
  const own = current?.claims.sid === sid ? current.claims : undefined
  const { auth_time, amr } = own && own.auth_time > row.auth_time ? own : row
  const isBound = isOn(request)
  const cnf = isBound ? { cnf: await confirmationOf(row.key) } : {}
  const proof = { auth_time, amr, ...cnf }
  const renewal = await renewSession(request, session, standingOf(live), proof)
  if (renewal === 'over') return over(request, sid, live)
  if (typeof renewal === 'string') return notKnown(request, sid)
  if (!isBound) return letGo(request, sid, renewal)
  if (await isOld(request, id)) await offerInstead(request, renewal, name)
  return boundAnswer(request, id, renewal, row)
}

/** A sign-in has begun another session in this browser, which did not know of this one. */
async function endBefore(
  request: AuthRequest,
  session: SessionClaims,
  { sub, began }: BoundRow,
): Promise<Outcome> {
  const sexp = sessionEnd(request, nowInSeconds(request), began)
  await revokeSession(request, { ...session, sexp })
  await logEvent(request, { event: 'sessions-ended', sub, which: 'one', by: 'sign-in' })
  return ENDED
}

/** The option was switched off: the session goes on as one that is not bound. */
async function letGo(request: AuthRequest, sid: string, claims: SessionClaims): Promise<Outcome> {
  await request.stores.ledger.forget(sid)
  await setSessionCookie(request, claims)
  return json({ continue: false })
}

function standingOf({ isOver, staleUntil }: LiveDocument) {
  return { isOver, ...(staleUntil === undefined ? {} : { staleUntil }) }
}

/** The claims of the session's latest token, as far as they are known without it. */
async function claimsOf(
  request: AuthRequest,
  { sid, challenge }: Asked,
  { sub, began, auth_time, amr, key }: BoundRow,
): Promise<SessionClaims> {
  const { iat = 0, sexp = 0 } = challenge?.token ?? {}
  const pid = await oldestPid(request.keys, sub)
  const { issuer: iss } = request
  const cnf = await confirmationOf(key)
  const later = began === auth_time ? {} : { began }
  return { iss, sub, sid, pid, iat, exp: iat, sexp, auth_time, ...later, amr, cnf, session: {} }
}
