import { expect, test } from 'vitest'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

const APP = [
  'AUTH_APP_SPA_REDIRECT_URIS=https://spa.example.com/cb',
  'AUTH_APP_SPA_FIRST_PARTY=true',
]

test.each(['{"https://api.example.com/":true}', '{}'])(
  'a first-party app without a list of resources, and with %s',
  async (list) => {
    await expectFault('app-resources', {
      where: '.env AUTH_APP_SPA_RESOURCES',
      fault: { vars: withSecret(...APP) },
      mended: { vars: withSecret(...APP, `AUTH_APP_SPA_RESOURCES=${list}`) },
    })
  },
)

test('a machine without a list of resources', async () => {
  const machine = ['AUTH_APP_CI_MACHINE=true', `AUTH_APP_CI_SECRET=${'s'.repeat(40)}`]
  await expectFault('app-resources', {
    where: '.env AUTH_APP_CI_RESOURCES',
    fault: { vars: withSecret(...machine) },
    mended: {
      vars: withSecret(...machine, 'AUTH_APP_CI_RESOURCES={"https://api.example.com/":true}'),
    },
  })
})

test('a flag of a wrangler file that is not a text', async () => {
  const toml = `${BINDINGS}[vars]\nAUTH_APP_SPA_FIRST_PARTY = true`
  const found = (await findingsIn({ toml })).filter(({ code }) => code === 'app-resources')
  expect(found.map(({ level }) => level)).toEqual(['warning'])
})

test('any other app may ask a person for all', async () => {
  const vars = (value: string) => ({
    vars: withSecret(APP[0] ?? '', `AUTH_APP_SPA_FIRST_PARTY=${value}`),
  })
  expect(await findingsIn(vars('false'))).toEqual([])
})
