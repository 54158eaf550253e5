import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const handedOut = new Set<number>()

/**
 * A TCP port of this machine that nobody listens on now, and none of those that systems hand out by
 * themselves: no connection takes it before the one who asked for it does. From 11,000: browsers refuse
 * some below.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(11_000, 32_000)
    if (handedOut.has(port) || (await isPortBusy(port))) continue
    handedOut.add(port)
    return port
  }
}

/** Whether somebody listens on `port`, on either of the addresses that `localhost` stands for. */
export async function isPortBusy(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1']) {
    // A machine without IPv6 answers EADDRNOTAVAIL for ::1, which says nothing about the port.
    if ((await listenOnce(port, host))?.code === 'EADDRINUSE') return true
  }
  return false
}

function listenOnce(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(error))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}
