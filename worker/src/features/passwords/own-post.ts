import type { SessionClaims } from '@latchkey/session'
import { acrOf } from '@latchkey/session/issue'
import type { SafeRedirect } from '../../config/safe-redirect.js'
import { AccessDenied } from '../../errors.js'
import type { Fields } from '../../http/body.js'
import { json, leadingTo, type Outcome, redirect } from '../../http/outcome.js'
import { answerPost } from '../../http/post.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage, toSignIn } from '../../http/targets.js'
import { readFreed } from '../../person/documents.js'
import { signedIn } from '../../session/read.js'
import { isRevoked } from '../../session/revoke.js'
import { isLately, signInFirst } from '../ways/fresh-post.js'
import { hasStrongStep } from '../ways/strength.js'
import { type Asker, askerIn } from './person-password.js'
import { refusalOf } from './rules.js'

/** A POST of a signed-in person with an address, who has shown their second factor. */
export interface OwnForm {
  readonly fields: Fields
  readonly asker: Asker
  /** The page after it. */
  readonly target: SafeRedirect
  /** The page with the form. */
  readonly page: SafeRedirect
}

/** Answers a POST about a person's own password. */
export function answerOwnPost(
  request: AuthRequest,
  handle: (form: OwnForm) => Promise<Outcome>,
): Promise<Outcome> {
  return answerPost(request, ({ fields, callbackUrl }) => {
    const page = sectionPage(request, callbackUrl)
    const target = callbackUrl ?? ownPage(request, `${request.issuer}/account`)
    return leadingTo(target, async () => {
      const claims = await signedIn(request)
      if (!claims && request.wantsJson) return json({ error: 'SignedOut' }, 401)
      if (!claims) return redirect(toSignIn(request, page))
      const isOver = () => isRevoked(request, claims)
      const asker = await askerIn(request, claims, await readFreed(request, claims.sub, isOver))
      if (asker.address === undefined) throw noAddress()
      const { person } = asker.read
      // As for another way to sign in.
      const isWeak = person && acrOf(claims.amr) !== '2' && hasStrongStep(request, person)
      if (isWeak) return signInFirst(request, page, '2')
      return handle({ fields, asker, target, page })
    })
  })
}

function noAddress(): AccessDenied {
  const error = new AccessDenied('A person without an address cannot have a password.')
  error.code = 'no_address'
  return error
}

/** The section of the account page. @param callbackUrl the page after it */
export function sectionPage(request: AuthRequest, callbackUrl?: string): SafeRedirect {
  const page = new URL(`${request.issuer}/account/password`)
  if (callbackUrl !== undefined) page.searchParams.set('callbackUrl', callbackUrl)
  return ownPage(request, page.href)
}

/** The form again, with what is wrong. No typed text is shown again. */
export function refused({ issuer }: AuthRequest, code: string, shown: SafeRedirect): Outcome {
  const page = new URL(`${issuer}/account/password`)
  page.searchParams.set('error', 'CredentialsSignin')
  page.searchParams.set('code', code)
  const callbackUrl = new URL(shown).searchParams.get('callbackUrl')
  if (callbackUrl !== null) page.searchParams.set('callbackUrl', callbackUrl)
  return { kind: 'refusal', error: refusalOf(code), page }
}

/** Has a person just proved themselves by something else than a password? */
export function hasProvedOtherwise(request: AuthRequest, claims: SessionClaims): boolean {
  return claims.amr[0] !== 'password' && isLately(request, claims)
}
