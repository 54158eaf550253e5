import type { SessionClaims } from '@latchkey/session'
import type { SafeRedirect } from '../config/safe-redirect.js'
import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import type { Claim } from '../person/claim.js'
import type { ReadPerson } from '../person/documents.js'
import type { SignedIn } from '../session/callbacks.js'

/** A sign-in after which a session has begun, or goes on. */
export interface Begun {
  /** The person, if they were read. */
  readonly document: ReadPerson | undefined
  /** The key in the ledger by which tries to sign in as the person are counted. */
  readonly limited: string | undefined
  /** Was a code of a second factor part of it? */
  readonly hasCode: boolean
}

/** The first session of a person. */
export interface FirstSession {
  /** To be called if nobody is signed in after all. Never rejects. */
  undo(): Promise<void>
  /** Where the person goes before the target. */
  page(target: SafeRedirect): SafeRedirect | undefined
}

export interface SessionHooks {
  /** Before a session begins. A throw signs nobody in. */
  beginning?(request: AuthRequest, signedIn: SignedIn): Promise<void>
  /**
   * Is it the first session of its person? Asked of a person whom the ledger did not know.
   *
   * @param claim to their id, if it was read just now
   * @returns `undefined`: the person was here before
   */
  first?(request: AuthRequest, signedIn: SignedIn, claim?: Claim): Promise<FirstSession | undefined>
  /** Before a session goes on whose person has proved once more who they are. A throw refuses that. */
  proved?(request: AuthRequest, signedIn: SignedIn): Promise<void>
  /** While the sessions end that a browser had before it signs in: what else would sign it in ends as well. */
  switched?(request: AuthRequest): Promise<void>
  /** After a session has begun, or its person has proved once more who they are. */
  begun?(request: AuthRequest, signedIn: SignedIn, begun: Begun): Promise<void>
  /** The person of this browser was deleted: its cookies must not name them. */
  forgotten?(request: AuthRequest): void
  /** After a session has begun: cookies for the browser. */
  marked?(request: AuthRequest, provider: string): void
  /**
   * After a session was ended, before its record is deleted. A rejection is logged, and leaves the record.
   *
   * @returns `undefined`: there is nothing to do
   */
  ended?(
    request: AuthRequest,
    session: { readonly sub: string; readonly sid: string },
  ): Promise<void> | undefined
}

/** What a browser may bring that has no session of ours, such as one of a library that the app has used before. */
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
   * Uses up what a browser brings whose person signs in or out, which would sign them in again, and removes its cookies.
   *
   * @throws {StoreUnavailable}
   */
  end(request: AuthRequest): Promise<void>
  /** Has the request a cookie of such a name? */
  mayCome(request: AuthRequest): boolean
}
