import qs from 'node:querystring'
import { expect, test } from 'vitest'
import { parsedBody } from './parsed-body.js'
import type { ExpressRequest } from './types.js'

const FORM = 'application/x-www-form-urlencoded'

function read(type: string, body: unknown, readableDidRead = true) {
  const headers = { 'content-type': type }
  return parsedBody({ headers, body, readableDidRead } as unknown as ExpressRequest)
}

test('there is no parsed body while the stream is unread, whatever Express 4 sets', () => {
  expect(read(FORM, {}, false)).toBeUndefined()
})

test('fields that are nested or repeated are written as the parser reads them', () => {
  const fields = { a: ['1', '2'], b: { c: 'x', d: ['3', '4'] }, e: [{ f: 'y' }], 'ä&=': ' +%' }
  const { body = '' } = read(`${FORM}; charset=iso-8859-1`, fields) ?? {}
  expect(qs.parse(body as string)).toEqual({
    a: ['1', '2'],
    'b[c]': 'x',
    'b[d]': ['3', '4'],
    'e[0][f]': 'y',
    'ä&=': ' +%',
  })
})

test('JSON is written as JSON, with members that only look dangerous', () => {
  const text = '{"a":{"__proto__":{"x":1}},"constructor":null,"toJSON":2}'
  expect(read('application/json', JSON.parse(text))?.body).toBe(text)
  expect(read('application/vnd.api+json', ['a'])?.body).toBe('["a"]')
})

test('bytes stay unchanged, and text becomes UTF-8', () => {
  const bytes = Buffer.from([0, 255, 128])
  expect(read('application/octet-stream', bytes)?.body).toEqual(new Uint8Array(bytes))
  expect(read('application/json; charset=utf-16', '{}')).toEqual({
    body: '{}',
    type: 'application/json; charset=utf-8',
  })
  expect(read(FORM, undefined)?.body).toBe('')
})

test('JSON or a form that is nested too deeply to be written again is malformed, and not our fault', () => {
  const deep = JSON.parse('['.repeat(40_000) + ']'.repeat(40_000))
  const malformed = { body: '{', type: 'application/json' }
  expect(read('application/json', { data: deep })).toEqual(malformed)
  expect(read(FORM, { data: deep })).toEqual(malformed)
})
