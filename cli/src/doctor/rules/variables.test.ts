import { describe, expect, test } from 'vitest'
import { nearest } from '../../nearest.js'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

describe('a variable that nothing reads', () => {
  test.each([
    ['AUTH_TRUST_HOSTS', 'AUTH_TRUST_HOST'],
    ['AUTH_TRUSTED_ORIGIN', 'AUTH_TRUSTED_ORIGINS'],
    ['AUTH_GOGLE_ID', 'AUTH_GOOGLE_ID'],
    ['AUTH_WROKER_URL', 'AUTH_WORKER_URL'],
  ])('%s is probably %s', async (name, meant) => {
    const found = await expectFault('variable-unknown', {
      where: `.env ${name}`,
      fault: { vars: withSecret(`${name}=x`) },
      mended: { vars: withSecret(`# ${name}=x`) },
    })
    expect(found.fix).toBe(`rename it to ${meant}`)
  })

  test('may be near to none', async () => {
    const [found] = await findingsIn({ vars: withSecret('AUTH_ZZZZZZZZZZZZZZZZZZZZZZZZZ=x') })
    expect(found?.fix).toBe('remove AUTH_ZZZZZZZZZZZZZZZZZZZZZZZZZ')
  })

  test('both of a misspelt provider are found', async () => {
    const found = await findingsIn({ vars: withSecret('AUTH_GOGLE_ID=x', 'AUTH_GOGLE_SECRET=x') })
    expect(found.map(({ fix }) => fix)).toEqual([
      'rename it to AUTH_GOOGLE_ID',
      'rename it to AUTH_GOOGLE_SECRET',
    ])
  })

  test.each([
    [
      'for a provider with an id of your own',
      'AUTH_ACME_ID=x',
      'AUTH_ACME_SECRET=x',
      'AUTH_ACME_ISSUER=https://a.example',
    ],
    [
      'for an app and a resource',
      'AUTH_APP_SPA_REDIRECT_URIS=http://localhost/',
      'AUTH_RESOURCE_API_SCOPES={}',
    ],
    ['for a preset under its earlier name', 'AUTH_TWITTER_ID=x', 'AUTH_TWITTER_SECRET=x'],
    ['for a mail service', 'AUTH_LOOPS_TRANSACTIONAL_ID=x', 'AUTH_SES_REGION=eu-west-1'],
    ['for another program', 'PORT=3000', 'NODE_ENV=test'],
  ])('none is found %s', async (_, ...lines) => {
    expect(await findingsIn({ vars: withSecret(...lines) })).toEqual([])
  })
})

describe('a variable with an invalid value', () => {
  test.each([
    ['AUTH_TRUST_HOST', 'yes', 'true'],
    ['AUTH_LEDGER_SHARDS', '0', '1,4'],
    ['AUTH_LEDGER_JURISDICTION', 'EU', 'eu'],
    ['AUTH_IMPORT_UNTIL', '2027-06-01', '2026-11-01'],
    ['AUTH_AUDIT_DAYS', '3651', '3650'],
    ['AUTH_AUDIT_DAYS', '1.5', '1'],
    ['AUTH_LOG', 'yaml', 'json'],
    ['AUTH_THEME_COLOR_SCHEME', 'Dark', 'dark'],
    ['AUTH_STORE', 'mysql://db.example.com/app', 'file:sessions.db'],
  ])('%s=%s, not %s', async (name, fault, mended) => {
    const found = await findingsIn({ vars: withSecret(`${name}=${fault}`) })
    const own = found.filter(({ code }) => code === 'variable-invalid')
    expect(own.map(({ where }) => where)).toEqual([`.env ${name}`])
    expect(JSON.stringify(own)).not.toContain(fault)
    const good = await findingsIn({ vars: withSecret(`${name}=${mended}`) })
    expect(good.filter(({ code }) => code === 'variable-invalid')).toEqual([])
  })

  test('a number without quotes, which the service takes for nothing', async () => {
    const toml = (value: string) => `${BINDINGS}[vars]\nAUTH_LEDGER_SHARDS = ${value}`
    await expectFault('variable-invalid', {
      where: 'wrangler.toml AUTH_LEDGER_SHARDS',
      fault: { toml: toml('4') },
      mended: { toml: toml('"4"') },
    })
  })

  test('AUTH_TRUST_HOST needs no quotes', async () => {
    const toml = `${BINDINGS}[vars]\nAUTH_TRUST_HOST = true`
    expect(await findingsIn({ toml })).toEqual([])
  })
})

test.each([
  ['AUTH_SECERT', 'AUTH_SECRET'],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('the nearest name of %j is %s', (name, expected) => {
  expect(nearest(name, ['AUTH_SECRET', 'AUTH_SECRET_1', 'AUTH_URL'])[0]).toBe(expected)
})
