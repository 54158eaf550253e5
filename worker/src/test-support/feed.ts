import type { RevocationFeed } from '@latchkey/session/issue'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { expect } from 'vitest'
import type { Browser } from './browser.js'

/** Reads an answer with the published keys alone. */
export async function feedOf(browser: Browser, since?: number | string): Promise<RevocationFeed> {
  const query = since === undefined ? '' : `?since=${since}`
  const answer = await browser.get(`/auth/revocations${query}`, { cookie: '' })
  expect(answer.status).toBe(200)
  const keys: JSONWebKeySet = await (await browser.get('/auth/jwks.json')).json()
  const { payload, protectedHeader } = await compactVerify(
    await answer.text(),
    createLocalJWKSet(keys),
  )
  expect(protectedHeader.typ).toBe('revocations+jwt')
  return JSON.parse(new TextDecoder().decode(payload))
}
