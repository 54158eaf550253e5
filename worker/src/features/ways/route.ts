import { AccessDenied, CredentialsSignin } from '../../errors.js'
import { checkCanFinish } from '../../http/known-origin.js'
import { tooManyAttempts } from '../../http/limits.js'
import { logEvent } from '../../http/log-event.js'
import {
  attempting,
  json,
  leadingTo,
  type Outcome,
  type Refusal,
  redirect,
} from '../../http/outcome.js'
import { answerPost } from '../../http/post.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage, toSignIn } from '../../http/targets.js'
import { BadRequest } from '../../lib/bad-request.js'
import { attemptAt, providerOf } from '../../routes/sign-in.js'
import { signedIn } from '../../session/read.js'
import { LIMITED, showSignIn } from '../../sign-in/show-sign-in.js'
import { scopeOfAdding } from '../connections/added.js'
import { adding } from './check-asker.js'
import { confirmWay } from './confirm.js'
import { answerFreshPost, type FreshForm, signInFirst } from './fresh-post.js'
import { waitToAdd } from './limits.js'
import { ownWays } from './list.js'
import { removeWay } from './remove.js'
import { MAX_NAME, renameWay, wayName } from './rename.js'
import { hasShownFactor } from './shown-strength.js'
import { answerStrongPost } from './strong-post.js'

/** GET /ways: the ways of the signed-in person, or 401. */
export async function ways(request: AuthRequest): Promise<Outcome> {
  const claims = await signedIn(request)
  if (!claims) return json({ error: 'SignedOut' }, 401)
  return json({ ways: await ownWays(request, claims) })
}

/** POST /ways/add: starts a sign-in with another way, which is added to the person who is signed in. */
export async function addWay(request: AuthRequest): Promise<Outcome> {
  const outcome = await answerFreshPost(request, (form) => {
    const id = typeof form.fields.provider === 'string' ? form.fields.provider : ''
    return attempting(attemptAt(request, id), () => startAdding(request, id, form))
  })
  return outcome.kind === 'refusal' ? showWhereTyped(request, outcome) : outcome
}

async function startAdding(
  request: AuthRequest,
  id: string,
  { fields, asker, target, needs }: FreshForm,
): Promise<Outcome> {
  const provider = await providerOf(request, id)
  if (!provider.kind.isAddable) {
    throw new AccessDenied(`What the app itself checks cannot be added: provider "${id}".`)
  }
  checkCanFinish(request)
  await request.features.ports.manager?.checkAdding(request, asker)
  if (!(await hasShownFactor(request, asker))) return signInFirst(request, target, '2')
  const wait = await waitToAdd(request, asker.sub)
  const aim = { target, ...needs }
  if (wait > 0) {
    const posted = { of: id, fields }
    return tooManyAttempts(request, wait, target, () =>
      showSignIn(request, aim, LIMITED, { posted }),
    )
  }
  const scope = await scopeOfAdding(request, asker, id, fields.scope)
  const purpose = { ...aim, asker, scope, ...adding.with({ sid: asker.sid }) }
  return provider.kind.start(request, provider, fields, purpose)
}

/**
 * The account page shows a mistake in its own form, and the typed text stays: the sign-in page
 * would sign the person in as another one.
 */
async function showWhereTyped(
  request: AuthRequest,
  { shown, ...refusal }: Refusal,
): Promise<Refusal> {
  const { error, callbackUrl } = refusal
  const page = URL.parse(callbackUrl ?? '')
  const account = `${request.issuer}/account`
  const isOurs = page?.href === account || page?.href.startsWith(`${account}/`)
  if (!page || !isOurs || !(error instanceof CredentialsSignin)) {
    return shown ? { ...refusal, shown } : refusal
  }
  await request.features.ports.typed?.keep(request, refusal)
  return { ...refusal, page }
}

/** POST /ways/remove: removes one of the person's ways. */
export function removeWayOf(request: AuthRequest): Promise<Outcome> {
  return answerFreshPost(request, async ({ fields, asker, target }) => {
    const id = typeof fields.way === 'string' ? fields.way : ''
    const isEnough = await removeWay(request, asker, id)
    return isEnough ? redirect(target) : signInFirst(request, target, '2')
  })
}

/** POST /ways/confirm: a way that a session of one factor has added counts from now on. */
export function confirmWayOf(request: AuthRequest): Promise<Outcome> {
  return answerStrongPost(request, async ({ fields, asker: { sub }, target }, isEnough) => {
    const id = typeof fields.way === 'string' ? fields.way : ''
    const provider = await confirmWay(request, sub, id, isEnough)
    if (provider !== undefined) await logEvent(request, { event: 'way-confirmed', sub, provider })
    return redirect(target)
  })
}

/** POST /ways/rename: gives one of the person's passkeys another name. */
export function renameWayOf(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, async ({ fields, callbackUrl }) => {
    const target = callbackUrl ?? ownPage(request, `${request.issuer}/account`)
    return leadingTo(target, async () => {
      const name = wayName(fields.name)
      if (name === undefined) throw new BadRequest(400, `A name has 1 to ${MAX_NAME} characters.`)
      const asker = await signedIn(request)
      if (!asker && request.wantsJson) return json({ error: 'SignedOut' }, 401)
      if (!asker) return redirect(toSignIn(request, target))
      if (typeof fields.way === 'string') await renameWay(request, asker, fields.way, name)
      return redirect(target)
    })
  })
}
