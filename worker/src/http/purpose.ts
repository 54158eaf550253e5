import type { SessionClaims } from '@latchkey/session'
import type { SessionNeeds } from '@latchkey/session/internal'
import type { SafeRedirect } from '../config/safe-redirect.js'

/** A sign-in of somebody who is signed in, which is for them alone. */
export interface StepUpRequest {
  /** Their session, which goes on with a token that says of the new proof. */
  readonly sid: string
  /** None of their ways can give a new proof: it begins a session of its own. */
  readonly isOrdinary?: true
}

/** Where a sign-in leads, and how fresh and how strong it is to be. */
export interface Aim extends SessionNeeds {
  readonly target: SafeRedirect
}

/** What a sign-in is for. Its flow keeps it for the request that finishes it. */
export interface Purpose extends Aim {
  /** The person who is signed in and has asked for it, in the session that has. */
  readonly asker?: SessionClaims | undefined
  /** Set where they are to prove once more who they are. */
  readonly stepUp?: StepUpRequest | undefined
  /** What the provider is asked for. Left out: the provider's own scope. */
  readonly scope?: string | undefined
  /** What features keep in the flow, below their names. With any of it nobody is signed in. */
  readonly features?: Readonly<Record<string, unknown>> | undefined
}

/** What a feature keeps in flows, below its name. */
export interface FlowPart<Part> {
  of(flow: Pick<Purpose, 'features'>): Part | undefined
  with(part: Part): Pick<Purpose, 'features'>
}

/** @param feature whose it is */
export function flowPart<Part>(feature: string): FlowPart<Part> {
  return {
    of: ({ features }) => features?.[feature] as Part | undefined,
    with: (part) => ({ features: { [feature]: part } }),
  }
}
