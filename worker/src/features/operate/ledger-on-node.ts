/** In the place of the ledger's object where there are no Durable Objects: a store keeps the ledger's rows there. */
export class Ledger {
  constructor() {
    throw new TypeError('The ledger of the audit log is a Durable Object, which only a Worker has.')
  }
}
