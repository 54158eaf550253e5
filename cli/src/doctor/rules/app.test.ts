import { deriveSessionKeys, exportJwks } from '@latchkey/session/issue'
import { describe, expect, test } from 'vitest'
import {
  BINDINGS,
  deploymentsIn,
  SECRET,
  type Written,
  withSecret,
} from '../test-support/written.js'
import { ownUrl } from './addresses.js'
import { keysOf, app as rules } from './app.js'

const OLD = 'd3a10c5e9b7f2468d3a10c5e9b7f2468'
const NEW = '0f5a7c91e3b8d2640f5a7c91e3b8d264'
const KEY = 'b1946ac92492d2347c6235b4d2611184'

/** The findings about an app beside its service. */
async function findingsOf(app: Written, service: Written) {
  const [own, deployment] = [(await deploymentsIn(app))[0], (await deploymentsIn(service))[0]]
  if (!own || !deployment) throw new Error('There is nothing to look at.')
  const { variables } = deployment
  const issuers = [ownUrl(variables) ?? []].flat()
  const beside = { deployment, issuers, keys: await keysOf(deployment) }
  return (await Promise.all(rules.map((rule) => rule(own, beside)))).flat()
}

const lines = (...all: readonly string[]): Written => ({ vars: all.join('\n') })
const SERVICE = withSecret('AUTH_URL=https://auth.example.com/auth')

async function expectFault(
  code: string,
  where: string,
  fault: readonly [Written, Written],
  mended: readonly [Written, Written],
) {
  const found = await findingsOf(...fault)
  expect(found.map((one) => `${one.code} ${one.where}`)).toEqual([`${code} .env ${where}`])
  expect(await findingsOf(...mended)).toEqual([])
  for (const secret of [SECRET, OLD, NEW, KEY])
    expect(JSON.stringify(found)).not.toContain(secret.slice(0, 8))
}

describe('another issuer', () => {
  test.each([
    ['AUTH_WORKER_URL', 'https://other.example.com/auth', 'https://auth.example.com/auth'],
    ['AUTH_WORKER_URL', 'https://auth.example.com/login', 'https://auth.example.com/auth/'],
    ['AUTH_WORKER_URL', 'http://localhost:8787/auth', 'https://auth.example.com'],
    ['AUTH_URL', 'https://app.example.com', 'https://auth.example.com/auth'],
  ])('%s=%s, not %s', async (name, fault, mended) => {
    const service = { vars: SERVICE }
    await expectFault(
      'app-issuer',
      name,
      [lines(`${name}=${fault}`), service],
      [lines(`${name}=${mended}`), service],
    )
  })

  test('AUTH_URL of an app that forwards is its own', async () => {
    const app = lines(
      'AUTH_WORKER_URL=https://auth.example.com/auth',
      'AUTH_URL=https://app.example.com',
      `AUTH_SECRET=${SECRET}`,
    )
    expect(await findingsOf(app, { vars: SERVICE })).toEqual([])
  })

  test('without a path either default may be meant', async () => {
    const service = { vars: withSecret('AUTH_URL=https://auth.example.com') }
    for (const path of ['', '/auth', '/api/auth']) {
      const app = lines(`AUTH_WORKER_URL=https://auth.example.com${path}`)
      expect(await findingsOf(app, service)).toEqual([])
    }
    const app = lines('AUTH_WORKER_URL=https://auth.example.com/login')
    expect(await findingsOf(app, service)).toHaveLength(1)
  })
})

test('a secret that is not the one that signs', async () => {
  const service = lines(`AUTH_SECRET=${OLD}`, `AUTH_SECRET_2=${NEW}`)
  await expectFault(
    'app-secret',
    'AUTH_SECRET',
    [lines(`AUTH_SECRET=${OLD}`), service],
    [lines(`AUTH_SECRET=${OLD}`, `AUTH_SECRET_1=${NEW}`), service],
  )
  // The secrets of the service are with its platform.
  expect(await findingsOf(lines(`AUTH_SECRET=${OLD}`), { toml: BINDINGS })).toEqual([])
})

async function jwksOf(...secrets: readonly string[]): Promise<string> {
  return `AUTH_PUBLIC_KEYS=${JSON.stringify(exportJwks((await deriveSessionKeys(secrets)).verify))}`
}

test('public keys without the one that signs', async () => {
  const service = lines(`AUTH_SECRET=${OLD}`, `AUTH_SECRET_1=${NEW}`)
  await expectFault(
    'app-keys',
    'AUTH_PUBLIC_KEYS',
    [lines(await jwksOf(OLD)), service],
    [lines(await jwksOf(OLD, NEW)), service],
  )
})

test.each([
  '{"keys":[]}',
  'x',
  '{"keys":[{"kty":"OKP","crv":"Ed25519","d":"canary","x":"canary"}]}',
])('public keys that are not a JWKS: %s', async (text) => {
  await expectFault(
    'app-keys',
    'AUTH_PUBLIC_KEYS',
    [lines(`AUTH_PUBLIC_KEYS=${text}`), { toml: BINDINGS }],
    [lines(await jwksOf(NEW)), { toml: BINDINGS }],
  )
})

test('public keys with one of a secret that the service no longer has', async () => {
  const service = lines(`AUTH_SECRET=${NEW}`)
  await expectFault(
    'app-keys-old',
    'AUTH_PUBLIC_KEYS',
    [lines(await jwksOf(NEW, OLD)), service],
    [lines(await jwksOf(NEW)), service],
  )
})

describe('an app that the service does not trust', () => {
  const forwards = [
    'AUTH_WORKER_URL=https://auth.example.com/auth',
    'AUTH_URL=https://app.example.com',
  ]
  const app = lines(...forwards)

  test('is trusted by its origin', async () => {
    await expectFault(
      'app-untrusted',
      'AUTH_URL',
      [app, { vars: SERVICE }],
      [app, { vars: `${SERVICE}\nAUTH_TRUSTED_ORIGINS=https://app.example.com` }],
    )
  })

  test.each([
    [
      'by a wildcard where AUTH_URL is the one origin',
      [`${SERVICE}\nAUTH_TRUSTED_ORIGINS=https://*.example.com`],
      0,
    ],
    ['by AUTH_TRUST_HOST', [`${SERVICE}\nAUTH_TRUST_HOST=true`], 0],
    [
      'by no wildcard without AUTH_URL',
      [withSecret('AUTH_TRUSTED_ORIGINS=https://*.example.com')],
      1,
    ],
  ] as const)('%s', async (_, [vars], count) => {
    expect(await findingsOf(app, { vars })).toHaveLength(count)
  })

  test.each([`AUTH_SECRET=${SECRET}`])('proves itself by %s', async (line) => {
    expect(await findingsOf(lines(...forwards, line), { vars: SERVICE })).toEqual([])
  })

  test('is unknown without its own AUTH_URL', async () => {
    expect(await findingsOf(lines(forwards[0] ?? ''), { vars: SERVICE })).toEqual([])
  })

  test.each(['https://app.example.com', 'https://other.example.com'])(
    'has a key, and the service one of %s',
    async (origin) => {
      const own = lines(...forwards, `AUTH_APP_KEY=${KEY}`)
      const service = { vars: `${SERVICE}\nAUTH_APP_KEYS=${origin}=${KEY}` }
      const found = await findingsOf(own, service)
      const isRight = origin === 'https://app.example.com'
      expect(found.map(({ code }) => code)).toEqual(isRight ? [] : ['app-key'])
    },
  )

  test('has another key', async () => {
    const own = lines(...forwards, `AUTH_APP_KEY=${KEY}`)
    await expectFault(
      'app-key',
      'AUTH_APP_KEY',
      [own, { vars: SERVICE }],
      [
        own,
        {
          vars: `${SERVICE}\nAUTH_APP_KEYS=https://app.example.com=${NEW},https://app.example.com=${KEY}`,
        },
      ],
    )
    expect(await findingsOf(own, { toml: BINDINGS })).toEqual([])
  })
})
