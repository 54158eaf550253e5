import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { Mounts } from './mounts.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const env = { AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef' }

test('copies of a configuration that are made for each request do not fill the memory', async () => {
  const mounts = new Mounts({ name: 'test' })
  const config = { basePath: '/auth' }
  const mounted = mounts.add(config)
  const reader = mounted.settingsIn(config, env).verifier
  const copies = Array.from({ length: 100 }, () => {
    const copy = { ...config, online: true }
    const settings = mounts.of(copy, env).settingsOf({ env, native: {} })
    expect(settings).toMatchObject({ verifier: reader })
    return new WeakRef(copy)
  })
  // A WeakRef keeps its object alive until the end of the task.
  await new Promise((resolve) => setTimeout(resolve, 0))
  collect()
  expect(copies.filter((copy) => copy.deref()).length).toBeLessThan(20)
})

test('a reader without a configuration, beside several mounts, is warned once', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const mounts = new Mounts({ name: 'test' })
  mounts.add({ basePath: '/auth' })
  mounts.of(undefined, env)
  expect(warn).not.toHaveBeenCalled()
  mounts.add({ basePath: '/admin' })
  for (let time = 0; time < 3; time++) mounts.of(undefined, { ...env })
  expect(warn.mock.calls).toEqual([[expect.stringContaining('mounted several times')]])
  warn.mockRestore()
})
