import { partOf } from './parts.ts'

/** Microseconds between two samples. */
const INTERVAL = 100
/** A longer step is time in which the machine did something else. */
const LONGEST = 2.5 * INTERVAL

interface Node {
  readonly id: number
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    readonly lineNumber: number
  }
  readonly children?: readonly number[]
}

interface Profile {
  readonly nodes: readonly Node[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/**
 * Profiles a Worker while work is done, by the protocol of workerd's inspector.
 *
 * @param code of the Worker, with the comments by which esbuild names each file
 * @returns microseconds in the Worker's isolate by part
 */
export async function profile(
  inspector: URL,
  worker: string,
  code: string,
  work: () => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const list = new URL('/json', inspector)
  list.protocol = 'http:'
  const targets = (await (await fetch(list)).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const target = targets.find(({ id }) => id.endsWith(`user:${worker}`))
  if (!target) throw new Error(`workerd's inspector does not know ${worker}.`)
  const { send, close } = await open(target.webSocketDebuggerUrl)
  try {
    await send('Profiler.enable')
    await send('Profiler.setSamplingInterval', { interval: INTERVAL })
    await send('Profiler.start')
    await work()
    const { profile } = (await send('Profiler.stop')) as { profile: Profile }
    return timesOf(profile, filesOf(code))
  } finally {
    close()
  }
}

async function open(address: string) {
  const socket = new WebSocket(address)
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error(`${address} cannot be reached.`)))
  })
  let last = 0
  const send = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve) => {
      waiting.set(++last, resolve)
      socket.send(JSON.stringify({ id: last, method, params }))
    })
  return { send, close: () => socket.close() }
}

/** The file of each line. */
function filesOf(code: string): readonly (string | undefined)[] {
  let file: string | undefined
  return code.split('\n').map((line) => {
    file = /^\/\/ (\S+\.[jt]s)$/.exec(line)?.[1] ?? file
    return file
  })
}

function timesOf(
  { nodes, samples, timeDeltas }: Profile,
  files: readonly (string | undefined)[],
): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  )
  const times = new Map<string, number>()
  samples.forEach((id, at) => {
    let node = byId.get(id)
    if (node?.callFrame.functionName === '(idle)') return
    // The platform's own functions count for their caller.
    while (node && !isOurs(node)) node = byId.get(parents.get(node.id) ?? -1)
    const part = partOf(node && files[node.callFrame.lineNumber])
    times.set(part, (times.get(part) ?? 0) + Math.min(LONGEST, timeDeltas[at] ?? 0))
  })
  return times
}

function isOurs({ callFrame }: Node): boolean {
  return callFrame.url.endsWith('worker.js')
}
