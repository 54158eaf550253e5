import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import { Ledger } from '@latchkey/worker/ledger'
import type { Ledger as Methods } from '@latchkey/worker/stores/ledger/rules'

export { Ledger }

interface Env {
  readonly LEDGER: DurableObjectNamespace<Ledger>
  readonly BARE: DurableObjectNamespace<Bare>
}

/** An object that does nothing: what its calls cost is the platform's. */
export class Bare extends DurableObject {
  nothing(): void {}

  /** @param bytes of the answer */
  send(bytes: number): string {
    return 'a'.repeat(bytes)
  }
}

const soon = () => Math.floor(Date.now() / 1000) + 3_600

/** Each kind of call, by a number that no other call has. */
const calls: Readonly<Record<string, (env: Env, run: string, index: number) => unknown>> = {
  nothing: ({ BARE }) => BARE.get(BARE.idFromName('bare')).nothing(),
  'send a megabyte': ({ BARE }) => BARE.get(BARE.idFromName('bare')).send(1_000_000),
  isRevoked: (env, run, index) =>
    ledger(env).isRevoked(`${run}-${index}-sid`, { sub: `${run}-${index}-sub`, auth_time: 1 }),
  consume: (env, run, index) => ledger(env).consume(`flow:${run}-${index}`, soon()),
  revoke: (env, run, index) => ledger(env).revoke(`${run}-${index}-sid`, soon()),
  cutOff: (env, run, index) =>
    ledger(env).cutOff({ sub: `${run}-${index}-sub`, until: soon() - 3_600 }, soon()),
  changeDocument: (env, run, index) =>
    documents(env).changeDocument(`way\n${run}-${index}`, 0, 'a'.repeat(200)),
}

export default class extends WorkerEntrypoint<Env> {
  /** Makes calls, so many at a time, and answers when the last one was answered. */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const call = calls[searchParams.get('call') ?? '']
    const [run = '', count, width] = ['run', 'count', 'width'].map(
      (name) => searchParams.get(name) ?? '',
    )
    if (!call) return new Response(null, { status: 404 })
    let next = 0
    const lane = async () => {
      while (next < Number(count)) await call(this.env, run, next++)
    }
    await Promise.all(Array.from({ length: Number(width) }, lane))
    return new Response(null)
  }
}

/** Every method is there, because the object runs this version. */
function documents(env: Env) {
  return ledger(env) as unknown as Required<Methods>
}

function ledger({ LEDGER }: Env) {
  return LEDGER.get(LEDGER.idFromName('ledger'))
}
