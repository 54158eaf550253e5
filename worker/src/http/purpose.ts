import type { SessionClaims, SessionNeeds } from '@latchkey/session'
import type { SafeRedirect } from '../config/safe-redirect.js'

/** A step-up: a sign-in of a signed-in user, which works for this user alone. */
export interface StepUpRequest {
  /** The user's session, which goes on with a token that has the new proof. */
  readonly sid: string
  /** Set if none of their ways can give a new proof: then it begins a session of its own. */
  readonly isOrdinary?: true
}

/** Where a sign-in leads, and how fresh and how strong it is to be. */
export interface Aim extends SessionNeeds {
  readonly target: SafeRedirect
}

/** What a sign-in is for. Its flow keeps it for the request that finishes it. */
export interface Purpose extends Aim {
  /** The signed-in person and the session that asked for it. */
  readonly asker?: SessionClaims | undefined
  /** Set for a step-up. */
  readonly stepUp?: StepUpRequest | undefined
  /** The requested scope. Left out: the provider's own. */
  readonly scope?: string | undefined
  /** Parameters for the provider. Left out: those of the request. They are not kept. */
  readonly parameters?: URLSearchParams | undefined
  /** Data of features in the flow, by their names. A flow with any of them signs no user in. */
  readonly features?: Readonly<Record<string, unknown>> | undefined
}

/** A feature's data in flows, below its name. */
export interface FlowPart<Part> {
  of(flow: Pick<Purpose, 'features'>): Part | undefined
  with(part: Part): Pick<Purpose, 'features'>
}

/** @param feature the name of the feature */
export function flowPart<Part>(feature: string): FlowPart<Part> {
  return {
    of: ({ features }) => features?.[feature] as Part | undefined,
    with: (part) => ({ features: { [feature]: part } }),
  }
}
