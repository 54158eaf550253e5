import type { Fields } from '../http/body.js'
import type { AppProof } from '../http/forwarded.js'
import type { Kind } from '../http/kind.js'
import type { Outcome } from '../http/outcome.js'
import type { AuthRequest, ServiceParts } from '../http/request.js'
import type { Words } from '../languages/texts.js'
import type { PageScript } from '../pages/layout.js'
import type { Markup } from '../pages/markup.js'

/** @param id the part of the path in the place of `:provider`, or below a path that a feature has as a whole */
type Handler = (request: AuthRequest, id: string) => Outcome | Promise<Outcome>

export interface Route {
  readonly GET?: Handler
  readonly POST?: Handler
  /** Answers every other method too, of which some get 405. */
  readonly every?: Handler
  /** Is it there at all? Left out: it is. */
  readonly isThere?: (request: AuthRequest, id: string) => boolean
  /** Scripts read it, so its errors are JSON. */
  readonly isData?: true
  /**
   * The headers by which scripts of every origin may read its answers, and ask for the headers that a browser names; a preflight gets 204 with them (Fetch, "CORS
   * protocol"). Left out: only those of its own origin may.
   */
  readonly crossOrigin?: (asked: string | null) => Readonly<Record<string, string>>
  /** Is JSON that is sent to it a script's, whose redirects and errors are JSON too? Left out: never. */
  readonly isScripted?: (request: AuthRequest, id: string) => boolean
  /**
   * Does this POST send something to an address that a stranger names, or try a guess? Then a {@link Guard} is asked
   * first. Left out: never.
   *
   * @param kind of the provider that the path, or else the form, names
   */
  readonly needsHuman?: (kind: Kind | undefined, fields: Fields) => boolean | undefined
}

/** Lets only people send the forms that a stranger could send without end. */
export interface Guard {
  /** The codes of its refusals; the user has to send the form again. */
  readonly codes: readonly string[]
  /** @throws {AccessDenied} the form does not come from a person */
  check(request: AuthRequest, fields: Fields): Promise<void>
  /** What such a form shows. */
  field(request: AuthRequest, words: Words): Markup | undefined
  /** The scripts of a page, if the field is on it. */
  scripts(page: Markup): readonly PageScript[]
}

/** Reads by what an app that forwards proves itself. */
export interface AppProofs {
  /** @returns `undefined`: there is no proof, or it does not count, which the log says */
  read(original: Request, parts: ServiceParts): Promise<AppProof | undefined>
  /** Warns the operator of a proof that was used before. */
  notifyReplay(request: AuthRequest): void
}
