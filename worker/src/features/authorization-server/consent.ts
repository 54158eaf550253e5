import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { InvalidCheck } from '../../errors.js'
import { logEvent } from '../../http/log-event.js'
import { leadingTo, type Outcome } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import { answerPost } from '../../http/post.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { ownPage } from '../../http/targets.js'
import type { Words } from '../../languages/texts.js'
import { BadRequest } from '../../lib/bad-request.js'
import { readUnended } from '../../session/read.js'
import { destinationOf } from './app-redirect.js'
import { type AuthorizationRequest, judge } from './authorization-request.js'
import { type ConsentAbout, ConsentPage, consentTitle } from './consent-page.js'
import { decideDevice } from './devices/decide.js'
import type { ReadDevice } from './devices/waiting-device.js'
import { findApp, named } from './find-app.js'
import { giveCode } from './give-code.js'
import { type Consent, keepConsent, letIn, type Standing } from './kept-consents.js'
import { countsFor, isRemembered, refuseOrShow } from './let-in.js'
import { parametersIn } from './parameters.js'
import { type App, type Server, serverOf } from './settings.js'

/** How long a person may think. Seconds. */
const LIFE = 10 * 60

/** What a page asks about, sealed into it. */
type Asked =
  | ({ readonly kind: 'code'; readonly query: string } & Pick<Standing, 'version' | 'consent'> &
      Pick<AuthorizationRequest, 'resource' | 'scopes'> & {
        /** The app as its metadata document described it; left out: a configured one. */
        readonly document?: Pick<App, 'name' | 'host' | 'redirectUris'>
      })
  /** @see decideDevice */
  | { readonly kind: 'device'; readonly device: string; readonly read?: ReadDevice }

/** Is a person to be asked, before an app gets a code? */
export function mustAsk(
  { app, redirectUri, prompts, scopes }: AuthorizationRequest,
  consent: Consent | undefined,
): boolean {
  if (prompts.has('consent') || !isRemembered(app, redirectUri)) return true
  if (app.isFirstParty) return false
  if (!consent || !countsFor(consent, app, redirectUri)) return true
  return !scopes.every((scope) => consent.scopes.includes(scope))
}

/** The page that asks whether an app may have a code. */
export function askForCode(
  request: AuthRequest,
  { claims, version, consent }: Standing,
  query: string,
  { app, redirectUri, scopes, resource }: AuthorizationRequest,
): Promise<Outcome> {
  const { name, host } = app
  const document = host && { document: { name, host, redirectUris: [redirectUri] } }
  const about = (words: Words) => ({
    name,
    host,
    destination: destinationOf(redirectUri),
    scopes: scopeTexts(serverOf(request), words, resource, scopes),
    isOffline: scopes.includes('offline_access'),
  })
  const asked: Asked = { kind: 'code', query, resource, scopes, version, consent, ...document }
  return ask(request, claims, asked, about)
}

/** The page that asks about an app, in the session of these claims. */
export async function ask(
  request: AuthRequest,
  claims: SessionClaims,
  asked: Asked,
  about: (words: Words) => ConsentAbout,
): Promise<Outcome> {
  const { sub, sid } = claims
  const head = await formHead(request)
  const { words } = head
  const shown = about(words)
  const sealer = await request.keys.sealer('consent')
  const content = { sub, sid, iss: request.issuer, asked }
  const props = {
    ...head,
    ...shown,
    request: await sealer.seal(content, nowInSeconds(request) + LIFE),
    user: claims.session.user ?? {},
  }
  const page = ConsentPage(props)
  return { kind: 'page', words, title: consentTitle(props), page }
}

/** What scopes allow, in the words that people read. */
export function scopeTexts(
  { resources }: Server,
  { texts: { consent } }: Words,
  resource: string,
  scopes: readonly string[],
): readonly string[] {
  const ours = new Map([
    ['openid', consent.openid],
    ['profile', consent.profile],
    ['email', consent.email],
    ['offline_access', consent.offline],
  ])
  return scopes.flatMap(
    (scope) => ours.get(scope) ?? resources.get(resource)?.scopes.get(scope) ?? [],
  )
}

/**
 * POST /oauth/consent: what a person has decided. Sent twice it gives a code again: the answer of the first may be lost.
 *
 * @throws {InvalidCheck} the request belongs to another session, is altered, or is too old
 */
export function decide(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, async ({ fields }) => {
    const opened = await open(request, fields.request)
    const { decision } = fields
    if (decision !== 'allow' && decision !== 'deny') throw new BadRequest(400, 'Allow or deny.')
    const isAllowed = decision === 'allow'
    const { asked } = opened
    if (asked.kind === 'device') return decideDevice(request, opened.claims, asked, isAllowed)
    // In the place of a session that is over the person may sign in, and is asked again.
    const again = ownPage(request, `${request.issuer}/oauth/authorize?${asked.query}`)
    return leadingTo(again, () => decideCode(request, opened.claims, asked, isAllowed))
  })
}

/** @throws {InvalidCheck} */
async function open(
  request: AuthRequest,
  sealed: unknown,
): Promise<{ readonly claims: SessionClaims; readonly asked: Asked }> {
  const sealer = await request.keys.sealer('consent')
  const content = typeof sealed === 'string' ? await sealer.open(sealed) : undefined
  const { sub, sid, iss, asked } = content ?? {}
  const current = isRecord(asked) && iss === request.issuer ? await readUnended(request) : undefined
  if (current?.claims.sid === sid && current?.claims.sub === sub && current !== undefined) {
    return { claims: current.claims, asked: asked as unknown as Asked }
  }
  throw new InvalidCheck('A consent was altered, is too old, or belongs to another session.')
}

async function decideCode(
  request: AuthRequest,
  claims: SessionClaims,
  asked: Extract<Asked, { kind: 'code' }>,
  isAllowed: boolean,
): Promise<Outcome> {
  const good = judgedAgain(request, asked)
  const { app, redirectUri, resource, scopes } = good
  if (!isAllowed) return refuseOrShow(request, good, 'denied')
  const given = {
    app: app.id,
    resource,
    scopes,
    name: app.name,
    ...(app.host === undefined ? {} : { redirectUri }),
  }
  const kept = isRemembered(app, redirectUri)
    ? await keepConsent(request, claims, given, asked)
    : await letIn(request, claims, given)
  const code = kept && (await giveCode(request, claims, good, kept.rest))
  if (!code) throw new InvalidCheck('A session ended before its person had decided.')
  const { sub } = claims
  if (kept.isNew) await logEvent(request, { event: 'app-allowed', sub, ...named(request, app.id) })
  return code
}

/**
 * The request as it counts now: the app may be gone, or have another redirect URI. The person allows only what they have read,
 * whatever the configuration says since then.
 *
 * @throws {InvalidCheck}
 */
function judgedAgain(
  request: AuthRequest,
  { query, document, resource, scopes }: Extract<Asked, { kind: 'code' }>,
): AuthorizationRequest {
  const parameters = parametersIn(query)
  const clientId = parameters?.get('client_id') ?? ''
  const app = document ? openApp(clientId, document) : findApp(request, clientId)
  const judged =
    app && parameters && judge(serverOf(request), request.issuer, app, parameters, false)
  if (judged?.kind === 'good' && judged.request.resource === resource) {
    const left = judged.request.scopes.filter((scope) => scopes.includes(scope))
    return { ...judged.request, scopes: left }
  }
  throw new InvalidCheck('The app, or the resource, of a consent is not configured any more.')
}

/** An app as its metadata document described it, when the person was asked. */
function openApp(id: string, document: Pick<App, 'name' | 'host' | 'redirectUris'>): App {
  return { id, ...document, secrets: [], isFirstParty: false, isDevice: false, alg: 'ES256' }
}
