import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Milliseconds until it was all here. */
  readonly time: number
}

/** Milliseconds. */
const PATIENCE = 60_000

/**
 * One request, without following its redirect. It is sent again if the server had closed an idle
 * connection.
 */
export function exchange(options: RequestOptions, body?: string): Promise<Answer> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, timeout: PATIENCE }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject).on('end', () => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, body: text, time: performance.now() - began })
      })
    })
    sent.on('timeout', () => sent.destroy(new Error('There is no answer for a minute.')))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      if (sent.reusedSocket && isClosed) exchange(options, body).then(resolve, reject)
      else reject(error)
    })
    sent.end(body)
  })
}
