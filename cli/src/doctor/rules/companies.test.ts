import { expect, test } from 'vitest'
import { expectFault, findingsIn, withSecret } from '../test-support/written.js'

const ACME = [
  'AUTH_COMPANY_ACME_DOMAINS=acme.example acme-labs.example',
  'AUTH_COMPANY_ACME_ISSUER=https://acme.idp.example',
  'AUTH_COMPANY_ACME_ID=client',
]

test.each([0, 1, 2])('a company with one of its three variables missing: %s', async (at) => {
  const [name = ''] = (ACME[at] ?? '').split('=')
  await expectFault('company-half', {
    where: `.env ${name}`,
    fault: { vars: withSecret(...ACME.toSpliced(at, 1)) },
    mended: { vars: withSecret(...ACME) },
  })
})

test.each(['gmail.com', 'co.uk', '*.acme.example', 'acme', 'ada@acme.example'])(
  'a domain that cannot count: %s',
  async (domain) => {
    const [, ...rest] = ACME
    await expectFault('company-domain', {
      where: '.env AUTH_COMPANY_ACME_DOMAINS',
      fault: { vars: withSecret(`AUTH_COMPANY_ACME_DOMAINS=acme.example ${domain}`, ...rest) },
      mended: { vars: withSecret(...ACME) },
    })
  },
)

test('a domain of two companies', async () => {
  const bolt = ['ISSUER=https://bolt.idp.example', 'ID=client', 'DOMAINS=ACME.example']
  const vars = withSecret(...ACME, ...bolt.map((line) => `AUTH_COMPANY_BOLT_${line}`))
  const codes = (await findingsIn({ vars })).map(({ code, level }) => [code, level])
  expect(codes).toEqual([['company-domain', 'error']])
})
