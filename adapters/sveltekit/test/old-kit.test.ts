import { expect, it, vi } from 'vitest'
import { appPath } from '../src/client-paths.js'

vi.mock('$app/paths', () => ({ base: '/app', resolve: undefined }))

it('finds a page below the base in a Kit without resolve()', () => {
  expect(appPath('signin')).toBe('/app/signin')
  expect(appPath('')).toBe('/app/')
})
