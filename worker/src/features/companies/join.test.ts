import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import {
  type Browser,
  claimsIn,
  copyOf,
  errorOf,
  locationOf,
  setsSession,
} from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const JOIN = '/auth/company/join'

const joining = (more: Parameters<typeof companyWorld>[2] = {}, changes = {}) =>
  companyWorld([companyAt('acme', { join: true })], changes, more)

const choose = (one: Browser, choice: string, fields = {}) =>
  one.submit(JOIN, { choice, ...fields })

describe('a first sign-in of a company with join', () => {
  it('makes no session, and leads to a page that asks', async () => {
    const world = await joining()
    const one = world.browser()
    const end = await world.signInBy(one, 'acme')
    expect([errorOf(end), setsSession(end)]).toEqual([JOIN, false])
    expect(await one.session()).toBeNull()
    const page = await (await one.get(JOIN)).text()
    expect(page).toContain('Do you have an account here already?')
    expect(page).toContain('The acme company')
    expect(page).toContain('ada@acme.example')
    for (const choice of ['new', 'one', 'two', 'email']) expect(page).toContain(`value="${choice}"`)
  })

  it('choice=new: a new person, who is never asked again', async () => {
    const world = await joining()
    const one = world.browser()
    await world.signInBy(one, 'acme')
    expect(errorOf(await choose(one, 'new'))).toBe('/inbox')
    expect(await one.session()).toMatchObject({ company: 'acme' })
    const auth = createAuth(world.config)
    expect(await auth.subOfCompany({ company: 'acme', subject: 'ada' })).toBe(claimsIn(one).sub)
    const two = world.browser()
    expect(errorOf(await world.signInBy(two, 'acme'))).toBe('/inbox')
    expect(claimsIn(two).sub).toBe(claimsIn(one).sub)
  })

  it('choice=new with ids of the app', async () => {
    const subject = ({ user }: { user: { email: string } }) => `own-${user.email}`
    const world = await joining({}, { subject })
    const one = world.browser()
    await world.signInBy(one, 'acme')
    expect(errorOf(await choose(one, 'new'))).toBe('/inbox')
    expect(claimsIn(one).sub).toBe('own-ada@acme.example')
    expect(errorOf(await world.signInBy(world.browser(), 'acme'))).toBe('/inbox')
  })

  it('choice=<provider>: an old account is proved, the company’s way is theirs, and the session begins', async () => {
    const world = await joining()
    const old = await world.signIn('one', 'ada-of-old')
    const one = world.browser()
    await world.signInBy(one, 'acme')
    const end = await world.backFrom(one, 'one', await choose(one, 'one'), 'ada-of-old')
    expect([errorOf(end), setsSession(end)]).toEqual(['/inbox', true])
    expect(claimsIn(one)).toMatchObject({
      sub: claimsIn(old).sub,
      company: 'acme',
      amr: ['company-acme'],
    })
    expect((await world.ways(one)).map(({ provider }) => provider).sort()).toEqual([
      'company-acme',
      'one',
    ])
    // From now on the company alone suffices.
    const two = world.browser()
    expect(errorOf(await world.signInBy(two, 'acme'))).toBe('/inbox')
    expect(claimsIn(two).sub).toBe(claimsIn(old).sub)
  })

  it('choice=email: a mail to the company’s address, in this browser', async () => {
    const world = await joining()
    const old = await world.signIn('email', 'ada@acme.example')
    const one = world.browser()
    await world.signInBy(one, 'acme')
    await choose(one, 'email')
    expect(world.mails.at(-1)?.identifier).toBe('ada@acme.example')
    expect(errorOf(await one.get(world.lastMail().path))).toBe('/inbox')
    expect(claimsIn(one)).toMatchObject({ sub: claimsIn(old).sub, company: 'acme' })
  })

  it('counts under only too, because the company’s proof was given', async () => {
    const world = await companyWorld([companyAt('acme')])
    const old = await world.signIn('email', 'ada@acme.example')
    Object.assign(world.all[0] as object, { only: true, join: true })
    pass(61)
    const one = world.browser()
    await world.signInBy(one, 'acme')
    await choose(one, 'email')
    expect(errorOf(await one.get(world.lastMail().path))).toBe('/inbox')
    expect(claimsIn(one)).toMatchObject({ sub: claimsIn(old).sub, company: 'acme' })
  })

  it('a way that nobody has leads back to the page, and the sign-in still waits', async () => {
    const world = await joining()
    const one = world.browser()
    await world.signInBy(one, 'acme')
    const end = await world.backFrom(one, 'one', await choose(one, 'one'), 'nobody')
    expect(new URL(locationOf(end)).pathname).toBe(JOIN)
    expect(await one.session()).toBeNull()
    const page = await (
      await one.get(new URL(locationOf(end)).pathname + new URL(locationOf(end)).search)
    ).text()
    expect(page).toContain('That sign-in belongs to no account here')
    expect(errorOf(await choose(one, 'new'))).toBe('/inbox')
  })

  it('a second factor of the old account is asked for before anything is added', async () => {
    const world = await joining()
    const old = await world.signIn('one', 'ada-of-old')
    const { app } = await setUpFactor(old)
    pass(60)
    const one = world.browser()
    await world.signInBy(one, 'acme')
    const asked = await world.backFrom(one, 'one', await choose(one, 'one'), 'ada-of-old')
    expect(errorOf(asked)).toBe('/auth/factor')
    expect((await world.ways(old)).map(({ provider }) => provider)).toEqual(['one'])
    await one.submit('/auth/factor', { code: app.code() })
    expect((await world.ways(old)).map(({ provider }) => provider).sort()).toEqual([
      'company-acme',
      'one',
    ])
  })
})

describe('attack:', () => {
  it('an old way is proved in another browser', async () => {
    const world = await joining()
    await world.signIn('one', 'victim')
    const [one, other] = [world.browser(), world.browser()]
    await world.signInBy(one, 'acme')
    const start = await choose(one, 'one')
    const end = await world.backFrom(other, 'one', start, 'victim')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
  })

  it('the flow of the provider is brought to a browser without the waiting sign-in', async () => {
    const world = await joining()
    await world.signIn('one', 'victim')
    const one = world.browser()
    await world.signInBy(one, 'acme')
    const start = await choose(one, 'one')
    const flows = [...one.jar.keys()].filter((name) => name.startsWith('auth.flow.')).sort()
    one.jar.delete(flows[0] ?? '')
    const end = await world.backFrom(one, 'one', start, 'victim')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
  })

  it('a waiting sign-in is used twice', async () => {
    const world = await joining()
    const one = world.browser()
    await world.signInBy(one, 'acme')
    const two = copyOf(one, world.config)
    expect(errorOf(await choose(one, 'new'))).toBe('/inbox')
    const again = await choose(two, 'new')
    expect([errorOf(again), setsSession(again)]).toEqual(['/auth/signin InvalidCheck', false])
  })

  it('it has waited for more than ten minutes', async () => {
    const world = await joining()
    const one = world.browser()
    await world.signInBy(one, 'acme')
    pass(601)
    expect(errorOf(await choose(one, 'new'))).toBe('/auth/signin InvalidCheck')
  })

  it('a choice that is not an old way: another company, a passkey, an unknown name', async () => {
    const world = await joining()
    const one = world.browser()
    await world.signInBy(one, 'acme')
    for (const choice of ['company', 'company-acme', 'passkey', '', '__proto__']) {
      const end = await choose(one, choice)
      expect([choice, setsSession(end)]).toEqual([choice, false])
    }
    expect(await one.session()).toBeNull()
  })

  it('without the csrf token', async () => {
    const world = await joining()
    const one = world.browser()
    await world.signInBy(one, 'acme')
    expect(errorOf(await one.post(JOIN, { choice: 'new' }))).toBe('/auth/signin MissingCSRF')
  })

  it('a blocked old person joins nothing', async () => {
    const world = await joining()
    const old = await world.signIn('one', 'ada-of-old')
    await createAuth(world.config).blockPerson({ sub: claimsIn(old).sub })
    const one = world.browser()
    await world.signInBy(one, 'acme')
    const end = await world.backFrom(one, 'one', await choose(one, 'one'), 'ada-of-old')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error AccessDenied blocked', false])
  })
})
