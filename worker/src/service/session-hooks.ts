import type { SessionClaims } from '@latchkey/session'
import type { SafeRedirect } from '../config/safe-redirect.js'
import type { Outcome } from '../http/outcome.js'
import type { Aim } from '../http/purpose.js'
import type { AuthRequest } from '../http/request.js'
import type { Words } from '../languages/texts.js'
import type { Claim, ReadPerson } from '../person/found-way.js'
import type { SignedIn } from '../session/signed-in.js'
import type { StandingSession } from '../session/stored-values.js'
import type { Standing } from '../stores/ledger/types.js'
import type { LogEvent } from '../types.js'
import type { PendingSignIn } from './sign-in-hooks.js'

/** A sign-in after which a session has begun, or goes on. */
export interface Begun {
  /** The person, if they were read. */
  readonly document: ReadPerson | undefined
  /** The key in the ledger by which tries to sign in as the person are counted. */
  readonly limited: string | undefined
  /** Was a code of a second factor part of it? */
  readonly hasCode: boolean
  /** Is it the first session of the person? Known only if a feature asks ({@link SessionHooks.first}). */
  readonly isFirst: boolean
  /** Had the browser a session of the person already? */
  readonly wasHere: boolean
}

/** A session that has ended. */
export interface EndedOne {
  readonly sub: string
  readonly sid: string
  /** The id of the provider by which it began, or was proved last. Left out: it is not known. */
  readonly provider?: string | undefined
  /** The key of its browser, if its token has said so. */
  readonly cnf?: SessionClaims['cnf']
}

/** A session, as its token names it. */
type NamedByToken = Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'began' | 'company' | 'amr'>

/** Ends that a provider has told of, as far as the ledger could not end the sessions by their names. */
export interface Logouts {
  /**
   * Does a session of a token end now? Asked before something is done by it.
   *
   * @throws {StoreUnavailable}
   */
  ends(request: AuthRequest, claims: NamedByToken & Pick<SessionClaims, 'sexp'>): Promise<boolean>
  /**
   * Is the proof of a sign-in over that has waited? Its session would begin after the end.
   *
   * @throws {StoreUnavailable}
   */
  isProofOver(
    request: AuthRequest,
    proof: Pick<PendingSignIn, 'signedIn' | 'came'>,
  ): Promise<boolean>
}

/** Sessions of one person that are about to end: these, or all but one at most. */
export type Ending = { readonly sub: string } & (
  | { readonly sids: readonly string[] }
  | { readonly sids?: undefined; readonly except: string | undefined }
)

/** The first session of a person. */
export interface FirstSession {
  /** Call it if the sign-in fails after all. Never rejects. */
  undo(): Promise<void>
  /** The page that the person gets before the target. */
  page(target: SafeRedirect): SafeRedirect | undefined
}

export interface SessionHooks {
  /** The life of tokens that apps verify by themselves, in seconds: the feed lists endings at least as long. */
  readonly tokenLife?: number
  /** Called before a session begins. A throw refuses the sign-in. */
  beginning?(request: AuthRequest, signedIn: SignedIn): Promise<void>
  /**
   * Called before a session is written, whose id is known: what the feature does for it has to be done before.
   *
   * @param session `sexp` is when it ends for good, whatever extends it
   * @returns texts that its record keeps
   * @throws {StoreUnavailable} the session does not begin
   */
  starting?(
    request: AuthRequest,
    signedIn: SignedIn,
    session: Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'sexp'>,
  ): Promise<Readonly<Record<string, string>> | undefined>
  /** May a session that is about to be renewed not go on? @returns the end of it; `undefined`: it goes on */
  endedBy?(request: AuthRequest, standing: StandingSession): Promise<LogEvent['by'] | undefined>
  /**
   * Is it the first session of its person? Called if the ledger did not know the person.
   *
   * @param claim to their id, if it was read just now
   * @returns `undefined`: the person was here before
   */
  first?(request: AuthRequest, signedIn: SignedIn, claim?: Claim): Promise<FirstSession | undefined>
  /**
   * Called before a session goes on after a step-up. A throw refuses the step-up.
   *
   * @param session as it was before
   */
  proved?(request: AuthRequest, signedIn: SignedIn, session: SessionClaims): Promise<void>
  /** Called while the sessions end that a browser had before it signs in: ends everything else that would sign it in. */
  switched?(request: AuthRequest): Promise<void>
  /** Called after a sign-in or a step-up. */
  begun?(request: AuthRequest, signedIn: SignedIn, begun: Begun): Promise<void>
  /** The person of this browser was deleted: its cookies must not name them. */
  forgotten?(request: AuthRequest): void
  /** After a session has begun: cookies for the browser. */
  marked?(request: AuthRequest, provider: string): void
  /**
   * Called before the ledger ends sessions: what the feature must do once they have ended is noted before, so that no fault between
   * loses it. If they do not end after all, nothing is called.
   *
   * @returns called once they have ended, before it is answered. If it throws, they have ended, and the caller tries again
   * @throws {StoreUnavailable} they do not end
   */
  ending?(request: AuthRequest, ending: Ending): Promise<(() => Promise<void>) | undefined>
  /**
   * After a session was ended, before its record is deleted. A rejection is logged, and leaves the record.
   *
   * @returns `undefined`: there is nothing to do
   */
  ended?(request: AuthRequest, session: EndedOne): Promise<void> | undefined
}

/**
 * Takes in a browser without a session of ours, such as one with a session of the app's former
 * library.
 */
export interface AbsentSession {
  /** From then on nothing is read. Milliseconds since the epoch. */
  readonly until: number
  /**
   * Begins a session by what the request brings, if there is none of ours, and sets the cookies.
   *
   * @returns `undefined`: the request brings nothing, and nothing is changed
   * @throws {StoreUnavailable}
   */
  begin(request: AuthRequest): Promise<SessionClaims | undefined>
  /** The same, as the answer of GET and HEAD /session. @throws {StoreUnavailable} */
  answer(request: AuthRequest): Promise<Outcome>
  /** The answer for a browser without a session, which tells apps that forward that others may bring something. */
  nobody(request: AuthRequest): Outcome
  /**
   * Called when a user signs in or out: uses up the browser's old session, which would sign them in
   * again, and removes its cookies.
   *
   * @throws {StoreUnavailable}
   */
  end(request: AuthRequest): Promise<void>
  /** Has the request a cookie of such a name? */
  mayCome(request: AuthRequest): boolean
}

/** What the ledger says of the session of a token. */
export interface ClaimedStanding extends Standing {
  /** Only tokens with the browser's key continue the session: this token signs nobody in. */
  readonly isNobody?: true
}

/** Binds sessions to keys that browsers cannot give away. */
export interface Binding {
  /** A session has begun, or its person has proved once more who they are: offers to bind it. */
  offer(request: AuthRequest, claims: SessionClaims): Promise<void>
  /**
   * What the ledger says of the session of a token without a key, with one call.
   *
   * @throws {StoreUnavailable}
   */
  standing(request: AuthRequest, claims: SessionClaims): Promise<ClaimedStanding>
  /** Does a session end that is about to be renewed, since it is not bound? @throws {CallbackFailed} */
  endsUnbound(request: AuthRequest, claims: SessionClaims): Promise<boolean>
  /** Keeps the new proof of the person of a bound session for its renewals. @throws {StoreUnavailable} */
  proved(request: AuthRequest, claims: SessionClaims): Promise<void>
  /** The bound sessions among these. @throws {StoreUnavailable} */
  boundOf(request: AuthRequest, sids: readonly string[]): Promise<ReadonlySet<string>>
  /** Deletes the keys of sessions that are over. @throws {StoreUnavailable} */
  forget(request: AuthRequest, sids: readonly string[]): Promise<void>
  /** How a page says that a session is bound. */
  label(words: Words): string
  /**
   * What a page gets that asks for a bound session.
   *
   * @param claims of the signed-in person
   * @returns `undefined`: the person may sign in once more, which binds the session
   */
  page(request: AuthRequest, claims: SessionClaims, aim: Aim): Promise<Outcome | undefined>
}
