import { flowPart } from '../../http/purpose.js'

/** A flow that proves an old way for a company's sign-in, which waits under the flow with this id. */
export interface Joining {
  readonly flow: string
  /** The company that has proved who the person is. */
  readonly company: string
}

export const joining = flowPart<Joining>('companies')
