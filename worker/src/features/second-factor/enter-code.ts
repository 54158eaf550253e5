import type { SafeRedirect } from '../../config/safe-redirect.js'
import { InvalidCheck } from '../../errors.js'
import { tooManyAttempts } from '../../http/limits.js'
import { attempting, type Outcome, redirect, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { homeOf, openTarget, ownPage } from '../../http/targets.js'
import { readPerson } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import { signedIn } from '../../session/read.js'
import { flowId, resuming } from '../../sign-in/flow-cookie.js'
import { finishPendingSignIn } from '../../sign-in/pending.js'
import { LIMITED } from '../../sign-in/show-sign-in.js'
import { answerSignIn } from '../../sign-in/stale-sign-in.js'
import { purposeOf } from '../../sign-in/step-up.js'
import { isWaiting as waits } from '../ways/strength.js'
import { factorOf, isTooLittle, methodsBy, tooLittle } from './demand.js'
import { FactorPage } from './factor-page.js'
import { tryFactor } from './limits.js'
import { notifyOfCode } from './notices.js'
import {
  type FactorFlow,
  findPendingSignIn,
  isWaiting,
  redeemPendingSignIn,
} from './pending-sign-in.js'
import { useCode } from './use-code.js'
import { wrongCode } from './wrong-code.js'

/** GET /factor: asks for a code, in the browser that has given the first factor. */
export async function factorPage(request: AuthRequest): Promise<Outcome> {
  const { query } = request
  const flow = await findPendingSignIn(request)
  if (!flow) throw nothingWaits()
  // It may have been set up meanwhile, in another tab.
  const isSetUp = flow.demand !== 'set-up' || factorOf((await readPerson(request, flow.sub)).person)
  if (!isSetUp) return redirect(ownPage(request, `${request.issuer}/factor/setup`))
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return show(request, flow, { error, code })
}

/** POST /factor: a code, with which the sign-in that waits is completed. */
export function enterFactor(request: AuthRequest): Promise<Outcome> {
  return answerSignIn(request, undefined, async ({ fields }) => {
    const flow = await findPendingSignIn(
      request,
      typeof fields.flow === 'string' ? fields.flow : undefined,
    )
    if (!flow) throw nothingWaits()
    const { sub, by } = flow
    const enter = async (target: SafeRedirect) => {
      // The codes of a deleted person are not counted.
      const read = await readPerson(request, sub)
      const factor = factorOf(read.person)
      if (!factor) return withoutFactor(request, flow)
      if (fields.without === 'code') return withoutCode(request, flow, read, target)
      const attempt = await tryFactor(request, sub, flow.limited, factor.added)
      if (attempt.wait > 0) {
        return tooManyAttempts(request, attempt.wait, target, () => show(request, flow, LIMITED))
      }
      const typed = typeof fields.code === 'string' ? fields.code : ''
      const used = await useCode(request, sub, typed, read)
      if (!used) {
        const page = isByRecovery(request) ? `factor${BY_RECOVERY}` : 'factor'
        if (await isWaiting(request, flow)) return wrongCode(request, page)
        // The same form, sent again: it ends like the first, in the browser with its session.
        if ((await signedIn(request))?.sub === sub) return redirect(target)
        throw new InvalidCheck('A sign-in that waited was finished before, or too long ago.')
      }
      const { person } = used.document
      if (used.by === 'recovery' && person) {
        await notifyOfCode(request, sub, person, by)
      }
      // Also if the app was to be set up: another tab may have done so.
      if (flow.demand !== 'either' && isTooLittle(request, flow, used.document.person)) {
        throw tooLittle()
      }
      const purpose = { ...(await purposeOf(request, flow)), target }
      const redeemed = await redeemPendingSignIn(request, flow)
      await attempt.forgive()
      const methods = methodsBy(request, used.document.person?.factor)
      return finishPendingSignIn(request, { ...redeemed, purpose }, used.document, methods)
    }
    return attempting({ provider: by, sub }, () => resuming(request, flow, enter))
  })
}

/** The query of the page with a field for a recovery code, and of its form. */
const BY_RECOVERY = '?by=recovery'

function isByRecovery({ query }: AuthRequest): boolean {
  return query.get('by') === 'recovery'
}

/**
 * Goes on for a user who leaves out the code of an app that does not count yet: it may be a
 * stranger's app.
 */
async function withoutCode(
  request: AuthRequest,
  flow: FactorFlow,
  person: ReadPerson,
  target: SafeRedirect,
): Promise<Outcome> {
  if (!mayLeaveOut(request, flow, person)) return wrongCode(request, 'factor')
  // The same form, sent again.
  const isOver = !(await isWaiting(request, flow))
  if (isOver && (await signedIn(request))?.sub === flow.sub) return redirect(target)
  const purpose = { ...(await purposeOf(request, flow)), target }
  const redeemed = await redeemPendingSignIn(request, flow)
  return finishPendingSignIn(request, { ...redeemed, purpose }, person)
}

/** May the code be left out? It was not demanded, and the app that gives it waits still. */
function mayLeaveOut(
  request: AuthRequest,
  { demand }: FactorFlow,
  { person }: ReadPerson,
): boolean {
  const factor = factorOf(person)
  return demand === 'either' && factor !== undefined && waits(factor, nowInSeconds(request))
}

/** For a user without a factor, who must set one up. */
function withoutFactor(request: AuthRequest, { demand }: FactorFlow): Outcome {
  if (demand === 'set-up') return redirect(ownPage(request, `${request.issuer}/factor/setup`))
  throw new InvalidCheck('A sign-in waited for a second factor that was removed.')
}

function nothingWaits(): InvalidCheck {
  return new InvalidCheck('No sign-in waits for a second factor in this browser.')
}

async function show(
  request: AuthRequest,
  flow: FactorFlow,
  said: { readonly error: string | undefined; readonly code: string | undefined },
): Promise<Outcome> {
  const head = await formHead(request)
  const { words } = head
  const callbackUrl = await openTarget(request, flow)
  const isOffered = flow.demand === 'either'
  const page = FactorPage({
    ...head,
    ...said,
    isOptional: isOffered && mayLeaveOut(request, flow, await readPerson(request, flow.sub)),
    byRecovery: isByRecovery(request),
    callbackUrl,
    home: homeOf(request, callbackUrl),
    maxAge: flow.maxAge,
    acr: flow.acr,
    flow: flowId(flow),
    name: flow.name,
  })
  return showPage(words, words.texts.factorCode.tab, page)
}
