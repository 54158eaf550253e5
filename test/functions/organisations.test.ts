import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { clock } from '../support/clock.ts'
import { linkIn, type ReadMail, Visitor } from '../support/visitor.ts'

/** examples/organisations on SQLite and in memory. Compiled as an app of its own, with other types. */
const folder = join(rootDir, 'examples/organisations/src')
interface Database {
  rows<Row>(sql: string, ...values: (string | number)[]): Promise<readonly Row[]>
}
interface Parts {
  readonly db: Database
  readonly send: (mail: ReadMail) => Promise<unknown>
  readonly env: object
  readonly origin: string
  readonly store: object
}
interface App {
  fetch(request: Request): Response | Promise<Response>
}
const load = (name: string) => import(/* @vite-ignore */ join(folder, name))
const { createApp } = (await load('app.ts')) as { createApp(parts: Parts): App }
const { sqlite } = (await load('sqlite.ts')) as { sqlite(path: string): Database }

const ORIGIN = 'http://localhost:3000'
const DAY = 24 * 3600
const ADA = 'ada@example.com'
const GRACE = 'grace@example.com'
const EVE = 'eve@example.com'

const { pass } = clock({ start: 'now' })
beforeEach(() => void vi.stubEnv('AUTH_SECRET', 'a-secret-of-the-tests-0123456789abcdef'))
afterEach(() => void vi.unstubAllEnvs())

function started() {
  const db = sqlite(':memory:')
  const mails: ReadMail[] = []
  const app = createApp({
    db,
    send: async (mail) => void mails.push(mail),
    env: process.env,
    origin: ORIGIN,
    store: memoryStore(),
  })
  const mailTo = async (email: string) => mails.findLast(({ to }) => to === email) as ReadMail
  const stranger = () => new Visitor(ORIGIN, (request) => app.fetch(request))
  const visitor = async (email: string) => {
    const one = stranger()
    await one.signIn(email, mailTo)
    return one
  }
  return { db, mails, mailTo, stranger, visitor }
}

interface Me {
  readonly user: { readonly id: string; readonly email: string }
  readonly organisation?: string
  readonly role?: string
}

const me = async (one: Visitor) => (await (await one.go('/api/me')).json()) as Me
const idOf = async (one: Visitor) => (await me(one)).user.id
/** The claims, when a change has had its time. */
const activeOf = async (one: Visitor) => {
  pass(15)
  const { organisation, role } = await me(one)
  return [organisation, role]
}

/** Ada has founded an organization, which is active in her session. */
async function founded() {
  const set = started()
  const { db, mails, visitor } = set
  const ada = await visitor(ADA)
  const found = async (name: string) => {
    await ada.post('/organisations', { name })
    const sql = 'SELECT id FROM organisation WHERE name = ?1'
    return (await db.rows<{ id: string }>(sql, name))[0]?.id ?? ''
  }
  const acme = await found('Acme')
  await ada.update({ organisation: acme })
  const invite = async (address: string, role = 'member', organisation = acme) => {
    const before = mails.length
    const { status } = await ada.post('/invitations', { organisation, address, role })
    const link = mails.length > before ? linkIn(mails.at(-1) as ReadMail) : undefined
    return { status, link }
  }
  /** What the person's browser does with the link. @returns the statuses of the page and of the click */
  const follow = async (one: Visitor, link: URL | undefined) => {
    const page = await one.go(`${link?.pathname}${link?.search}`)
    const invitation = link?.searchParams.get('invitation') ?? ''
    return [page.status, (await one.post('/join', { invitation })).status]
  }
  /** A member, with the organization active. */
  const joined = async (address: string, role = 'member') => {
    const { link } = await invite(address, role)
    const one = await visitor(address)
    expect(await follow(one, link)).toEqual([200, 303])
    await one.update({ organisation: acme })
    return one
  }
  return { ...set, ada, acme, found, invite, follow, joined }
}

const YES = 303
const NO = 403
const REFUSED = [NO, NO]

test('a person founds an organization, invites another one by mail, and both have it as a claim', async () => {
  const { ada, acme, joined, mails } = await founded()
  expect(await activeOf(ada)).toEqual([acme, 'admin'])
  const grace = await joined(GRACE)
  expect(await activeOf(grace)).toEqual([acme, 'member'])
  expect(await (await ada.go('/')).text()).toContain(GRACE)
  expect(JSON.stringify(mails.filter(({ to }) => to === GRACE))).not.toContain(ADA)
})

test('the link of an invitation leads a stranger to the sign-in, and back', async () => {
  const { invite, stranger } = await founded()
  const { link } = await invite(GRACE)
  const path = `${link?.pathname}${link?.search}`
  const answer = await stranger().go(path)
  const to = new URL(answer.headers.get('location') ?? '', ORIGIN)
  expect([to.pathname, to.searchParams.get('callbackUrl')]).toEqual(['/auth/signin', path])
})

test('a role that is changed is in the session within 15 seconds, and nobody is signed out', async () => {
  const { ada, acme, joined } = await founded()
  const grace = await joined(GRACE)
  const person = await idOf(grace)
  const change = { organisation: acme, person, role: 'admin' }
  expect((await ada.post('/members/role', change)).status).toBe(YES)
  expect(await activeOf(grace)).toEqual([acme, 'admin'])
})

test('a person in two organizations switches, and each says its own role', async () => {
  const { ada, acme, joined } = await founded()
  const grace = await joined(GRACE)
  await grace.post('/organisations', { name: 'Hopper' })
  const home = await (await grace.go('/')).text()
  const ids = [...home.matchAll(/data-organisation="([^"]+)"/g)].map(([, id]) => id ?? '')
  expect(ids).toHaveLength(2)
  const hopper = ids.find((id) => id !== acme) ?? ''
  await grace.update({ organisation: hopper })
  expect(await activeOf(grace)).toEqual([hopper, 'admin'])
  await grace.update({ organisation: acme })
  expect(await activeOf(grace)).toEqual([acme, 'member'])
  expect(await activeOf(ada)).toEqual([acme, 'admin'])
})

describe('a removed member', () => {
  test('does not see the organization any more at once, loses the claim in 15 seconds, and stays signed in', async () => {
    const { ada, acme, joined } = await founded()
    const grace = await joined(GRACE)
    const person = await idOf(grace)
    expect(await (await grace.go('/')).text()).toContain(ADA)
    const removal = { organisation: acme, person }
    expect((await ada.post('/members/remove', removal)).status).toBe(YES)
    const home = await (await grace.go('/')).text()
    expect(home).toContain('No organization is active')
    expect(home).not.toContain(ADA)
    expect(await activeOf(grace)).toEqual([undefined, undefined])
    expect(await idOf(grace)).toBe(person)
  })

  test('attack: chooses the organization again', async () => {
    const { ada, acme, joined } = await founded()
    const grace = await joined(GRACE)
    await ada.post('/members/remove', { organisation: acme, person: await idOf(grace) })
    expect(await grace.update({ organisation: acme })).not.toHaveProperty('organisation')
  })

  test('attack: was an admin, and acts with a token from before', async () => {
    const { ada, acme, joined, mails } = await founded()
    const grace = await joined(GRACE, 'admin')
    const old = new Map(grace.jar)
    const [adaId, graceId] = [await idOf(ada), await idOf(grace)]
    await ada.post('/members/remove', { organisation: acme, person: graceId })
    for (const [name, value] of old) grace.jar.set(name, value)
    const count = mails.length
    const own = { organisation: acme }
    for (const [path, fields] of [
      ['/members/remove', { ...own, person: adaId }],
      ['/members/role', { ...own, person: graceId, role: 'admin' }],
      ['/invitations', { ...own, address: EVE, role: 'admin' }],
      ['/organisations/remove', own],
    ] as const) {
      expect([path, (await grace.post(path, fields)).status]).toEqual([path, NO])
    }
    expect(mails).toHaveLength(count)
    expect(await activeOf(ada)).toEqual([acme, 'admin'])
  })

  test('attack: comes back by a second invitation that was open', async () => {
    const { ada, acme, joined, invite, follow } = await founded()
    const { link } = await invite(GRACE)
    const grace = await joined(GRACE)
    await ada.post('/members/remove', { organisation: acme, person: await idOf(grace) })
    expect(await follow(grace, link)).toEqual(REFUSED)
  })
})

describe('the last admin', () => {
  test('attack: removes herself, or makes herself a member, and the organization has nobody to lead it', async () => {
    const { ada, acme, joined } = await founded()
    const grace = await joined(GRACE)
    const own = { organisation: acme, person: await idOf(ada) }
    expect((await ada.post('/members/remove', own)).status).toBe(NO)
    expect((await ada.post('/members/role', { ...own, role: 'member' })).status).toBe(NO)
    const other = { organisation: acme, person: await idOf(grace), role: 'admin' }
    expect((await ada.post('/members/role', other)).status).toBe(YES)
    expect((await ada.post('/members/remove', own)).status).toBe(YES)
    expect(await activeOf(ada)).toEqual([undefined, undefined])
  })

  test('attack: two admins remove each other at the same moment', async () => {
    const { db, ada, acme, joined } = await founded()
    const grace = await joined(GRACE, 'admin')
    const [adaId, graceId] = [await idOf(ada), await idOf(grace)]
    const answers = await Promise.all([
      ada.post('/members/remove', { organisation: acme, person: graceId }),
      grace.post('/members/remove', { organisation: acme, person: adaId }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([YES, NO])
    const sql = "SELECT person FROM member WHERE organisation = ?1 AND role = 'admin'"
    expect(await db.rows(sql, acme)).toHaveLength(1)
  })
})

describe('a member without the role of an admin', () => {
  test('attack: makes herself an admin, removes others, invites, removes the organization', async () => {
    const { ada, acme, joined, mails } = await founded()
    const grace = await joined(GRACE)
    const [adaId, graceId] = [await idOf(ada), await idOf(grace)]
    const count = mails.length
    const own = { organisation: acme }
    for (const [path, fields] of [
      ['/members/role', { ...own, person: graceId, role: 'admin' }],
      ['/members/role', { ...own, person: adaId, role: 'member' }],
      ['/members/remove', { ...own, person: adaId }],
      ['/invitations', { ...own, address: EVE, role: 'member' }],
      ['/organisations/remove', own],
    ] as const) {
      expect([path, (await grace.post(path, fields)).status]).toEqual([path, NO])
    }
    expect(mails).toHaveLength(count)
    expect((await grace.post('/members/remove', { ...own, person: graceId })).status).toBe(YES)
  })

  test('attack: writes the role into the data of an update', async () => {
    const { acme, joined } = await founded()
    const grace = await joined(GRACE)
    for (const data of [
      { role: 'admin' },
      { organisation: acme, role: 'admin' },
      { organisation: { id: acme } },
      { organisation: [acme], role: 'admin' },
      { token: { organisation: acme, role: 'admin' }, sub: 'x' },
    ]) {
      await grace.update(data)
      expect(await activeOf(grace)).toEqual([acme, 'member'])
    }
  })

  test('attack: chooses an organization of other people', async () => {
    const { acme, visitor } = await founded()
    const eve = await visitor(EVE)
    expect(await eve.update({ organisation: acme })).not.toHaveProperty('organisation')
    expect(await activeOf(eve)).toEqual([undefined, undefined])
    expect((await eve.post('/organisations/remove', { organisation: acme })).status).toBe(NO)
  })
})

describe('an invitation', () => {
  test('attack: to another address: a person with the link who is signed in as somebody else does not join', async () => {
    const { invite, follow, visitor } = await founded()
    const { link } = await invite(GRACE)
    const eve = await visitor(EVE)
    expect(await follow(eve, link)).toEqual(REFUSED)
    // It is not used up: the invited person signs in, and joins.
    const { jar } = eve
    await eve.signOut()
    expect(jar.has('auth.session-token')).toBe(false)
    expect(await follow(await visitor(GRACE), link)).toEqual([200, 303])
  })

  test('attack: used twice, also at the same moment, or after the member has gone', async () => {
    const { acme, invite, follow, visitor } = await founded()
    const { link } = await invite(GRACE)
    const grace = await visitor(GRACE)
    const invitation = link?.searchParams.get('invitation') ?? ''
    const both = await Promise.all([1, 2].map(() => grace.post('/join', { invitation })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([YES, NO])
    await grace.update({ organisation: acme })
    const own = { organisation: acme, person: await idOf(grace) }
    expect((await grace.post('/members/remove', own)).status).toBe(YES)
    expect(await follow(grace, link)).toEqual(REFUSED)
  })

  test('attack: of a removed organization', async () => {
    const { ada, acme, invite, follow, visitor } = await founded()
    const { link } = await invite(GRACE)
    expect((await ada.post('/organisations/remove', { organisation: acme })).status).toBe(YES)
    expect(await activeOf(ada)).toEqual([undefined, undefined])
    expect(await follow(await visitor(GRACE), link)).toEqual(REFUSED)
  })

  test('attack: of an admin who was removed, to another address of theirs', async () => {
    const { ada, acme, joined, mailTo, visitor, follow } = await founded()
    const grace = await joined(GRACE, 'admin')
    await grace.post('/invitations', { organisation: acme, address: EVE, role: 'admin' })
    const link = linkIn(await mailTo(EVE))
    await ada.post('/members/remove', { organisation: acme, person: await idOf(grace) })
    expect(await follow(await visitor(EVE), link)).toEqual(REFUSED)
  })

  test('attack: kept for later than three days', async () => {
    const { invite, follow, visitor } = await founded()
    const { link } = await invite(GRACE)
    pass(3 * DAY - 60)
    const grace = await visitor(GRACE)
    expect((await grace.go(`${link?.pathname}${link?.search}`)).status).toBe(200)
    pass(120)
    expect(await follow(grace, link)).toEqual(REFUSED)
  })

  test('attack: forged, cut, or sealed by another secret', async () => {
    const { db, invite, follow, visitor } = await founded()
    const { link } = await invite(GRACE)
    const grace = await visitor(GRACE)
    const invitation = link?.searchParams.get('invitation') ?? ''
    const [row] = await db.rows<{ id: string }>('SELECT id FROM invitation')
    vi.stubEnv('AUTH_SECRET', 'another-secret-of-the-tests-0123456789ab')
    const other = await founded()
    const foreign = (await other.invite(GRACE)).link?.searchParams.get('invitation') ?? ''
    vi.stubEnv('AUTH_SECRET', 'a-secret-of-the-tests-0123456789abcdef')
    const wrong = [row?.id ?? '', '', 'x'.repeat(5_000), `${invitation.slice(0, -2)}AA`, foreign]
    for (const one of wrong) {
      const forged = new URL('/join', ORIGIN)
      forged.searchParams.set('invitation', one)
      expect([one, ...(await follow(grace, forged))]).toEqual([one, ...REFUSED])
    }
    expect(await follow(grace, link)).toEqual([200, 303])
  })

  test('attack: a mail scanner that follows the link uses nothing up', async () => {
    const { invite, follow, visitor } = await founded()
    const { link } = await invite(GRACE)
    const grace = await visitor(GRACE)
    for (let times = 0; times < 3; times++) await grace.go(`${link?.pathname}${link?.search}`)
    expect(await follow(grace, link)).toEqual([200, 303])
  })

  test('attack: makes an admin a member', async () => {
    const { ada, acme, invite, follow } = await founded()
    const { link } = await invite(ADA)
    expect(await follow(ada, link)).toEqual([200, 303])
    expect(await activeOf(ada)).toEqual([acme, 'admin'])
  })

  test('attack: floods a mailbox, or many', async () => {
    const { invite, mails, found } = await founded()
    const statuses: number[] = []
    for (let times = 0; times < 4; times++) statuses.push((await invite(GRACE)).status)
    expect(statuses).toEqual([YES, YES, YES, NO])
    for (let one = 0; one < 30; one++) await invite(`person${one}@example.com`)
    expect(mails.filter(({ to }) => to !== ADA)).toHaveLength(20)
    for (let one = 0; one < 9; one++) await found(`Another ${one}`)
    expect(await found('Another 8')).toBe('')
    pass(DAY)
    expect((await invite(EVE)).status).toBe(YES)
  })

  test('attack: an address that is two, a header, or a name', async () => {
    const { invite, mails } = await founded()
    const count = mails.length
    for (const address of [
      'grace@example.com, eve@example.com',
      'grace@example.com\r\nBcc: eve@example.com',
      '"grace"@example.com',
      'Grace <grace@example.com>',
      'grace@[127.0.0.1]',
      `${'a'.repeat(65)}@example.com`,
      'grace',
      '',
    ]) {
      expect([address, (await invite(address)).status]).toEqual([address, NO])
    }
    expect(mails).toHaveLength(count)
    expect((await invite(' Grace@Example.com ')).status).toBe(YES)
  })
})

test('attack: a name with a link, or with markup, founds nothing', async () => {
  const { found } = await founded()
  for (const name of [
    'evil.example',
    'https://evil.example',
    '<b>Acme',
    'a\nb',
    '',
    'x'.repeat(41),
  ])
    expect([name, await found(name)]).toEqual([name, ''])
})

test('attack: a form of another site changes nothing', async () => {
  const { ada, acme } = await founded()
  const fields = { organisation: acme }
  const answer = await ada.post('/organisations/remove', fields, 'https://evil.example')
  expect(answer.status).toBe(NO)
  expect(await activeOf(ada)).toEqual([acme, 'admin'])
})

test('attack: the form of a tab from before a switch changes nothing in the organization of now', async () => {
  const { ada, acme, found } = await founded()
  const other = await found('Other')
  await ada.update({ organisation: other })
  expect((await ada.post('/organisations/remove', { organisation: acme })).status).toBe(NO)
  expect(await activeOf(ada)).toEqual([other, 'admin'])
})

test('an erased account leaves no row of its person', async () => {
  const { db, ada, acme, joined, invite } = await founded()
  const grace = await joined(GRACE, 'admin')
  const person = await idOf(grace)
  await invite(EVE)
  const csrf = (await (await grace.go('/auth/csrf')).json()) as { csrfToken: string }
  await grace.post('/auth/account/delete', { ...csrf, confirm: 'on' })
  const rows = await Promise.all(
    ['organisation', 'member', 'invitation'].map((table) => db.rows(`SELECT * FROM ${table}`)),
  )
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${person}|${GRACE}`))
  expect(await activeOf(ada)).toEqual([acme, 'admin'])
})

test('docs/organisations.md has the code of the example, unchanged', () => {
  const page = readFileSync(join(rootDir, 'docs/organisations.md'), 'utf8')
  const blocks = [...page.matchAll(/```(?:ts|sql)\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const files = ['claims.ts', 'invitation-link.ts', '../migrations/0001_organisations.sql']
  const sources = files.map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(blocks).toHaveLength(files.length)
  for (const block of blocks) expect(sources.filter((text) => text.includes(block))).toHaveLength(1)
})
