import type { SessionClaims } from '@latchkey/session'
import { beganAt } from '@latchkey/session/issue'
import type { AuthRequest } from '../../http/request.js'
import { newOffer, type Offer } from './challenge.js'
import { setRegistration } from './headers.js'
import { canBind } from './settings.js'

/** Offers to bind the session of this answer's token to a key of the browser, unless it is bound. */
export async function offerKey(request: AuthRequest, claims: SessionClaims): Promise<void> {
  if (!claims.cnf && canBind(request)) await offerInstead(request, claims)
}

/** @param instead the name of the identifier whose key the new one takes the place of */
export async function offerInstead(
  request: AuthRequest,
  claims: SessionClaims,
  instead?: string,
): Promise<void> {
  const { sid, sub, auth_time, amr, iat, sexp } = claims
  const began = beganAt(claims)
  const { issuer } = request
  const offer: Offer = { issuer, sid, sub, began, auth_time, amr, iat, sexp }
  const all = instead === undefined ? offer : { ...offer, instead }
  setRegistration(request, await newOffer(request, all))
}
