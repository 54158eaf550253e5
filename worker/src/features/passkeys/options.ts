import type { Fields } from '../../http/body.js'
import { json, type Outcome } from '../../http/outcome.js'
import type { Purpose } from '../../http/purpose.js'
import type { AuthRequest } from '../../http/request.js'
import { keepTarget } from '../../http/targets.js'
import { encodeBase64Url, randomToken } from '../../lib/base64url.js'
import { readPerson } from '../../person/documents.js'
import { type StartedFlow, startFlow } from '../../sign-in/flow-cookie.js'
import { wayName } from '../ways/rename.js'
import { type ResolvedPasskeyProvider, rpIdOf } from './resolve.js'

const PURPOSES = ['sign-in', 'sign-up', 'add'] as const

/** A ceremony that was begun, as its cookie has it. */
export interface PasskeyFlow extends StartedFlow {
  readonly for: (typeof PURPOSES)[number]
  readonly rpId: string
  /** The user handle of a passkey that is to be made (WebAuthn Level 3, section 5.4.3). */
  readonly handle?: string
  /** The person's name there. */
  readonly name?: string
  /** The browser makes it without a question (WebAuthn Level 3, section 5.1.3). */
  readonly isConditional?: true
}

/** How long a browser asks its person (WebAuthn Level 3, section 15.1). Milliseconds. */
const TIMEOUT = 5 * 60_000

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257]

/**
 * POST /passkey/options: the options of a ceremony, as JSON of WebAuthn Level 3. For a sign-in they
 * have the same shape for all users, so that they reveal nothing.
 *
 * @throws {ProviderMisconfigured} the page's origin cannot use passkeys
 */
export async function options(
  request: AuthRequest,
  provider: ResolvedPasskeyProvider,
  fields: Fields,
  purpose: Purpose,
): Promise<Outcome> {
  const use = PURPOSES.find((one) => one === fields.for)
  const name = nameIn(fields.name)
  if (!use || !name) return json({ error: 'Configuration' }, 400)
  const rpId = rpIdOf(request, provider)
  const flow = { provider: provider.id, ...keepTarget(request, purpose.target), for: use, rpId }
  if (use === 'sign-in') {
    const challenge = challengeOf(await startFlow(request, flow, purpose))
    return json({ publicKey: { challenge, rpId, timeout: TIMEOUT, userVerification: 'required' } })
  }
  const sub = use === 'add' ? purpose.asker?.sub : undefined
  const { person } = sub === undefined ? {} : await readPerson(request, sub)
  const derived =
    sub === undefined ? randomToken(32) : await request.keys.nameFor('passkey-handle', sub, 32)
  const handle = person?.handle ?? derived
  const isConditional = fields.mediation === 'conditional'
  const more = { handle, ...name, ...(isConditional ? { isConditional } : {}) }
  const challenge = challengeOf(await startFlow(request, { ...flow, ...more }, purpose))
  const called = name.name ?? provider.rpName
  const publicKey = {
    challenge,
    rp: { id: rpId, name: provider.rpName },
    user: { id: handle, name: called, displayName: called },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: isConditional ? 'preferred' : 'required',
    },
    excludeCredentials: (person?.ways ?? []).flatMap(({ passkey }) =>
      passkey ? { type: 'public-key', id: passkey.id, transports: passkey.transports } : [],
    ),
  }
  return json({ publicKey })
}

/** The challenge names its flow, and is as hard to guess as the flow's `state`: 256 random bits. */
export function challengeOf({ state }: Pick<StartedFlow, 'state'>): string {
  return encodeBase64Url(new TextEncoder().encode(state))
}

function nameIn(value: unknown): { readonly name?: string } | undefined {
  if (value === undefined) return {}
  const name = wayName(value)
  return name === undefined ? undefined : { name }
}
