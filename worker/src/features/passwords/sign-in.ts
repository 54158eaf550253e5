import { CredentialsSignin } from '../../errors.js'
import type { Fields } from '../../http/body.js'
import { checkCanFinish } from '../../http/known-origin.js'
import { tooManyAttempts } from '../../http/limits.js'
import { attempting, leadingTo, type Outcome } from '../../http/outcome.js'
import type { Purpose } from '../../http/purpose.js'
import type { AuthRequest } from '../../http/request.js'
import { resolveCallbackUrl } from '../../http/targets.js'
import { subjectOf } from '../../person/subject.js'
import { wayOf } from '../../person/way-document.js'
import type { SignedIn } from '../../session/signed-in.js'
import { finishSignIn } from '../../sign-in/finish.js'
import { LIMITED, showSignIn } from '../../sign-in/show-sign-in.js'
import { answerSignIn } from '../../sign-in/stale-sign-in.js'
import { stepUpOf } from '../../sign-in/step-up.js'
import { endBefore, isUnfinished } from './end-others.js'
import { hashing } from './hasher.js'
import { type Holder, holderOf, personIn } from './holder.js'
import { countWrong, isTheirs, refreshed } from './judge.js'
import type { ResolvedPassword } from './kind.js'
import { countTry, forgiveWrong, tryPassword } from './limits.js'
import { offering } from './offer.js'
import { typedIn } from './rules.js'
import { mailProvider } from './settings.js'

/** A failure is answered at the earliest so long after the request came. Milliseconds. */
const FLOOR = 1_000

/** An address and a password, as they were typed. */
interface Typed {
  /** The address as an account of the email provider; `undefined`: the typed text is not an address. */
  readonly account: SignedIn['account'] | undefined
  /** The key of the address in the ledger, or else the typed text. */
  readonly name: string
  readonly password: string | undefined
}

/** POST /callback/password. */
export function finish(request: AuthRequest, provider: ResolvedPassword): Promise<Outcome> {
  const { id } = provider
  const floor = startFloor()
  return answerSignIn(request, { provider: id }, async ({ fields, callbackUrl, needs }) => {
    checkCanFinish(request)
    const target = callbackUrl ?? (await resolveCallbackUrl(request))
    return leadingTo(target, async () => {
      const purpose = { target, ...needs, ...(await stepUpOf(request, provider, needs)) }
      const { entrance } = request.features.ports
      const elsewhere = await entrance?.instead(request, fields.email, purpose)
      if (elsewhere) return elsewhere
      const typed = await typedBy(request, fields)
      const claimed = typed.account?.userId ?? (await subjectOf(id, typed.name))
      return attempting({ provider: id, claimed }, async () => {
        const judged = await hashing(request, () => judge(request, typed))
        if (judged.wait > 0) {
          const posted = { of: id, fields }
          return tooManyAttempts(request, judged.wait, target, () =>
            showSignIn(request, purpose, LIMITED, { posted }),
          )
        }
        if (judged.right) return signIn(request, judged.right, purpose, fields)
        await floor.over
        throw new CredentialsSignin('An address and a password belong to nobody.')
      })
    })
  }).finally(floor.cancel)
}

async function typedBy(request: AuthRequest, { email, password }: Fields): Promise<Typed> {
  const provider = mailProvider(request)
  const address = provider.normalize(email)
  const read = { password: typedIn(password) }
  if (address === undefined) {
    const typed = typeof email === 'string' ? email.slice(0, MAX_NAME) : ''
    return { ...read, account: undefined, name: `?${typed}` }
  }
  const userId = await subjectOf(provider.id, address)
  const account = {
    provider: provider.id,
    type: 'email',
    providerAccountId: address,
    userId,
  } as const
  return { ...read, account, name: wayOf(account) }
}

/** The beginning of any other text, by which its tries are counted. Characters. */
const MAX_NAME = 300

interface Right {
  readonly holder: Holder
  /** The proof: the address is the account. */
  readonly signedIn: SignedIn
  readonly name: string
}

/** Counts the try and computes its hash. */
async function judge(
  request: AuthRequest,
  { account, name, password }: Typed,
): Promise<{ readonly wait: number; readonly right?: Right }> {
  const attempt = await tryPassword(request, name, account !== undefined)
  if (attempt.wait > 0) return { wait: attempt.wait }
  const holder = account && (await holderOf(request, name, account.userId))
  const { found } = holder ?? {}
  const isKnown = found !== undefined && attempt.isKnownTo(found.sub)
  const counted = found ? await countTry(request, found.sub, isKnown) : {}
  const read = await isTheirs(request, found?.sub, found?.kept, password)
  if (!account || !holder || !found || !read || password === undefined || counted.isLost) {
    if (found && !read) await countWrong(request, found.sub, counted)
    return { wait: 0 }
  }
  await Promise.all([attempt.forgive(), forgiveWrong(request, found.sub, isKnown)])
  if (await isUnfinished(request, found.sub, found.kept)) {
    await endBefore(request, found.sub, found.kept)
  }
  const address = account.providerAccountId
  const signedIn: SignedIn = {
    user: { id: account.userId, email: address, emailVerified: true },
    account: { ...account, provider: 'password', type: 'password' },
    way: name,
    amr: ['password', 'pwd'],
  }
  const fresh = await refreshed(request, { ...holder, found }, read, password)
  return { wait: 0, right: { holder: fresh, signedIn, name } }
}

/** Ends as a sign-in by mail does, whose documents were read before the password was judged. */
function signIn(
  request: AuthRequest,
  { holder: { document, found }, signedIn, name }: Right,
  purpose: Purpose,
  fields: Fields,
): Promise<Outcome> {
  const owner = document?.content ? (JSON.parse(document.content) as { owner?: string }).owner : ''
  const person = owner === found?.sub ? found?.person : undefined
  const aim = offering(request, purpose, fields, personIn(found?.person))
  return finishSignIn(request, signedIn, { document, person }, aim, name)
}

/**
 * The time of an answer reveals neither an account nor the format of an old hash. The timer starts when the request comes: the
 * clock of a Worker stands still while a hash is computed, so a rest that is reckoned afterwards would depend on the calls between.
 */
function startFloor(): { readonly over: Promise<void>; cancel(): void } {
  let cancel = () => {}
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, FLOOR)
    cancel = () => clearTimeout(timer)
  })
  return { over, cancel }
}
