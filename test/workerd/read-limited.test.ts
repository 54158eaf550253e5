import { readRequestBody } from '@latchkey/host/shared'
import { readLimited } from '@latchkey/session/internal'
import { expect, test } from 'vitest'

// Here a body is read in one step if its length is known. In Node it is not: session/src/lib/read-limited.test.ts.

const bytes = new TextEncoder().encode('0123456789')

/** A message of the platform's own, whose header may say another length than it has. */
function message(length: string, body: BodyInit = bytes): Request {
  const headers = { 'content-length': length }
  return new Request('https://example.com', { method: 'POST', headers, body })
}

const read = ({ body, headers }: Request, limit = 20) => readLimited(body, limit, { headers })

test.each(['10', '', '-1', 'x', '1e1', '010'])(
  'a body whose length is said to be %j',
  async (length) => {
    expect(await read(message(length))).toEqual(bytes)
  },
)

test('attack: a body that is longer than it says is read on, up to the limit', async () => {
  expect(await read(message('3'))).toEqual(bytes)
  expect(await read(message('3'), 9)).toBeUndefined()
  expect(await read(message('3'), 3)).toBeUndefined()
  expect(await readRequestBody(new Headers({ 'content-length': '1' }), message('1').body)).toEqual(
    bytes,
  )
  const long = message('5', 'x'.repeat(70_000))
  expect(await readRequestBody(long.headers, long.body)).toBe(413)
})

test('a body that is shorter than it says is read as it is', async () => {
  expect(await read(message('15'))).toEqual(bytes)
})

test('a body of a script, which has chunks', async () => {
  const { readable, writable } = new TransformStream()
  const writer = writable.getWriter()
  const written = writer.write(bytes).then(() => writer.close())
  expect(await read(message('10', readable))).toEqual(bytes)
  await written
})

test('an answer that the platform decompresses is longer than its header says', async () => {
  const text = 'x'.repeat(1_000)
  const packed = new Response(text).body?.pipeThrough(new CompressionStream('gzip'))
  const small = await new Response(packed).arrayBuffer()
  const headers = new Headers({ 'content-length': String(small.byteLength) })
  const open = () => new Response(small).body?.pipeThrough(new DecompressionStream('gzip')) ?? null
  expect((await readLimited(open(), 1_000, { headers }))?.byteLength).toBe(1_000)
  expect(await readLimited(open(), 999, { headers })).toBeUndefined()
})
