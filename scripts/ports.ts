import { createServer } from 'node:net'

/** Does a process listen on `port`, on either of the addresses that `localhost` stands for? */
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
