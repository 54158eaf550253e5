import { describe, expect, it } from 'vitest'
import { createAuth } from '../index.js'
import { configWith, secret } from '../test-support/browser.js'
import { JURISDICTIONS, ledgerJurisdiction } from './ledger-jurisdiction.js'
import { memoryStore } from './memory.js'

const config = (given?: unknown) => ({
  providers: [],
  ...(given === undefined ? {} : { ledgerJurisdiction: given as 'eu' }),
})

describe('the jurisdiction of the ledger', () => {
  it('is absent, unless a setting names it', () => {
    expect(ledgerJurisdiction(config(), {})).toBeUndefined()
    expect(ledgerJurisdiction(config(), { AUTH_LEDGER_JURISDICTION: '' })).toBeUndefined()
  })

  it.each(JURISDICTIONS)(
    'is what the variable says, or the configuration in its place: %s',
    (name) => {
      expect(ledgerJurisdiction(config(), { AUTH_LEDGER_JURISDICTION: name })).toBe(name)
      expect(ledgerJurisdiction(config(name), { AUTH_LEDGER_JURISDICTION: 'us' })).toBe(name)
    },
  )

  it.each(['EU', ' eu', 'eu,us', 'de', 'europe', 'none', true, ['eu'], null, 0])(
    'attack: data leaves the jurisdiction because %j is not read: it is refused, without its value',
    (value) => {
      const refused = () => ledgerJurisdiction(config(), { AUTH_LEDGER_JURISDICTION: value })
      const message = 'AUTH_LEDGER_JURISDICTION must be one of eu, us, fedramp, fedramp-high.'
      expect(refused).toThrow(message)
    },
  )
})

it('is refused beside a store, whose place it cannot name', async () => {
  const errors: Error[] = []
  const logger = { error: (error: Error) => void errors.push(error) }
  const auth = createAuth({ ...configWith({ logger }), store: memoryStore() })
  const env = { AUTH_SECRET: secret, AUTH_LEDGER_JURISDICTION: 'eu' }
  const answer = await auth.request('http://localhost:8787/auth/providers', {}, env)
  expect(answer.status).toBe(500)
  expect(errors[0]?.message).toContain('this service has a store of its own')
})
