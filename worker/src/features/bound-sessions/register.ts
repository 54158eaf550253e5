import type { SessionClaims } from '@latchkey/session'
import { logEvent } from '../../http/log-event.js'
import { json, type Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { claimsOf, type Proof as PersonProof } from '../../session/issue.js'
import { type GoodSession, readSession } from '../../session/read.js'
import { isStale } from '../../session/record.js'
import { bindSession } from '../../session/renew.js'
import type { LiveDocument, Standing } from '../../stores/ledger/types.js'
import { boundAnswer, INVALID } from './answer.js'
import { type BrowserKey, confirmationOf, keyIn } from './browser-key.js'
import { type Offer, openOffer } from './challenge.js'
import { headerText } from './headers.js'
import { nameOf, newIdentifier } from './identifier.js'
import { faultOf, type ProofFault, readProof, warnOf } from './proof.js'
import { type BoundRow, contentOf, endOf, keyOf, ownerOf, rowIn } from './row.js'

/** A registration has the key of the browser beside all that a proof has. Characters. */
const MAX_REGISTRATION = 8_192

/**
 * POST /bound/register: the browser has made a key for the session that a challenge names, and proves that it has it. After a
 * sign-in at a provider the request comes without our cookie, so that the challenge alone names the session.
 */
export async function register(request: AuthRequest): Promise<Outcome> {
  if (!isFromHere(request)) return json({ error: 'MissingCSRF' }, 403)
  const text = headerText(request, 'secure-session-response') ?? ''
  if (text.length > MAX_REGISTRATION) return refused(request, 'size')
  const proof = readProof(text)
  if (proof.fault) return refused(request, proof.fault)
  const offer = await openOffer(request, proof.jti ?? '')
  if (!offer) return INVALID
  const key = keyIn(proof.jwk)
  if (!key) return refused(request, 'key')
  const fault = await faultOf(proof, key)
  if (fault) return refused(request, fault)
  const current = await readSession(request)
  if (current && current.claims.sid !== offer.sid) return INVALID
  return bind(request, offer, key, current)
}

/**
 * A sibling host can make a browser register here, whose sign-in would then be bound to a key of its choice: the browser says of
 * it `same-site`.
 */
function isFromHere({ original, origin }: AuthRequest): boolean {
  const site = original.headers.get('sec-fetch-site')
  const source = original.headers.get('origin')
  return site === null ? source === null || source === origin : site === 'same-origin'
}

async function refused(request: AuthRequest, fault: ProofFault): Promise<Outcome> {
  await warnOf(request, fault)
  return INVALID
}

async function bind(
  request: AuthRequest,
  offer: Offer,
  key: BrowserKey,
  current: GoodSession | undefined,
): Promise<Outcome> {
  const { sid, sub, began, instead } = offer
  const { ledger } = request.stores
  const life = { sid, also: sid, owner: await ownerOf(request, offer) }
  const live = await ledger.liveDocument(keyOf(sid), life)
  const before = await rowIn(request, sid, live.document?.content)
  if (live.isOver || !mayBind(live, before, instead)) return INVALID
  const identifier = await newIdentifier(request, { sid, began })
  const { auth_time, amr } = latestOf([offer, current?.claims, before])
  const last = before?.last ?? 0
  const row: BoundRow = { sub, began, auth_time, amr, key, name: nameOf(identifier), last }
  const version = live.document?.version ?? live.deleted ?? 0
  const content = await contentOf(request, sid, row)
  const expires = endOf(request, began)
  const keep = async () =>
    (await ledger.liveDocument(keyOf(sid), life, { version, content, expires })).isChanged
  const proof = { auth_time, amr, cnf: await confirmationOf(key) }
  const { iat, sexp } = offer
  const { pid } = life.owner
  const known = { isOver: false, ...(live.staleUntil ? { staleUntil: live.staleUntil } : {}) }
  // The members that a session is found and ended by.
  const claims = { sub, sid, pid, auth_time: began, iat, sexp, amr } as unknown as SessionClaims
  const made = await bindSession(request, claims, known, proof, keep)
  const bound = made === 'unknown' ? await byToken(request, current, proof, known, keep) : made
  if (typeof bound === 'string') return INVALID
  if (instead === undefined) await logEvent(request, { event: 'session-bound', sub })
  return boundAnswer(request, identifier, bound, { ...row, version: version + 1 })
}

/** A session has one key. A new one takes its place when it is to be of another secret. */
function mayBind(
  { document }: LiveDocument,
  before: BoundRow | undefined,
  instead: string | undefined,
): boolean {
  const isFree = document === undefined && instead === undefined
  return isFree || (before !== undefined && before.name === instead)
}

/** Since the offer the person may have proved once more who they are. */
function latestOf(proofs: readonly (PersonProof | undefined)[]): PersonProof {
  const all = proofs.flatMap((proof) => proof ?? [])
  const [first, ...rest] = all as [PersonProof, ...PersonProof[]]
  return rest.reduce((one, other) => (other.auth_time > one.auth_time ? other : one), first)
}

/** KV may not show the record of a session that has just begun: then the token that came says the same, for as long as it lasts. */
async function byToken(
  request: AuthRequest,
  current: GoodSession | undefined,
  proof: PersonProof,
  known: Standing,
  keep: () => Promise<boolean>,
): Promise<SessionClaims | 'unknown'> {
  if (current?.state !== 'live' || isStale(request, current.claims, known)) return 'unknown'
  const { claims } = current
  const { sub, sid, began = claims.auth_time, sexp, iat, exp, session } = claims
  const record = { sub, sid, created: began, expires: sexp }
  if (!(await keep())) return 'unknown'
  return claimsOf(request, record, session, { ...proof, exp }, iat)
}
