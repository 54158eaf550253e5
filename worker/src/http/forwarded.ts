/** What an app that has proved itself says of the request that it forwards. */
export interface AppProof {
  /** The app's public origin, if it knows it. */
  readonly origin: string | undefined
  /** The visitor's address, if the app knows it. */
  readonly client: string | undefined
  /** No two proofs have the same. */
  readonly nonce: string
  /** When it counts no longer. Seconds since the epoch. */
  readonly expires: number
}
