import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'
import type { StoredTarget } from '../../http/targets.js'
import { subjectOf } from '../../person/subject.js'
import type { Device } from '../../session/device.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { StartedFlow } from '../../sign-in/flow-cookie.js'
import type { LedgerDocument, Redemption } from '../../stores/ledger/types.js'
import { hashed, ledgerKey, parseLink } from './link.js'
import type { ResolvedEmailProvider } from './resolve.js'

/** A sign-in by email that was asked for in this browser. */
export interface EmailFlow extends StartedFlow {
  readonly address: string
}

/** The sealed contents of a link. */
export interface Mailed extends StoredTarget {
  readonly address: string
  /** The `sid` of the session that it adds the address to. */
  readonly link?: string
  /** The `sid` of the session that steps up. */
  readonly again?: string
  /** The flow of the browser that asked. */
  readonly flow: string
  readonly device: Device
}

/** The contents of a link that still works. Reading them uses nothing up. */
export async function findMailed(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<Mailed | undefined> {
  const link = await parseLink(request, provider, token)
  const sealed = link && (await request.stores.ledger.findVerification(link.key, link.hash))
  return openMailed(request, provider, sealed)
}

/**
 * Uses up a link. @returns the person that it signs in, for exactly one of any number of callers
 */
export async function redeemLink(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<Redeemed | undefined> {
  const link = await parseLink(request, provider, token)
  if (!link) return undefined
  const { ledger } = request.stores
  return redeemed(request, provider, await ledger.redeemVerification(link.key, { link: link.hash }))
}

/**
 * Uses up a code. It works only in the browser that asked for it: the ledger has a hash of it
 * together with the flow's own secret, which no other browser has.
 *
 * @returns the reason why it does not work, or the person that it signs in
 */
export async function redeemCode(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  flow: EmailFlow,
  code: string,
): Promise<Redeemed | 'wrong' | 'spent'> {
  const key = await ledgerKey(provider.id, flow.address)
  // People copy the gap too.
  const hash = await hashed('code', flow.state, code.replace(/[\s-]/g, ''))
  const redemption = await request.stores.ledger.redeemVerification(key, { code: hash })
  if (redemption.state === 'spent') return 'spent'
  return (await redeemed(request, provider, redemption)) ?? 'wrong'
}

/**
 * Ends a link that its recipient did not ask for, with the code of the same mail.
 *
 * @returns the person that it would have signed in; `undefined`: it no longer worked
 */
export async function refuseLink(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<Mailed | undefined> {
  const mailed = await findMailed(request, provider, token)
  const link = mailed && (await parseLink(request, provider, token))
  if (link) await request.stores.ledger.withdrawVerification(link.key, link.hash)
  return mailed
}

/** A person who has proved that they read the mails of an address. */
export interface Redeemed {
  readonly signedIn: SignedIn
  readonly mailed: Mailed
  /** What the ledger knows of the address. */
  readonly document: LedgerDocument | undefined
}

async function redeemed(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  redemption: Redemption,
): Promise<Redeemed | undefined> {
  if (redemption.state !== 'redeemed') return undefined
  const { sealed, document } = redemption
  const mailed = await openMailed(request, provider, sealed)
  if (!mailed) return undefined
  const subject = await subjectOf(provider.id, mailed.address)
  const { user, account } = signedInBy(provider, subject, mailed.address)
  return { mailed, signedIn: { user: { ...user, emailVerified: true }, account }, document }
}

async function openMailed(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  sealed: string | undefined,
): Promise<Mailed | undefined> {
  const content = sealed === undefined ? undefined : await request.keys.verification.open(sealed)
  const isWhole = isRecord(content) && typeof content.address === 'string'
  // The provider's current rules decide, also about a mail that was sent under earlier ones.
  const isAddress = isWhole && provider.normalize(content.address) === content.address
  return isAddress ? (content as unknown as Mailed) : undefined
}

export function signedInBy(
  provider: ResolvedEmailProvider,
  subject: string,
  address: string,
): SignedIn {
  return {
    user: { id: subject, email: address },
    account: {
      provider: provider.id,
      type: provider.type,
      providerAccountId: address,
      userId: subject,
    },
  }
}
