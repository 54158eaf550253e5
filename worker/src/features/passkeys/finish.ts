import {
  type AuthError,
  CredentialsSignin,
  InvalidCheck,
  OAuthAccountNotLinked,
} from '../../errors.js'
import { tooManyAttempts } from '../../http/limits.js'
import { tryByNetwork, tryCeremony } from '../../http/network-limit.js'
import type { Outcome } from '../../http/outcome.js'
import { answerPost } from '../../http/post.js'
import type { Aim, Purpose } from '../../http/purpose.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { decodeBase64Url } from '../../lib/base64url.js'
import { ownDetail } from '../../lib/printable.js'
import type { FoundWay } from '../../person/found-way.js'
import { presentPerson } from '../../person/present-person.js'
import { subjectOf } from '../../person/subject.js'
import { type Credential, ownerIn, readWay, wayOf } from '../../person/way-document.js'
import type { SignedIn } from '../../session/signed-in.js'
import { finishSignIn } from '../../sign-in/finish.js'
import { endFlow, newestFlow, resuming, startedFlow } from '../../sign-in/flow-cookie.js'
import { LIMITED, showSignIn } from '../../sign-in/show-sign-in.js'
import { purposeOf } from '../../sign-in/step-up.js'
import { beginToUse, useUp } from '../../sign-in/use-up.js'
import { beginPerson } from '../ways/begin.js'
import { openDescribed } from '../ways/description.js'
import { isWaiting } from '../ways/strength.js'
import { verifyAssertion } from './assertion.js'
import { nameOfAuthenticator } from './authenticator-names.js'
import { challengeIn, idIn, type PostedCredential, postedIn, readCredential } from './credential.js'
import { challengeOf, type PasskeyFlow } from './options.js'
import { verifyRegistration } from './registration.js'
import type { ResolvedPasskeyProvider } from './resolve.js'

const TYPE = 'webauthn'

/** A ceremony after its flow was used up. */
interface Ended {
  readonly flow: PasskeyFlow
  readonly credential: PostedCredential
  /** The ledger's documents about the credential's way. */
  readonly entrance: FoundWay
  /** Way and `sub` that the credential's id itself would have. */
  readonly way: string
  readonly ownSub: string
  readonly expected: Parameters<typeof verifyRegistration>[1]
  readonly purpose: Purpose
}

/**
 * POST /callback/passkey: the end of a ceremony, of which the challenge names the flow. The first credential
 * that is judged in the flow's browser uses it up, whatever the verdict.
 */
export function finish(request: AuthRequest, provider: ResolvedPasskeyProvider): Promise<Outcome> {
  return answerPost(request, async ({ fields, callbackUrl }) => {
    const posted = postedIn(fields.credential)
    const challenge = challengeIn(posted)
    const refuse = (error: AuthError) =>
      callbackUrl === undefined ? refuseLast(request, provider, error) : Promise.reject(error)
    if (challenge === undefined) return refuse(provesNothing('credential'))
    const state = new TextDecoder().decode(decodeBase64Url(challenge))
    const flow = await startedFlow<PasskeyFlow>(request, provider.id, state)
    if (!flow) {
      const late = 'The sign-in was not started in this browser, or too long ago.'
      return refuse(new InvalidCheck(late))
    }
    return resuming(request, flow, async (stored) => {
      const purpose = { ...(await purposeOf(request, flow)), target: callbackUrl ?? stored }
      const counted = await tryCeremony(request)
      if (counted.wait > 0) return limited(request, purpose, counted.wait)
      const proceed = await judge(request, provider, flow, posted, purpose)
      counted.takeBack()
      return proceed()
    })
  })
}

/**
 * Refuses a form that names no flow and no target: the target and the needs are those of the newest ceremony of this
 * browser, which goes on.
 */
async function refuseLast(
  request: AuthRequest,
  { id }: ResolvedPasskeyProvider,
  error: AuthError,
): Promise<Outcome> {
  const flow = await newestFlow<PasskeyFlow>(request, id, () => true)
  if (!flow) throw error
  return resuming(request, flow, () => Promise.reject(error))
}

/** The rest of a ceremony after a good proof. */
type Proceed = () => Promise<Outcome>

/** Uses a ceremony up, and judges it. */
async function judge(
  request: AuthRequest,
  provider: ResolvedPasskeyProvider,
  flow: PasskeyFlow,
  posted: unknown,
  purpose: Purpose,
): Promise<Proceed> {
  await beginToUse(request, flow)
  endFlow(request, flow)
  const ownSub = await subjectOf(provider.id, idIn(posted))
  const way = wayOf({ type: TYPE, userId: ownSub })
  const entrance = await useUp(request, flow, way)
  const credential = readCredential(posted)
  if (!credential) throw provesNothing('credential')
  const origins = [request.origin, ...provider.origins]
  // Not the request's own text: another encoding of the same state is another challenge.
  const { rpId, isConditional } = flow
  const expected = { challenge: challengeOf(flow), origins, rpId, isConditional }
  const ended = { flow, credential, entrance, way, ownSub, expected, purpose }
  return flow.for === 'sign-in' ? signIn(request, ended) : register(request, ended)
}

async function signIn(request: AuthRequest, ended: Ended): Promise<Proceed> {
  const { credential, entrance, way, ownSub, expected, purpose } = ended
  const owner = ownerIn(readWay(entrance.document))
  const present =
    owner === undefined ? undefined : await presentPerson(request, owner, entrance.person, way)
  const entry = present?.document.person?.ways.find((one) => one.way === way)
  if (!present || !entry?.passkey) throw provesNothing('unknown', 'unknown_passkey')
  const asserted = await verifyAssertion(credential, entry.passkey, expected)
  if (typeof asserted === 'string') throw provesNothing(asserted)
  const { counter, bs, isRegressed } = asserted
  if (isRegressed) await warnOfCounter(request, present.sub)
  const { name = null } = await openDescribed(request, entry)
  const passkey = { ...entry.passkey, counter: Math.max(counter, entry.passkey.counter), bs }
  const proved = provedBy(ownSub, name, passkey, isWaiting(entry, nowInSeconds(request)))
  return () => finishSignIn(request, proved, { ...entrance, present }, purpose)
}

async function register(request: AuthRequest, ended: Ended): Promise<Proceed> {
  const { flow, credential, entrance, way, ownSub, expected, purpose } = ended
  const { handle = '', name = null } = flow
  const registered = await verifyRegistration(credential, expected)
  if (typeof registered === 'string') throw provesNothing(registered)
  // The maker of an authenticator may choose the id: it proves nothing about another's (7.1, step
  // 26).
  if (readWay(entrance.document)) {
    throw new OAuthAccountNotLinked('A passkey was made with an id that belongs to another person.')
  }
  const passkey = { ...registered, handle }
  const label = nameOfAuthenticator(registered.aaguid)
  if (flow.for === 'add') {
    const added = { ...provedBy(ownSub, name, passkey), label }
    return () => finishSignIn(request, added, entrance, purpose)
  }
  // A `sub` that follows from a random number of ours: no attacker can choose it.
  const sub = await subjectOf('passkey', handle)
  const { wait } = await tryByNetwork(request, 'passkey')
  if (wait > 0) {
    return () => limited(request, purpose, wait)
  }
  const proved = { ...provedBy(sub, name, passkey), label, way }
  const begin = (signedIn: SignedIn) =>
    beginPerson(request, { ...signedIn, way }, entrance.document?.version ?? 0)
  return () => finishSignIn(request, proved, {}, purpose, undefined, begin)
}

function limited(request: AuthRequest, aim: Aim, wait: number): Promise<Outcome> {
  return tooManyAttempts(request, wait, aim.target, () => showSignIn(request, aim, LIMITED))
}

/**
 * @param userId of the way itself, until its owner is found
 * @param waits it does not count for both factors yet
 */
function provedBy(
  userId: string,
  name: string | null,
  passkey: Credential,
  waits = false,
): SignedIn {
  const account = {
    provider: 'passkey',
    type: TYPE,
    providerAccountId: passkey.id,
    userId,
  } as const
  return {
    user: { id: userId, name, email: null, image: null },
    account,
    passkey,
    // RFC 8176: a key that leaves no hardware, or one that may; and the person was verified.
    amr: ['passkey', passkey.be ? 'swk' : 'hwk', ...(waits ? [] : ['user'])],
  }
}

async function warnOfCounter({ config, keys }: AuthRequest, sub: string): Promise<void> {
  const person = await keys.logName(sub)
  config.logger.warn(
    'passkey-counter',
    `A counter did not go up: a passkey of ${person} may have been copied.`,
  )
}

/** One error for every fault of a credential; the log names the fault. */
function provesNothing(reason: string, code?: string): CredentialsSignin {
  const cause = ownDetail({ provider: 'passkey', reason })
  const error = new CredentialsSignin('A passkey proves nothing.', { cause })
  if (code !== undefined) error.code = code
  return error
}
