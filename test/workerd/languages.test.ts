import { expect, test } from 'vitest'
import { service } from './support.js'

test.each(['de', 'ja', 'uk'])('workerd unpacks %s, also for requests side by side', async (tag) => {
  const { auth, env, errors } = service()
  const ask = async () => {
    const headers = { 'accept-language': tag }
    const request = new Request('http://localhost:8787/auth/signin', { headers })
    const waitUntil = () => {}
    const ctx = { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext
    return (await auth.fetch(request, env, ctx)).text()
  }
  const pages = await Promise.all([ask(), ask(), ask()])
  for (const page of pages) {
    expect(page).toContain(`<html lang="${tag}">`)
    expect(page).not.toContain('Sign in')
  }
  expect(errors).toEqual([])
})
