const MARK = Symbol.for('latchkey: calls in threads')
const shared = globalThis as unknown as { [MARK]?: { open: number } }
shared[MARK] ??= { open: 0 }

/** How many calls of Node's WebCrypto its threads work on. The files of a process share it. */
export const callsInThreads = shared[MARK]
