import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const CONNECTIONS = 32
const HEAD_END = Buffer.from('\r\n\r\n')

/** Keeps some connections busy. It uses bare sockets, so that the server is the slower side. */
export interface Load extends AsyncDisposable {
  /** Sends so many requests, as many at once as there are connections. Returns the seconds it took. */
  send(count: number): Promise<number>
}

/**
 * @param requests whole requests, which take turns
 * @param check is given the number of a request and the body that answered it
 */
export async function openLoad(
  port: number,
  requests: readonly Buffer[],
  check: (request: number, body: string) => void,
): Promise<Load> {
  const sockets = Array.from({ length: CONNECTIONS }, () => connect({ port, noDelay: true }))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  let position = 0
  return {
    async send(count) {
      let left = count
      const began = performance.now()
      const work = async (socket: Socket) => {
        while (left-- > 0) {
          const request = position++ % requests.length
          check(request, await exchange(socket, requests[request] ?? Buffer.alloc(0)))
        }
      }
      await Promise.all(sockets.map(work))
      return (performance.now() - began) / 1000
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function exchange(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const take = (chunk: Buffer) => {
      received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk
      const body = wholeBody(received)
      if (body === undefined) return
      end()
      if (body instanceof Error) reject(body)
      else resolve(body)
    }
    const fail = () => {
      end()
      reject(new Error('The app closed a connection.'))
    }
    const end = () => void socket.off('data', take).off('close', fail)
    socket.on('data', take).on('close', fail)
    socket.write(request)
  })
}

/** @returns `undefined` until it is all there */
function wholeBody(answer: Buffer): string | Error | undefined {
  const end = answer.indexOf(HEAD_END)
  if (end < 0) return undefined
  const head = answer.toString('latin1', 0, end)
  const length = /\r\nContent-Length: (\d+)/i.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
    return new Error(`The app answered ${head.split('\r\n', 1)[0]}.`)
  }
  const start = end + HEAD_END.length
  return answer.length < start + Number(length) ? undefined : answer.toString('latin1', start)
}
