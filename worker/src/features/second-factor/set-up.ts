import { acrOf, beganAt } from '@latchkey/session/issue'
import { InvalidCheck } from '../../errors.js'
import { logRefusal } from '../../http/log-event.js'
import { type Attempt, attempting, leadingTo, type Outcome, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import { answerPost, type Form } from '../../http/post.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { openTarget, toSignIn } from '../../http/targets.js'
import { decodeBase64Url } from '../../lib/base64url.js'
import { copyTexts } from '../../pages/copy-buttons.js'
import { siteName } from '../../pages/theme.js'
import { readPerson } from '../../person/documents.js'
import { setSessionCookie } from '../../session/issue.js'
import { isRevoked } from '../../session/revoke.js'
import { wayOfSession } from '../../session/session-way.js'
import { endFlow, flowId, keepingTarget } from '../../sign-in/flow-cookie.js'
import { finishPendingSignIn } from '../../sign-in/pending.js'
import { purposeOf } from '../../sign-in/step-up.js'
import { describedBy } from '../ways/description.js'
import { signInFirst } from '../ways/fresh-post.js'
import { encodeBase32, inGroups } from './base32.js'
import { isTooLittle, methodsBy, tooLittle } from './demand.js'
import { FactorSetupPage } from './factor-setup-page.js'
import { factorsOf } from './limits.js'
import { notifyOfFactor } from './notices.js'
import { otpauthUri } from './otpauth.js'
import { type Redeemed, redeemPendingSignIn } from './pending-sign-in.js'
import { type SettingUp, setUpFactor } from './person-factor.js'
import { qrCode } from './qr-code.js'
import {
  type Asker,
  askerOf,
  elsewhere,
  findKey,
  isAskedForCode,
  type KeyFlow,
  SESSION,
  setupPage,
  startKey,
  targetOf,
} from './set-up-asker.js'
import { showCodes } from './show-codes.js'
import { isTotp, stepOfCode } from './totp.js'
import { wrongCode } from './wrong-code.js'

/** GET /factor/setup: the key, as a QR code and as text; the same one while its cookie lasts. */
export async function factorSetup(request: AuthRequest): Promise<Outcome> {
  const { query } = request
  const asked = query.get('callbackUrl') ?? undefined
  const asker = await askerOf(request, query.get('flow') ?? undefined)
  if (!asker) return signInFirst(request, setupPage(request, asked))
  if (await isAskedForCode(request, asker)) return elsewhere(request, asker)
  if (request.method === 'HEAD') return { kind: 'empty' }
  const target = await targetOf(request, asker, asked)
  const flow = (await findKey(request, asker)) ?? (await startKey(request, asker, target))
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return show(request, asker, flow, { error, code })
}

/** POST /factor/setup: a code, which shows that the person's app has the key. */
export function setUp(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, async (form) => {
    const chosen = textOf(form, 'flow')
    const asker = await askerOf(request, chosen)
    if (!asker) return signInFirst(request, setupPage(request, undefined))
    // The same one again, of several in this browser.
    const page =
      chosen === undefined
        ? 'factor/setup'
        : `factor/setup?flow=${'flow' in asker ? asker.of : SESSION}`
    if (!('flow' in asker)) return confirmKey(request, asker, form, page)
    const { flow: needs, sub } = asker
    const attempt = { provider: needs.by, sub }
    const confirm = () => confirmKey(request, asker, form, page, attempt)
    return attempting(attempt, () => keepingTarget(request, needs, confirm))
  })
}

async function confirmKey(
  request: AuthRequest,
  asker: Asker,
  form: Form,
  page: string,
  attempt?: Attempt,
): Promise<Outcome> {
  if (await isAskedForCode(request, asker)) return elsewhere(request, asker)
  const flow = await findKey(request, asker, textOf(form, 'key'))
  if (!flow) return tooLate(request, page)
  const key = decodeBase64Url(flow.key) ?? new Uint8Array()
  const code = (textOf(form, 'code') ?? '').replace(/\s/g, '')
  const step = isTotp(code) ? await stepOfCode(key, code, nowInSeconds(request), 0) : undefined
  if (step === undefined) return wrongCode(request, page)
  const target = await openTarget(request, flow)
  return leadingTo(target, async () => {
    const begun = 'flow' in asker ? await purposeOf(request, asker.flow) : {}
    const redeemed = 'flow' in asker ? await redeemPendingSignIn(request, asker.flow) : undefined
    const who = await whoOf(request, asker, redeemed)
    const done = await setUpFactor(request, who, key, step)
    if (!done)
      throw new InvalidCheck('A second factor was set up meanwhile, or its person is gone.')
    endFlow(request, flow)
    const { person, codes } = done
    await notifyOfFactor(request, 'factor-set-up', { sub: asker.sub, person, by: 'person' })
    if (redeemed && 'flow' in asker && isTooLittle(request, asker.flow, person)) {
      await logRefusal(request, tooLittle(), attempt)
      return showCodes(request, codes, toSignIn(request, target))
    }
    if (redeemed) {
      const methods = methodsBy(request, person.factor)
      const read = await readPerson(request, asker.sub)
      const pending = { ...redeemed, purpose: { ...begun, target } }
      const end = await finishPendingSignIn(request, pending, read, methods)
      // It may wait for something else, or lead to the page of new people.
      return showCodes(request, codes, end.kind === 'redirect' ? end.to : target)
    }
    if ('claims' in asker) {
      const amr: typeof asker.claims.amr = [
        ...asker.claims.amr,
        ...methodsBy(request, person.factor),
      ]
      const claims = { ...asker.claims, amr }
      await request.features.ports.binding?.proved(request, claims)
      await setSessionCookie(request, claims)
      await request.features.ports.devices?.remember(
        request,
        await factorsOf(asker.sub),
        asker.sub,
        true,
      )
    }
    return showCodes(request, codes, target)
  })
}

function tooLate({ issuer }: AuthRequest, page: string): Outcome {
  const error = new InvalidCheck('A key was made for another session or sign-in, or too long ago.')
  return { kind: 'refusal', error, page: new URL(`${issuer}/${page}`) }
}

async function whoOf(
  request: AuthRequest,
  asker: Asker,
  redeemed: Redeemed | undefined,
): Promise<SettingUp> {
  const { sub } = asker
  if ('claims' in asker) {
    const { claims } = asker
    const way = await wayOfSession(request, claims)
    const isOver = () => isRevoked(request, claims)
    const isStrong = acrOf(claims.amr) === '2'
    return { sub, began: beganAt(claims), way, isStrong, isOver }
  }
  if (!redeemed) throw new InvalidCheck('No sign-in waits for a second factor in this browser.')
  const { signedIn: proved, way, isOver } = redeemed
  const { provider } = proved.account
  const shown = { way, provider, described: describedBy(proved) }
  return { sub, began: nowInSeconds(request), way: shown, isOver }
}

async function show(
  request: AuthRequest,
  asker: Asker,
  flow: KeyFlow,
  said: { readonly error: string | undefined; readonly code: string | undefined },
): Promise<Outcome> {
  const { config, origin } = request
  const key = decodeBase64Url(flow.key) ?? new Uint8Array()
  const head = await formHead(request)
  const { words } = head
  const page = FactorSetupPage({
    ...head,
    ...said,
    flow: 'flow' in asker ? asker.of : SESSION,
    keyFlow: flowId(flow),
    name: asker.name,
    key: inGroups(encodeBase32(key), ' '),
    qr: qrCode(otpauthUri(key, siteName(config.theme.name) ?? new URL(origin).host, asker.name)),
    isDemanded: 'flow' in asker,
  })
  return showPage(words, words.texts.factorSetup.title, page, 200, [copyTexts])
}

function textOf({ fields }: Form, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
