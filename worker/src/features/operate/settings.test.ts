import { describe, expect, it } from 'vitest'
import { Auth, createAuth } from '../../index.js'
import { composeService } from '../../service/compose-service.js'
import { memoryStore } from '../../stores/memory.js'
import { sqliteStore } from '../../stores/sqlite.js'
import { audited } from '../../test-support/audited.js'
import { configWith, secret } from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import type { AuthConfig, LogEvent } from '../../types.js'
import { operate } from './index.js'
import type { OperateSettings } from './settings.js'

const webhook = {
  AUTH_WEBHOOK_URL: 'https://hooks.example.com/auth',
  AUTH_WEBHOOK_SECRET: `whsec_${btoa('a'.repeat(32))}`,
}

const { store: _, ...withoutStore } = configWith({ features: [operate()] })

/** The settings of a service with the bindings of a Worker. */
async function settingsWith(variables: object, config: AuthConfig = withoutStore) {
  const LEDGER = new FakeLedgers().binding
  const env = { AUTH_SECRET: secret, LEDGER, SESSIONS: { get() {} }, ...variables }
  const { features } = await composeService(config, { env })
  return features.settings('operate')
}

describe('the feature', () => {
  it('is off without a variable or a binding of its own', async () => {
    expect(await settingsWith({})).toBeUndefined()
    expect(await settingsWith({ AUTH_AUDIT_DAYS: '', AUTH_OPERATOR_KEYS: '' })).toBeUndefined()
  })

  it.each([
    ['1', 1],
    ['90', 90],
    ['3650', 3650],
  ])('keeps records for AUTH_AUDIT_DAYS=%s', async (text, days) => {
    expect(await settingsWith({ AUTH_AUDIT_DAYS: text })).toMatchObject({ audit: { days } })
  })

  it('keeps records for 90 days if webhooks alone ask for the log', async () => {
    expect(await settingsWith(webhook)).toMatchObject({ audit: { days: 90 } })
    expect(await settingsWith({ ...webhook, AUTH_AUDIT_DAYS: '7' })).toMatchObject({
      audit: { days: 7 },
    })
  })

  it.each(['0', '3651', '1.5', '-1', '1e2', '30 days', '99999', '٣'])(
    'is an error at the start with AUTH_AUDIT_DAYS=%s, by its name',
    async (text) => {
      const refused = settingsWith({ AUTH_AUDIT_DAYS: text })
      await expect(refused).rejects.toThrow('AUTH_AUDIT_DAYS must be a whole number from 1 to 3650')
    },
  )

  it.each([
    ['AUTH_AUDIT_DAYS', { AUTH_AUDIT_DAYS: '30' }],
    ['AUTH_WEBHOOK_URL', webhook],
  ])(
    'is an error at the start with a store in memory or of an app, by the name %s',
    async (name, variables) => {
      const config = configWith({ features: [operate()] })
      await expect(settingsWith(variables, config)).rejects.toThrow(
        new RegExp(`^${name} needs the audit log.* a store that lasts: set AUTH_STORE`),
      )
      const { sessions, rows } = memoryStore()
      const own = { ...config, store: { sessions, rows: { ...rows } } }
      await expect(settingsWith(variables, own)).rejects.toThrow(/set AUTH_STORE/)
      await expect(settingsWith({ ...variables, LEDGER: undefined })).rejects.toThrow(
        new RegExp(`^${name} needs .* add the binding`),
      )
    },
  )

  it('keeps the log in a store of Node, in one chain', async () => {
    const store = sqliteStore(':memory:')
    const config = configWith({ features: [operate()], store })
    const { audit } = (await settingsWith(webhook, config)) as OperateSettings
    expect(audit).toMatchObject({ days: 90 })
    expect(audit?.log.all()).toEqual([{ name: 'store' }])
    expect(audit?.log.placesOfPerson('ada')).toEqual([audit?.log.placeOf({ sub: 'grace' })])
    await store.close()
  })

  it('has keys and metrics with any store', async () => {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error), warn() {} }
    const config = configWith({ features: [operate()], logger })
    const answer = await createAuth(config).fetch(new Request('http://localhost/auth/csrf'), {
      AUTH_OPERATOR_KEYS: `night:read:${'0'.repeat(64)}`,
      METRICS: { writeDataPoint() {} },
    })
    expect([answer.status, errors]).toEqual([200, []])
  })

  it('is an error at the start if a variable asks for it and it is not there', async () => {
    const errors: Error[] = []
    const config = configWith({ logger: { error: (error) => void errors.push(error) } })
    const { fetch } = createAuth(config)
    const answer = await fetch(new Request('http://localhost/auth/csrf'), { AUTH_AUDIT_DAYS: '30' })
    expect(answer.status).toBe(500)
    expect(errors[0]?.message).toContain(
      "import { operate } from '@latchkey/worker/features/operate', and list operate() in features",
    )
    expect((await Auth(new Request('http://localhost/auth/csrf'), config)).status).toBe(200)
  })
})

describe('metrics', () => {
  const none = { AUTH_AUDIT_DAYS: '' }

  it('are one data point for an event, without a person or a network', async () => {
    const points: unknown[] = []
    const METRICS = { writeDataPoint: (point: unknown) => void points.push(point) }
    const world = audited(
      {
        callbacks: {
          signIn: ({ user }: { user: { name?: string | null } }) => user.name !== 'eve',
        },
      },
      { ...none, METRICS },
    )
    const ada = await world.signIn('ada', world.here, { 'cf-connecting-ip': '192.0.2.7' })
    await ada.session()
    await ada.submit('/auth/renew')
    await ada.submit('/auth/callback/credentials', { username: 'eve' })
    await ada.submit('/auth/signout')
    const point = (event: string, provider = '', by = '', error = '', code = '') => ({
      indexes: [event],
      blobs: [event, provider, by, error, code],
      doubles: [1],
    })
    expect(points).toEqual([
      point('sign-in', 'credentials'),
      point('sign-in-refused', 'credentials', '', 'AccessDenied'),
      point('sign-out', 'credentials'),
    ])
    expect(world.recorded()).toBe(0)
  })

  it('that throw change nothing', async () => {
    const METRICS = {
      writeDataPoint() {
        throw new Error('The dataset is gone.')
      },
    }
    const world = audited({}, { METRICS })
    const ada = await world.signIn()
    expect(await ada.session()).not.toBeNull()
    expect(world.errors).toEqual([])
    expect(world.events.map(({ event }: LogEvent) => event)).toEqual(['sign-in'])
    expect(world.recorded()).toBe(1)
  })
})
