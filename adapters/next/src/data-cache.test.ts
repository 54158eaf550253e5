import { workAsyncStorage } from 'next/dist/server/app-render/work-async-storage.external.js'
import { workUnitAsyncStorage } from 'next/dist/server/app-render/work-unit-async-storage.external.js'
import { createPatchedFetcher } from 'next/dist/server/lib/patch-fetch.js'
import { expect, test, vi } from 'vitest'
import NextAuth from './index.js'
import { Browser, binding, quiet, SECRET } from './test-app.js'

/** A page below a layout with `fetchCache`, and what Next keeps for it. */
function cachingPage(kept: unknown[]) {
  const incrementalCache = {
    generateCacheKey: async (url: string) => url,
    lock: async () => async () => {},
    get: async (url: string) => void kept.push(`get ${url}`),
    set: async (url: string) => void kept.push(`set ${url}`),
  }
  return { incrementalCache, fetchCache: 'force-cache', route: '/', page: '/' }
}

test('attack: fetchCache of a page keeps no session, no ended session and no form in the cache of Next', async () => {
  const service = binding()
  const original = ((url: string | URL, init?: RequestInit) =>
    service.fetch(String(url), init)) as typeof fetch
  const storages = { workAsyncStorage, workUnitAsyncStorage }
  vi.stubGlobal('fetch', createPatchedFetcher(original, storages))
  const kept: string[] = []
  const page = cachingPage(kept)
  const { handlers, auth } = NextAuth({
    worker: 'http://localhost:3000/auth',
    secret: SECRET,
    logger: quiet,
  })
  const browser = new Browser('/auth', 'http://localhost:3000', page)
  await browser.signIn(handlers)
  await browser.age()
  const { cookie } = browser
  expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
  await browser.post(handlers.GET, handlers.POST, '/signout')
  expect((await browser.render(() => auth(), { cookie })).value).toBe(null)
  expect(kept).toEqual([])
  vi.unstubAllGlobals()
})
