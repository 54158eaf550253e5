import { describe, expect, test, vi } from 'vitest'
import { ComponentKitAuth } from './component-kit-auth.js'
import { config, TestApp } from './test-app.js'

vi.mock('./app-base.js', () => ({ appBase: '' }))

describe('smoke', () => {
  test('signs in and out', async () => {
    const app = new TestApp(ComponentKitAuth(config))
    expect(await app.who()).toBe(null)
    const response = await app.signIn()
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([
      303,
      'http://localhost:5173/',
      '',
    ])
    expect(await app.who()).toBe('Ada')
    const out = await app.submit(app.auth.signOut, {})
    expect(out.status).toBe(303)
    expect(await app.who()).toBe(null)
  })
})
