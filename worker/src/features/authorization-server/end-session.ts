import { readBytes } from '../../http/body.js'
import { type Outcome, redirect, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import { answerPost } from '../../http/post.js'
import { type AuthRequest, looksAhead } from '../../http/request.js'
import { ownPage } from '../../http/targets.js'
import { BadRequest } from '../../lib/bad-request.js'
import { endHere } from '../../routes/sign-out.js'
import { checkSkipped, isGood, readSessions } from '../../session/read.js'
import { answerAt, originUriOf } from './app-redirect.js'
import { EndSessionPage } from './end-session-page.js'
import { findApp } from './find-app.js'
import { type Hint, readHint } from './id-token-hint.js'
import { type Parameters, parametersIn } from './parameters.js'

/** The longest query: an ID token is in it. Characters. */
const MAX_QUERY = 8_192

/** What a page that asks keeps in its form. */
const KEPT = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const

/**
 * GET and POST /oauth/end-session: an app signs a person out here too (OpenID Connect RP-Initiated Logout 1.0). An ID token of
 * this browser's session does it at once; without one a page asks, since a link must not sign anyone out.
 */
export async function endSession(request: AuthRequest): Promise<Outcome> {
  const { method, original } = request
  if (method === 'HEAD') return { kind: 'empty' }
  if (method === 'POST') return fromForm(request)
  if (looksAhead(request)) return { kind: 'empty', status: 503 }
  const start = original.url.indexOf('?') + 1
  const parameters = parametersOf(start === 0 ? '' : original.url.slice(start))
  const hint = await hintIn(request, parameters)
  const next = await afterwards(request, parameters, hint)
  if (!(await mayBeSignedIn(request))) return next
  const { own } = await readSessions(request)
  if (hint?.sid !== undefined && hint.sid === own?.claims.sid) {
    await endHere(request)
    return next
  }
  const head = await formHead(request)
  const { words } = head
  const kept = KEPT.map((name) => [name, parameters.get(name)] as const)
  const page = EndSessionPage({ ...head, kept, user: own?.session.user ?? null })
  return showPage(words, words.texts.signOut.title, page)
}

/** The form of the page, with its csrf token, or one of an app, which brings no session cookie until it comes as a GET. */
async function fromForm(request: AuthRequest): Promise<Outcome> {
  const parameters = new URLSearchParams(await textOf(request.original.clone() as Request))
  const query = String(parameters)
  if (!parameters.has('csrfToken')) {
    // An address must not have other fields that an app has put into its form.
    const kept = [...parameters].filter(([name]) => (KEPT as readonly string[]).includes(name))
    const asked = String(new URLSearchParams(kept))
    if (asked.length > MAX_QUERY) throw tooLong()
    const to = ownPage(request, `${request.issuer}/oauth/end-session?${asked}`)
    return { kind: 'redirect', to, status: 303 }
  }
  const next = async () => {
    const read = parametersOf(query)
    return afterwards(request, read, await hintIn(request, read))
  }
  return answerPost(
    request,
    async () => {
      const answer = await next()
      await endHere(request)
      return answer
    },
    // The second of two clicks.
    async () => ((await mayBeSignedIn(request)) ? undefined : next()),
  )
}

async function mayBeSignedIn(request: AuthRequest): Promise<boolean> {
  checkSkipped(request)
  const { all } = await readSessions(request)
  return all.some(isGood) || request.features.ports.absentSession?.mayCome(request) === true
}

/** @throws {BadRequest} */
async function textOf(original: Request): Promise<string> {
  const type = original.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') throw new BadRequest(415, 'Send a form.')
  return new TextDecoder().decode(await readBytes(original))
}

/** @throws {BadRequest} */
function parametersOf(query: string): Parameters {
  const parameters = query.length > MAX_QUERY ? undefined : parametersIn(query)
  if (!parameters) throw tooLong()
  return parameters
}

function tooLong(): BadRequest {
  return new BadRequest(400, 'The query is too long.')
}

/** The ID token that the app shows as a hint. If the request has a `client_id`, the token has to be for the same app. */
async function hintIn(
  request: AuthRequest,
  { get, repeated }: Parameters,
): Promise<Hint | undefined> {
  const token = repeated.has('id_token_hint') ? undefined : get('id_token_hint')
  const hint = token === undefined ? undefined : await readHint(request, token)
  return hint && (get('client_id') ?? hint.app) === hint.app ? hint : undefined
}

/** Where the browser goes then: to an address of the app, or to the sign-in page. */
async function afterwards(
  request: AuthRequest,
  { get, repeated }: Parameters,
  hint: Hint | undefined,
): Promise<Outcome> {
  const names = ['client_id', 'post_logout_redirect_uri', 'state'] as const
  const [clientId = hint?.app, asked, state] = names.map((name) =>
    repeated.has(name) ? undefined : get(name),
  )
  const app = clientId === undefined ? undefined : findApp(request, clientId)
  const uri = app && asked !== undefined ? originUriOf(app, asked, hint !== undefined) : undefined
  if (uri === undefined) return redirect(ownPage(request, `${request.issuer}/signin`))
  return redirect(answerAt(uri, { state }))
}
