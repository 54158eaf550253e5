import { expect, test, vi } from 'vitest'
import { setWithKit } from './set-with-kit.js'

test('a cookie keeps every attribute that protects it', () => {
  const set = vi.fn()
  setWithKit(
    { set },
    '__Secure-auth.session-token=a=b%3D; Max-Age=60; Domain=example.com; Path=/; HttpOnly; Secure; SameSite=Lax',
  )
  const [name, value, { encode, ...options }] = set.mock.calls[0] ?? []
  expect([name, value, encode(value)]).toEqual(['__Secure-auth.session-token', 'a=b%3D', 'a=b%3D'])
  expect(options).toEqual({
    path: '/',
    domain: 'example.com',
    httpOnly: true,
    secure: true,
    sameSite: 'lax',
    maxAge: 60,
  })
})

test('a cookie on http has no Secure and no Domain', () => {
  const set = vi.fn()
  setWithKit({ set }, 'auth.session-token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax')
  const [, value, { encode, ...options }] = set.mock.calls[0] ?? []
  expect(value).toBe('')
  expect(options).toEqual({ path: '/', httpOnly: true, secure: false, sameSite: 'lax', maxAge: 0 })
})

test('a cookie for frames of other sites stays one', () => {
  const set = vi.fn()
  setWithKit({ set }, 'a=b; Path=/; HttpOnly; Secure; SameSite=None; Partitioned')
  expect(set.mock.calls[0]?.[2]).toMatchObject({
    sameSite: 'none',
    partitioned: true,
    secure: true,
  })
})
