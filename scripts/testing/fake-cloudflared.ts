#!/usr/bin/env node
import { createServer, request } from 'node:http'

/*
 * Plays cloudflared's quick tunnel for the tests, without the network: prints the same lines on
 * standard error, and forwards from FAKE_TUNNEL_PORT with the headers that the real tunnel adds.
 */
const host = 'latchkey-test-tunnel.trycloudflare.com'
const args = process.argv.slice(2)

if (args.includes('--version')) {
  console.log('cloudflared version 2026.10.0 (built 2026-10-01-0900 UTC)')
} else {
  const origin = new URL(args[args.indexOf('--url') + 1] ?? '')
  const server = createServer((incoming, outgoing) => {
    const headers = {
      ...incoming.headers,
      host,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '203.0.113.7',
      'cf-connecting-ip': '203.0.113.7',
      'cf-ipcountry': 'DE',
      'cf-ray': '9a1b2c3d4e5f6a7b-FRA',
      'cf-visitor': '{"scheme":"https"}',
      'cdn-loop': 'cloudflare; loops=1; subreqs=1',
    }
    const { hostname, port } = origin
    const forwarded = request(
      { hostname, port, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(outgoing)
      },
    )
    forwarded.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(forwarded)
  })
  server.listen(Number(process.env.FAKE_TUNNEL_PORT), '127.0.0.1', () => {
    const log = (line: string) => console.error(`2026-11-01T09:00:00Z INF ${line}`)
    log('Requesting new quick Tunnel on trycloudflare.com...')
    log('Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):')
    log(`https://${host}`)
  })
}
