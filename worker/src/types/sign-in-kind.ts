declare const brand: unique symbol

/**
 * How a provider signs people in. The providers of this package bring it where it is not told by
 * their `type`, so that a Worker carries the code of those alone that it uses.
 */
export interface SignInKind {
  readonly [brand]?: never
}
