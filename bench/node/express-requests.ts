import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import express, { type Request } from 'express'

const app = express()
const socket = new Socket()

/**
 * Requests as a route of an Express app receives them. Each request is new, and so is its header's
 * string: a library's cache by request or by string object has no effect here.
 */
export function expressRequests(cookieHeaders: readonly string[]): Request[] {
  return cookieHeaders.map((header) => {
    const req = new IncomingMessage(socket) as Request
    Object.setPrototypeOf(req, app.request)
    req.method = 'GET'
    req.url = req.originalUrl = '/account'
    req.headers = {
      host: 'localhost:3000',
      connection: 'keep-alive',
      'cache-control': 'max-age=0',
      'user-agent':
        'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36',
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-encoding': 'gzip, deflate, br, zstd',
      'accept-language': 'en-GB,en;q=0.9',
      cookie: Buffer.from(header, 'latin1').toString('latin1'),
    }
    return req
  })
}
