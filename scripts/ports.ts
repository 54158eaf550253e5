import { createServer } from 'node:net'

/** A TCP port of this machine that nobody listens on now. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0, '127.0.0.1')
  if (typeof port !== 'number') throw new Error(`No free port: ${port.code}`)
  return port
}

/** Whether somebody listens on `port`, on either of the addresses that `localhost` stands for. */
export async function isPortBusy(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1']) {
    const result = await listenOnce(port, host)
    // A machine without IPv6 answers EADDRNOTAVAIL for ::1, which says nothing about the port.
    if (typeof result !== 'number' && result.code === 'EADDRINUSE') return true
  }
  return false
}

function listenOnce(port: number, host: string): Promise<number | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(error))
    server.listen(port, host, () => {
      const address = server.address()
      const bound = typeof address === 'object' && address !== null ? address.port : port
      server.close(() => resolve(bound))
    })
  })
}
