import { describe, expect, it } from 'vitest'
import type { AuthRequest } from '../../http/request.js'
import { OAuthError } from './oauth-error.js'
import { formParameters, queryParameters } from './parameters.js'

const FORM = 'application/x-www-form-urlencoded'

function asked(url: string, init?: RequestInit): AuthRequest {
  return { original: new Request(url, init) } as AuthRequest
}

function posted(body: BodyInit, type = FORM): AuthRequest {
  const headers = { 'content-type': type }
  return asked('https://example.com/auth/oauth/token', { method: 'POST', body, headers })
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof OAuthError ? error.code : String(error)),
  )

describe('a form', () => {
  it('is decoded, and a field without a value counts as left out', async () => {
    const parameters = await formParameters(posted('scope=a+b%20c&client_secret=&x=%26'))
    expect(parameters.get('scope')).toBe('a b c')
    expect(parameters.get('x')).toBe('&')
    expect(parameters.get('client_secret')).toBeUndefined()
    expect(parameters.has('client_secret')).toBe(true)
    expect(parameters.has('client_id')).toBe(false)
    expect(parameters.has('constructor')).toBe(false)
  })

  it('may name its charset', async () => {
    const parameters = await formParameters(posted('a=1', `${FORM}; charset=UTF-8`))
    expect(parameters.get('a')).toBe('1')
  })

  it.each([
    ['has a field twice', posted('code=1&code=1')],
    ['has an empty field twice', posted('code=&code=1')],
    [
      'has more than a hundred fields',
      posted(Array.from({ length: 101 }, (_, at) => `f${at}=1`).join('&')),
    ],
    ['is JSON', posted('{"code":"1"}', 'application/json')],
    ['is text', posted('code=1', 'text/plain')],
    ['is in parts', posted('code=1', 'multipart/form-data; boundary=x')],
    ['is longer than 64 KiB', posted(`code=${'x'.repeat(65_536)}`)],
    ['is not UTF-8', posted(new Uint8Array([99, 61, 255]))],
    ['has no type', asked('https://example.com/', { method: 'POST', body: new Uint8Array([97]) })],
  ])('is refused if it %s', async (_, request) => {
    expect(await refusal(formParameters(request))).toBe('invalid_request')
  })
})

describe('a query', () => {
  it('says which parameters it has twice', () => {
    const parameters = queryParameters(asked('https://example.com/?a=1&b=2&a=3#a=4'))
    expect(parameters?.get('a')).toBe('1')
    expect(parameters?.get('b')).toBe('2')
    expect([...(parameters?.repeated ?? [])]).toEqual(['a'])
  })

  it('has 2,048 characters at most', () => {
    const of = (length: number) => asked(`https://example.com/?a=${'x'.repeat(length - 2)}`)
    expect(queryParameters(of(2_048))?.get('a')).toHaveLength(2_046)
    expect(queryParameters(of(2_049))).toBeUndefined()
  })

  it('may be absent', () => {
    expect(queryParameters(asked('https://example.com/'))?.has('')).toBe(false)
  })
})
