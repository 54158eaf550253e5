import { expect, test } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { examplesIn } from '../../../../test/support/example-below.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { companyWorld } from '../../test-support/companies.js'

clock()
const exampleBelow = examplesIn('companies')

type Auth = Pick<ReturnType<typeof createAuth>, 'subOfCompany' | 'blockPerson' | 'unblockPerson'>

interface Recipe {
  changeUser(auth: Auth, company: string, user: object): Promise<Response>
}

/** The recipe of docs/companies.md, run unchanged. */
test('the SCIM route of the documentation blocks a person who leaves, and lets them in when they are back', async () => {
  const { changeUser } = await exampleBelow<Recipe>('A person who leaves')
  const world = await companyWorld()
  const auth = createAuth(world.config)
  const [one, other] = [await world.of('acme'), await world.of('acme', { sub: 'bob' })]
  const change = (active: boolean, company = 'acme') =>
    changeUser(auth, company, { externalId: 'ada', active })
  expect((await change(false)).status).toBe(200)
  expect([await one.session(), (await other.session()) !== null]).toEqual([null, true])
  expect(errorOf(await world.signInBy(world.browser(), 'acme'))).toBe(
    '/auth/error AccessDenied blocked',
  )
  expect((await change(true)).status).toBe(200)
  expect(errorOf(await world.signInBy(one, 'acme'))).toBe('/inbox')
  expect(claimsIn(one).company).toBe('acme')
  expect((await change(false, 'none')).status).toBe(404)
})
