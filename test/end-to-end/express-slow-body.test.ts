import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { SECRET, startApp, versions } from '../express/support.js'

const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/**
 * All bytes that a server writes on a connection until it ends it, while a body comes a byte at a
 * time.
 */
async function drip(port: number, length: number, first: string, pause: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let answer = ''
  socket.on('data', (part) => {
    answer += part
  })
  const type = 'application/x-www-form-urlencoded'
  socket.write(
    `POST /auth/signout HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${first}`,
  )
  const timer = setInterval(() => socket.write('a'), pause)
  socket.on('error', () => {})
  await once(socket, 'close')
  clearInterval(timer)
  return answer
}

test('a body at one byte a second is ended with 408, and so is its connection', async () => {
  const began = Date.now()
  const answers = versions.map(async (version) => {
    const app = await startApp(version, { secret: SECRET, providers: [] }, undefined, stops)
    return drip(app.port, 5_000, 'a=', 1_000)
  })
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    expect(answer).toMatch(/connection: close/i)
  }
  expect(Date.now() - began).toBeLessThan(25_000)
})

test.each(versions)('$name: a body that says 5 MB gets 413 before it comes', async (version) => {
  const app = await startApp(version, { secret: SECRET, providers: [] }, undefined, stops)
  const socket = connect(app.port, '127.0.0.1').setEncoding('utf8')
  socket.write(
    'POST /auth/signout HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n',
  )
  const [answer] = await once(socket, 'data')
  expect(answer).toMatch(/^HTTP\/1.1 413 /)
  socket.destroy()
})
