import type { SessionClaims } from '@latchkey/session'
import { toSession } from '@latchkey/session/issue'
import { CallbackFailed, StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import type { Binding, ClaimedStanding } from '../../service/session-hooks.js'
import { runCallback } from '../../session/callbacks.js'
import { ownerOf } from '../../session/revoke.js'
import { offerKey } from './offer.js'
import { contentOf, endOf, FASTER, isProved, keyOf, MAX_TRIES, rowIn } from './row.js'
import { settingsOf } from './settings.js'
import { unboundPage } from './unbound-page.js'

/** What the core asks about keys of browsers, while the option is on. */
export const binding: Binding = {
  offer: offerKey,
  standing,
  endsUnbound,
  proved,
  boundOf,
  async forget(request, sids) {
    const bound = await boundOf(request, sids)
    await Promise.all([...bound].map((sid) => request.stores.ledger.forget(sid)))
  },
  label: ({ texts }) => texts.boundSessions.label,
  page: unboundPage,
}

/** With the one call by which the ledger says whether a session goes on. */
async function standing({ stores }: AuthRequest, claims: SessionClaims): Promise<ClaimedStanding> {
  const { sid } = claims
  const life = { sid, also: sid, owner: ownerOf(claims) }
  const { isOver, staleUntil, document } = await stores.ledger.liveDocument(keyOf(sid), life)
  return {
    isOver,
    ...(staleUntil === undefined ? {} : { staleUntil }),
    // Before the first proof the browser may not have got the answer to its registration.
    ...(document && isProved(document.content) ? { isNobody: true } : {}),
  }
}

async function endsUnbound(request: AuthRequest, claims: SessionClaims): Promise<boolean> {
  const { required } = settingsOf(request)
  if (typeof required === 'boolean') return required
  const { sub, amr } = claims
  const { user = {} } = toSession(claims)
  const answer: unknown = await runCallback(CallbackFailed, 'boundSessions.required', () =>
    required({ sub, user, amr }),
  )
  if (typeof answer === 'boolean') return answer
  throw new CallbackFailed('boundSessions.required must return true or false.')
}

async function proved(request: AuthRequest, claims: SessionClaims): Promise<void> {
  const { sid, auth_time, amr, cnf } = claims
  if (!cnf) return
  const { ledger } = request.stores
  const life = { sid, also: sid, owner: ownerOf(claims) }
  let { document } = await ledger.liveDocument(keyOf(sid), life)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await rowIn(request, sid, document?.content)
    // Its proofs are not renewed any more either.
    if (!row || !document) return
    const content = await contentOf(request, sid, { ...row, auth_time, amr })
    const { version } = document
    const expires = endOf(request, row.began)
    const change = { version, content, expires }
    const live = await ledger.liveDocument(keyOf(sid), life, change)
    if (live.isChanged || live.isOver) return
    document = live.document
  }
  throw new StoreUnavailable(FASTER)
}

async function boundOf(
  { stores }: AuthRequest,
  sids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (sids.length === 0) return new Set()
  const entries = sids.map((sid) => ({ key: keyOf(sid), content: null }))
  const documents = await stores.ledger.insertDocuments(entries)
  return new Set(sids.filter((_, index) => documents[index]?.content))
}
