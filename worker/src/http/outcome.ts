import type { SessionNeeds } from '@latchkey/session'
import type { SafeRedirect } from '../config/safe-redirect.js'
import type { Words } from '../languages/texts.js'
import type { PageScript } from '../pages/layout.js'
import type { Markup } from '../pages/markup.js'
import type { Fields } from './body.js'

/** The decision of a handler, from which the service makes the response in one place. */
export type Outcome =
  /** A redirect: 302, or JSON with the `url` for a caller that asked for it. */
  | {
      readonly kind: 'redirect'
      readonly to: SafeRedirect
      readonly status?: 303
      /** It takes a code to an app, so that no script may read it: never JSON. */
      readonly isForBrowser?: true
    }
  | {
      readonly kind: 'page'
      readonly words: Words
      readonly title: string
      readonly page: Markup
      readonly status?: number
      /** Left out: the page has none. */
      readonly scripts?: readonly PageScript[]
    }
  /**
   * @param cacheFor seconds, for what depends on no cookie
   * @param headers beside those that every answer has
   */
  | {
      readonly kind: 'json'
      readonly body: unknown
      readonly status?: number
      readonly cacheFor?: number
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'jwt'; readonly token: string; readonly cacheFor: number }
  /** An answer to HEAD, or to a browser that looks ahead, if GET would change something. */
  | { readonly kind: 'empty'; readonly status?: number }
  | { readonly kind: 'not-allowed'; readonly allow: string }
  | Refusal

/** Something went wrong: only what the error table says of it leaves the service. */
export interface Refusal {
  readonly kind: 'refusal'
  /** The thrown value. */
  readonly error: unknown
  /** The user's target, so that they still get there after another try. */
  readonly callbackUrl?: SafeRedirect | undefined
  /** The page that shows the error, if it is not the one of the error table. */
  readonly page?: URL
  /** A page that is shown instead of a redirect; with the error's `retryAfter`. */
  readonly shown?: Outcome
  /** Set for a try to sign in: the line of the log names the person, if they are known. */
  readonly attempt?: Attempt | undefined
  /** How fresh and how strong the sign-in has to be. The page that shows the refusal keeps it. */
  readonly needs?: SessionNeeds | undefined
  /** The fields of the form that is refused, whose csrf token was checked. */
  readonly posted?: Fields | undefined
}

/** A try to sign in, for the line of the log that says how it ended. */
export interface Attempt {
  /** The id of a configured provider. */
  readonly provider?: string
  /** The `sub` of the person that the request has proved. */
  readonly sub?: string
  /** The person that a request names without a proof: a `sub`, or a key of the person. */
  readonly claimed?: string | undefined
}

export function redirect(to: SafeRedirect): Outcome {
  return { kind: 'redirect', to }
}

export function json(body: unknown, status = 200): Outcome {
  return { kind: 'json', body, status }
}

export function showPage(
  words: Words,
  title: string,
  page: Markup,
  status = 200,
  scripts: readonly PageScript[] = [],
): Outcome {
  return { kind: 'page', words, title, page, status, scripts }
}

/**
 * Runs work whose refusals keep the target and the needs of the sign-in, so that the user can try
 * again.
 */
export function leadingTo(
  callbackUrl: SafeRedirect | undefined,
  handle: () => Outcome | Promise<Outcome>,
  needs?: SessionNeeds,
): Promise<Outcome> {
  return refusing({ callbackUrl, needs }, handle)
}

/** Runs a try to sign in, so that the log counts a refusal as a failed sign-in. */
export function attempting(
  attempt: Attempt | undefined,
  handle: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  return refusing({ attempt }, handle)
}

/**
 * Turns the errors of work into refusals. Members that the work gave its own refusal win over those
 * given here.
 */
export async function refusing(
  known: Pick<Refusal, 'attempt' | 'callbackUrl' | 'needs' | 'posted'>,
  handle: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  let outcome: Outcome
  try {
    outcome = await handle()
  } catch (error) {
    return { kind: 'refusal', error, ...known }
  }
  if (outcome.kind !== 'refusal') return outcome
  const said = Object.entries(outcome).filter(([, value]) => value !== undefined)
  return { ...known, ...(Object.fromEntries(said) as unknown as Refusal) }
}
