import { expect, it } from 'vitest'
import { localApps, localBases, redirectUris, usualApps } from './dev-servers.ts'

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
])('the sandbox ignores an origin that its client cannot register: %s', (origin) => {
  expect(localApps(`${origin},http://localhost:3000`)).toEqual(['http://localhost:3000'])
})

it('the sandbox takes ten addresses at most', () => {
  const ports = Array.from({ length: 12 }, (_, index) => `http://localhost:${3000 + index}`)
  const uris = redirectUris(ports).split(',')
  expect(uris).toHaveLength(10)
  expect(uris[0]).toBe('http://localhost:3000/auth/callback/videoapp')
})

it('an address that is named in two ways has one of them', () => {
  const [own, ...more] = redirectUris(['http://localhost:8787', ...localBases(usualApps)]).split(
    ',',
  )
  expect(own).toBe('http://localhost:8787/auth/callback/videoapp')
  expect(more).toHaveLength(7)
  expect(more).not.toContain(own)
})

it('the sandbox sends people back to apps at /auth and at /api/auth, and to any path that is named', () => {
  const uris = redirectUris(localBases(usualApps)).split(',')
  for (const app of usualApps) {
    expect(uris).toContain(`${app}/auth/callback/videoapp`)
    expect(uris).toContain(`${app}/api/auth/callback/videoapp`)
  }
  const named = ['http://localhost:4000/my/auth/', 'http://localhost:4001']
  expect(redirectUris(localBases(named)).split(',')).toEqual([
    'http://localhost:4000/my/auth/callback/videoapp',
    'http://localhost:4001/auth/callback/videoapp',
    'http://localhost:4001/api/auth/callback/videoapp',
  ])
})

it.each([
  'https://app.example.com/api/auth',
  'http://localhost/api/auth',
  'localhost:3000',
  'http://localhost:3000/a?b',
])('the sandbox knows no app at %s', (app) => expect(localBases([app])).toEqual([]))
