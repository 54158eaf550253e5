import { Ledger as CoreLedger } from '../../ledger.js'

/**
 * The ledger with the audit log: export it from the Worker's entry in the place of the one of `@latchkey/worker/ledger`. Rows
 * and names are the same.
 *
 * @example export { Ledger } from '@latchkey/worker/features/operate'
 */
export class Ledger extends CoreLedger {}
