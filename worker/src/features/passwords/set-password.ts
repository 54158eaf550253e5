import { InvalidCheck } from '../../errors.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { hashPassword } from '../../passwords/new-hash.js'
import { signedIn } from '../../session/read.js'
import { isRevoked } from '../../session/revoke.js'
import { isLately, signInFirst } from '../ways/fresh-post.js'
import { isBreached } from './breach.js'
import { contextOf } from './context.js'
import { endOthers, endTakenBack, isUnfinished } from './end-others.js'
import { hashing } from './hasher.js'
import { findCurrent, isTheirs } from './judge.js'
import { type KeptPassword, passwordOf } from './kept-password.js'
import { waitToChange } from './limits.js'
import { announceChange } from './notices.js'
import {
  answerOwnPost,
  hasProvedOtherwise,
  isTooWeak,
  type OwnForm,
  readAsker,
  refused,
} from './own-post.js'
import { writePassword } from './person-password.js'
import { faultOf, normalized, typedIn } from './rules.js'
import { tooManyTries } from './section.js'
import { passwordSettings } from './settings.js'

/** How often a password is judged again after another request has changed it. */
const TRIES = 3

/** POST /password/set. */
export function setPassword(request: AuthRequest): Promise<Outcome> {
  return answerOwnPost(request, async (form) => {
    let now = form
    for (let tries = 0; tries < TRIES; tries++) {
      const outcome = await setOnce(request, now)
      if (outcome) return outcome
      const claims = await signedIn(request)
      if (!claims) throw new InvalidCheck('The session has ended meanwhile.')
      const asker = await readAsker(request, claims)
      if (isTooWeak(request, asker)) return signInFirst(request, form.page, '2')
      now = { ...form, asker }
    }
    throw new InvalidCheck('A password is being changed all the time.')
  })
}

/** @returns `undefined`: another request has changed the password meanwhile */
async function setOnce(request: AuthRequest, form: OwnForm): Promise<Outcome | undefined> {
  const { asker, fields, target, page } = form
  const { claims, read } = asker
  const before = passwordOf(read.person)
  if (!before && !isLately(request, claims)) return signInFirst(request, page)
  if (!before) await request.features.ports.manager?.checkAdding(request, claims)
  const { minLength } = passwordSettings(request)
  const context = await contextOf(request, asker)
  const fault = await faultOf(fields.password, minLength, context)
  if (fault) return refused(request, `password_${fault}`, page)
  const password = normalized(fields.password as string)
  // A place is held for hashes alone: the steps that follow may take seconds.
  const proof = before ? await hashing(request, () => proofOf(request, form, before)) : 'proved'
  if (typeof proof === 'object') return proof
  if (proof === 'wrong') return refused(request, 'wrong_password', page)
  if (proof === 'kept') {
    if (before) await finishChange(request, form, before)
    return redirect(target)
  }
  if (await isBreached(request, password)) return refused(request, 'password_breached', page)
  const hash = await hashing(request, () => hashPassword(password))
  const written = await writePassword(request, asker, before, hash)
  if (!written) return undefined
  // A session that has ended meanwhile changes nothing: its owner may have ended it.
  const change = before ? 'changed' : 'set'
  const told = { sub: claims.sub, person: written.person, by: 'person' } as const
  const ending = before ? endOthers(request, claims) : isRevoked(request, claims).then((is) => !is)
  // The password counts if the store fails now, so its person hears of it: the form again changes nothing.
  const tell = async (error: unknown) => {
    await announceChange(request, change, told)
    throw error
  }
  const isLive = await ending.catch(tell)
  if (!isLive) {
    await written.undo().catch(tell)
    await endTakenBack(request, claims.sub)
    throw new InvalidCheck('The session has ended meanwhile.')
  }
  await announceChange(request, change, told)
  return redirect(target)
}

type Proof = 'proved' | 'wrong' | 'kept'

/** May a person with a password change it? By the current one, or by a sign-in of the last minutes with something else. */
function proofOf(
  request: AuthRequest,
  form: OwnForm,
  before: KeptPassword,
): Promise<Proof | Outcome> {
  const isProved = hasProvedOtherwise(request, form.asker.claims)
  return isProved ? proofOfFresh(request, form, before) : proofOfCurrent(request, form, before)
}

async function proofOfFresh(
  request: AuthRequest,
  form: OwnForm,
  before: KeptPassword,
): Promise<Proof | Outcome> {
  const { sub } = form.asker.claims
  const wait = await waitToChange(request, sub)
  if (wait > 0) return tooManyTries(request, form.page, wait)
  return keptOrProved(request, form, before)
}

/** Either text may be the current password, so each of them is a try. */
async function proofOfCurrent(
  request: AuthRequest,
  form: OwnForm,
  before: KeptPassword,
): Promise<Proof | Outcome> {
  const { asker, page } = form
  const { current, password } = form.fields
  const texts = current === undefined ? [password] : [...new Set([current, password])]
  const found = await findCurrent(request, asker, before, texts)
  if ('text' in found) {
    return found.text === password ? 'kept' : keptOrProved(request, form, before)
  }
  return found.wait > 0 ? tooManyTries(request, page, found.wait) : 'wrong'
}

async function keptOrProved(
  request: AuthRequest,
  { asker, fields }: OwnForm,
  before: KeptPassword,
): Promise<Proof> {
  const read = await isTheirs(request, asker.claims.sub, before, typedIn(fields.password))
  return read ? 'kept' : 'proved'
}

/** The same form again, after the first one has failed before it ended the other sessions. */
async function finishChange(
  request: AuthRequest,
  { asker: { claims, read } }: OwnForm,
  before: KeptPassword,
): Promise<void> {
  const { sub } = claims
  if (!read.person || !(await isUnfinished(request, sub, before))) return
  if (!(await endOthers(request, claims))) return
  await announceChange(request, 'changed', { sub, person: read.person, by: 'person' })
}
