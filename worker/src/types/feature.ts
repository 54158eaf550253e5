declare const brand: unique symbol

/**
 * A capability of the service, from `@latchkey/worker/features/<name>`. `createAuth` of `@latchkey/worker` has all
 * that need no options; `createAuth` of `@latchkey/worker/core` has those of `features` alone.
 */
export interface Feature {
  /** The folder of the feature, and the end of its import path, such as `own-texts`. */
  readonly name: string
  readonly [brand]?: never
}
