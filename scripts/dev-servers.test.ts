import { expect, it } from 'vitest'
import { localApps, redirectUris } from './dev-servers.ts'

it('the sandbox sends people back to the local apps of AUTH_TRUSTED_ORIGINS', () => {
  const list = ' http://localhost:3000 ,https://127.0.0.1:5173/,'
  expect(localApps(list)).toEqual(['http://localhost:3000', 'https://127.0.0.1:5173'])
  expect(localApps(undefined)).toEqual([])
})

it.each([
  'https://app.example.com',
  'https://*.example.com',
  'http://*.localhost:3000',
  'http://localhost',
  'http://localhost:3000/app',
  'http://localhost:3000.example.com',
])('and to none that its client cannot have: %s', (origin) => {
  expect(localApps(`${origin},http://localhost:3000`)).toEqual(['http://localhost:3000'])
})

it('ten addresses are as many as it takes', () => {
  const ports = Array.from({ length: 12 }, (_, index) => `http://localhost:${3000 + index}`)
  const uris = redirectUris(ports).split(',')
  expect(uris).toHaveLength(10)
  expect(uris[0]).toBe('http://localhost:3000/auth/callback/videoapp')
})
