import { tooManyAttempts } from '../../../http/limits.js'
import { type Outcome, redirect, showPage } from '../../../http/outcome.js'
import { formHead } from '../../../http/page-head.js'
import { answerPost } from '../../../http/post.js'
import type { AuthRequest } from '../../../http/request.js'
import { ownPage, toSignIn } from '../../../http/targets.js'
import type { Words } from '../../../languages/texts.js'
import { signedIn } from '../../../session/read.js'
import { ask, scopeTexts } from '../consent.js'
import { serverOf } from '../settings.js'
import { standingScopes } from '../tokens.js'
import { type DeviceError, DevicePage } from './device-page.js'
import { tryCode } from './tries.js'
import { homeOfCode, readUserCode, spaced } from './user-code.js'
import { readDevice } from './waiting-device.js'
import { waitsFor } from './waits-for.js'

/** GET /device: the page that takes a device's code (RFC 8628, 3.3). */
export async function showDevice(request: AuthRequest): Promise<Outcome> {
  const code = readUserCode(request.query.get('user_code'))
  if (!(await signedIn(request))) return signInFirst(request, code)
  return show(request, code, undefined)
}

/**
 * POST /device: the page that asks whether the device with a code may use the account. It always asks, since somebody else may have
 * sent the link (RFC 8628, 5.4).
 */
export function enterUserCode(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, async ({ fields }) => {
    const code = readUserCode(fields.user_code)
    const claims = await signedIn(request)
    if (!claims) return signInFirst(request, code)
    const { wait, forgive } = await tryCode(request, claims.sub)
    if (wait > 0) {
      return tooManyAttempts(request, wait, undefined, () => show(request, code, 'rate_limited'))
    }
    const waiting = code === undefined ? undefined : await waitingWith(request, code)
    if (code === undefined || !waiting) return show(request, code, 'wrong_code')
    await forgive()
    const { home, app } = waiting
    const { version } = waiting.read
    // The person allows only what they read here, whatever the configuration says when they decide.
    const scopes = standingScopes(request, waiting.read.device)
    const device = { ...waiting.read.device, scopes }
    const about = (words: Words) => ({
      name: app.name,
      userCode: spaced(code),
      scopes: scopeTexts(serverOf(request), words, device.resource, scopes),
      isOffline: scopes.includes('offline_access'),
    })
    const read = { device, version }
    return ask(request, claims, { kind: 'device', device: home, read }, about)
  })
}

async function waitingWith(request: AuthRequest, code: string) {
  const home = await homeOfCode(request, code)
  const read = await readDevice(request, home)
  const app = read && waitsFor(request, read)
  return app && { home, app, read }
}

function signInFirst(request: AuthRequest, code: string | undefined): Outcome {
  const query = code === undefined ? '' : `?user_code=${spaced(code)}`
  return redirect(toSignIn(request, ownPage(request, `${request.issuer}/device${query}`)))
}

async function show(
  request: AuthRequest,
  code: string | undefined,
  error: DeviceError | undefined,
): Promise<Outcome> {
  const head = await formHead(request)
  const { words } = head
  const page = DevicePage({ ...head, code: code === undefined ? '' : spaced(code), error })
  return showPage(words, words.texts.device.title, page, error ? 400 : 200)
}
