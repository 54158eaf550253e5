/** In the place of the Durable Object, which is there in a Worker alone. The feature itself loads everywhere. */
export class Ledger {
  constructor() {
    throw new TypeError(
      'The ledger of the binding LEDGER is a Durable Object, which Node does not have.',
    )
  }
}
