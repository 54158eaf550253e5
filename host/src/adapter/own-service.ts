import type { WorkerAddress } from '@latchkey/session'

type Address = Exclude<WorkerAddress, string>

/**
 * The service in this process, as the verifier calls it beside the requests: that of the app's own configuration, with
 * all that this names. If a function makes configurations, it is the service of the newest one.
 */
export class OwnService {
  #newest: Address | undefined
  /** The last one that answered: a configuration that is refused must not keep the others from their feed. */
  #good: Address | undefined

  /** @param service of a configuration that was just read */
  use(service: WorkerAddress): void {
    if (typeof service === 'object') this.#newest = service
  }

  async fetch(...call: Parameters<Address['fetch']>): Promise<Response> {
    const newest = this.#newest
    if (!newest) throw new TypeError('No configuration was read.')
    const good = this.#good
    if (!good || good === newest) return this.#ask(newest, call)
    const answer = await this.#ask(newest, call).catch(() => undefined)
    // A service whose configuration is refused answers 500.
    if (answer && answer.status !== 500) return answer
    await answer?.body?.cancel()
    return good.fetch(...call)
  }

  async #ask(service: Address, call: Parameters<Address['fetch']>): Promise<Response> {
    const answer = await service.fetch(...call)
    if (answer.ok) this.#good = service
    return answer
  }
}
