import { InvalidCheck } from '../../errors.js'
import { tooManyAttempts } from '../../http/limits.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import { signedIn } from '../../session/read.js'
import { isRevoked } from '../../session/revoke.js'
import { isLately, signInFirst } from '../ways/fresh-post.js'
import { isBreached } from './breach.js'
import { contextOf } from './context.js'
import { endOthers, isUnfinished } from './end-others.js'
import { hashing } from './hasher.js'
import { countWrong, isTheirs } from './judge.js'
import { type KeptPassword, passwordOf } from './kept-password.js'
import { forgiveWrong, isInRow, tryPassword } from './limits.js'
import { announceChange } from './notices.js'
import { newHash } from './own-hash.js'
import { answerOwnPost, hasProvedOtherwise, type OwnForm, refused } from './own-post.js'
import { askerIn, writePassword } from './person-password.js'
import { faultOf, normalized, typedIn } from './rules.js'
import { showSection } from './section.js'
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
      const read = await readPerson(request, claims.sub)
      now = { ...form, asker: await askerIn(request, claims, read) }
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
  const { minLength } = passwordSettings(request)
  const context = await contextOf(request, asker)
  const fault = await faultOf(fields.password, minLength, context)
  if (fault) return refused(request, `password_${fault}`, page)
  const password = normalized(fields.password as string)
  // A place is held for hashes alone: what follows may take seconds.
  const proof = before ? await hashing(request, () => proofOf(request, form, before)) : 'proved'
  if (typeof proof === 'object') return proof
  if (proof === 'wrong') return refused(request, 'wrong_password', page)
  if (proof === 'kept') {
    if (before) await finishChange(request, form, before)
    return redirect(target)
  }
  if (await isBreached(request, password)) return refused(request, 'password_breached', page)
  const hash = await hashing(request, () => newHash(password))
  const written = await writePassword(request, asker, before, hash)
  if (!written) return undefined
  // A session that has ended meanwhile changes nothing: its owner may have ended it.
  const isOver = before ? !(await endOthers(request, claims)) : await isRevoked(request, claims)
  if (isOver) {
    await written.undo()
    throw new InvalidCheck('The session has ended meanwhile.')
  }
  const { person } = written
  await announceChange(request, before ? 'changed' : 'set', {
    sub: claims.sub,
    person,
    by: 'person',
  })
  return redirect(target)
}

type Proof = 'proved' | 'wrong' | 'kept'

/**
 * May a person with a password change it? By the current one, or by a sign-in of the last minutes with something else. Either
 * text may be the current password, so both are tries.
 */
async function proofOf(
  request: AuthRequest,
  form: OwnForm,
  before: KeptPassword,
): Promise<Proof | Outcome> {
  const { asker, fields, page } = form
  const { claims, name = '' } = asker
  const attempt = await tryPassword(request, name, true)
  if (attempt.wait > 0) {
    const show = () => showSection(request, { error: 'CredentialsSignin', code: 'rate_limited' })
    return tooManyAttempts(request, attempt.wait, page, show)
  }
  const { sub } = claims
  const isSame = async (typed: unknown) =>
    (await isTheirs(request, sub, before, typedIn(typed))) !== undefined
  const isProved = hasProvedOtherwise(request, claims)
  const counts = isProved || attempt.isKnown || (await isInRow(request, sub))
  const isCurrent = counts && fields.current !== undefined && (await isSame(fields.current))
  const isKept =
    counts &&
    (isCurrent && fields.current === fields.password ? true : await isSame(fields.password))
  if (isCurrent || isKept || isProved) {
    attempt.takeBack()
    if (isCurrent || isKept) await forgiveWrong(request, sub, attempt.isKnown)
  } else await countWrong(request, sub)
  if (isKept) return 'kept'
  return isCurrent || isProved ? 'proved' : 'wrong'
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
