import { wordsFor } from '../../../http/locale.js'
import { logEvent } from '../../../http/log-event.js'
import { json, leadingTo, type Outcome, redirect, showPage } from '../../../http/outcome.js'
import { answerPost } from '../../../http/post.js'
import { type AuthRequest, isJson } from '../../../http/request.js'
import { ownPage, toSignIn } from '../../../http/targets.js'
import { BadRequest } from '../../../lib/bad-request.js'
import { copyTexts } from '../../../pages/copy-buttons.js'
import { Card } from '../../../pages/layout.js'
import { html } from '../../../pages/markup.js'
import { signedIn } from '../../../session/read.js'
import { answerFreshPost, signInFirst } from '../../ways/fresh-post.js'
import { hasShownFactor } from '../../ways/shown-strength.js'
import { serverOf } from '../settings.js'
import { KeyPage } from './key-page.js'
import { listedKeys } from './operations.js'
import { endKeysOf, makeKey } from './own-keys.js'
import { askedInForm, NO_SCOPE, wantedKey } from './wanted-key.js'

/** GET /keys: the API keys of the signed-in person, or 401. */
export async function keys(request: AuthRequest): Promise<Outcome> {
  const claims = await signedIn(request)
  if (!claims) return json({ error: 'SignedOut' }, 401)
  return json({ keys: await listedKeys(request, claims.sub) })
}

/**
 * POST /keys/create: makes a key. Only this answer shows it. The sign-in has to be as fresh and as strong as for another way to sign in.
 */
export function createKey(request: AuthRequest): Promise<Outcome> {
  return answerFreshPost(request, async ({ fields, asker, target }) => {
    const wanted = wantedKey(serverOf(request), askedInForm(fields))
    if (wanted === NO_SCOPE && !wantsData(request)) return chooseFirst(request)
    if (typeof wanted === 'string') throw new BadRequest(400, wanted)
    await request.features.ports.manager?.checkAdding(request, asker)
    if (!(await hasShownFactor(request, asker))) return signInFirst(request, target, '2')
    const made = await makeKey(request, asker.sub, wanted, asker)
    if (!made) return signInFirst(request, target)
    await logEvent(request, { event: 'key-created', sub: asker.sub, by: 'person' })
    if (request.wantsJson) return json({ url: target, ...made })
    const words = await wordsFor(request)
    const { theme } = request.config
    const page = KeyPage({ theme, words, key: made.key, name: wanted.name, target })
    return showPage(words, words.texts.keys.made, page, 200, [copyTexts])
  })
}

function wantsData(request: AuthRequest): boolean {
  return request.wantsJson || isJson(request, 'content-type')
}

/** HTML cannot demand one of several check boxes. */
async function chooseFirst(request: AuthRequest): Promise<Outcome> {
  const words = await wordsFor(request)
  const { keys, errorPages } = words.texts
  const content = html`
    <p class="mid">${keys.choose}</p>
    <a class="button main" href="${request.issuer}/account/keys"><span>${errorPages.toAccount}</span></a>`
  const { theme } = request.config
  return showPage(words, keys.title, Card({ theme, title: keys.title, content }), 400)
}

/** POST /keys/remove: ends one of the person's keys. */
export function removeKey(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, ({ fields, callbackUrl }) => {
    const target = callbackUrl ?? ownPage(request, `${request.issuer}/account/keys`)
    return leadingTo(target, async () => {
      const claims = await signedIn(request)
      if (!claims && request.wantsJson) return json({ error: 'SignedOut' }, 401)
      if (!claims) return redirect(toSignIn(request, target))
      if (typeof fields.key !== 'string') throw new BadRequest(400, 'Send the id of a key.')
      const count = await endKeysOf(request, claims.sub, fields.key)
      if (count > 0)
        await logEvent(request, { event: 'keys-ended', sub: claims.sub, count, by: 'person' })
      return redirect(target)
    })
  })
}
