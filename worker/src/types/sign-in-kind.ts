declare const brand: unique symbol

/**
 * How a provider signs people in. The providers of this package have it if their `type` does not
 * decide it, so that a Worker bundles only the code that it uses.
 */
export interface SignInKind {
  readonly [brand]?: never
}
