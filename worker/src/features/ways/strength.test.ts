import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { EmailNotSent } from '../../errors.js'
import { createAuth } from '../../index.js'
import { type Browser, claimsIn, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

// What a session of one factor adds to a person with a passkey counts as one factor for a week (NIST SP 800-63B,
// binding of authenticators). So a mailbox alone changes nothing for that long, and no user is locked out.

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

const ADDRESS = 'ada@mail.example'
const WEEK = 7 * 24 * 3600
const STRONG = ['passkey', 'hwk', 'user']
const WEAK = ['passkey', 'hwk']

type World = ReturnType<typeof passkeyPeople>

/** Ada signs up with a passkey, adds her address, and a thief who reads her mailbox signs in by it. */
async function withThief(world: World = passkeyPeople()) {
  const own = world.authenticator()
  const { one: ada } = await world.signUp(own, { name: 'Ada' })
  pass(2)
  await addAddress(world, ada, ADDRESS)
  const thief = world.browser()
  await readMailbox(world, thief)
  return { world, own, ada, thief }
}

/** Opens the link of the last mail that has one. */
function openLink({ mails }: World, one: Browser): Promise<Response> {
  const url = new URL(mails.findLast(({ code }) => code)?.url ?? origin)
  return one.get(url.pathname + url.search)
}

async function addAddress(world: World, one: Browser, email: string): Promise<Response> {
  await world.startAdding(one, 'email', { email })
  return openLink(world, one)
}

async function readMailbox(world: World, one: Browser): Promise<Browser> {
  await one.submit('/auth/signin/email', { email: ADDRESS })
  await openLink(world, one)
  return one
}

/** What a passkey gives now. */
async function amrBy(world: World, key: ReturnType<World['authenticator']>) {
  const { one } = await world.signInBy(key)
  return claimsIn(one).amr
}

const idsOf = async (world: World, one: Browser, provider: string) =>
  (await world.ways(one)).filter((way) => way.provider === provider).map(({ id }) => id)

/** The target of a form that asks for a stronger sign-in. */
const STEP_UP = `${origin}/auth/signin?maxAge=300&acr=2&callbackUrl=`

describe('a thief who reads the mailbox of a person with a passkey', () => {
  it('adds a passkey of their own that is one factor, and does not remove the owner’s', async () => {
    const { world, own, ada, thief } = await withThief()
    const [owned = ''] = await idsOf(world, ada, 'passkey')
    const stolen = world.authenticator()
    expect(await world.addPasskey(thief, stolen)).toMatchObject({ status: 200 })
    expect(await amrBy(world, stolen)).toEqual(WEAK)
    expect(locationOf(await world.remove(thief, owned))).toContain(STEP_UP)
    const { one: by } = await world.signInBy(stolen)
    expect(locationOf(await world.remove(by, owned))).toContain(STEP_UP)
    expect(await idsOf(world, ada, 'passkey')).toContain(owned)
    expect(await amrBy(world, own)).toEqual(STRONG)
  })

  it('sets up an app that does not count as a second factor yet, also in the session that sets it up', async () => {
    const { world, own, ada, thief } = await withThief()
    const [owned = ''] = await idsOf(world, ada, 'passkey')
    const { app } = await setUpFactor(thief)
    expect(claimsIn(thief).amr).toEqual(['email', 'otp'])
    expect(locationOf(await world.remove(thief, owned))).toContain(STEP_UP)
    pass(30)
    const other = await readMailbox(world, world.browser())
    await other.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(other).amr).toEqual(['email', 'otp'])
    expect(await amrBy(world, own)).toEqual(STRONG)
  })

  it('does not confirm their new factors', async () => {
    const { world, thief } = await withThief()
    const stolen = world.authenticator()
    await world.addPasskey(thief, stolen)
    const { one: by } = await world.signInBy(stolen)
    await setUpFactor(thief)
    for (const one of [thief, by]) {
      for (const way of await idsOf(world, one, 'passkey')) {
        expect(locationOf(await one.submit('/auth/ways/confirm', { way }))).toContain(STEP_UP)
      }
      expect(locationOf(await one.submit('/auth/factor/confirm'))).toContain(STEP_UP)
    }
    expect(claimsIn(thief).amr).not.toContain('mfa')
  })

  it('does not delete the account, and does not take away the address for the owner’s notices', async () => {
    const { world, own, thief } = await withThief(passkeyPeople({ accountDeletion: true }))
    expect(locationOf(await thief.submit('/auth/account/delete'))).toContain(STEP_UP)
    const [address = ''] = await idsOf(world, thief, 'email')
    pass(2)
    await world.add(thief, 'one', 'thief')
    expect(locationOf(await world.remove(thief, address))).toContain(STEP_UP)
    const { one: ada } = await world.signInBy(own)
    expect(errorOf(await ada.submit('/auth/account/delete'))).toBe('/auth/account')
    expect(await (await ada.get('/auth/session')).json()).toBeNull()
  })

  it.each([
    ['/auth/factor/recovery', '/auth/factor/confirm'],
    ['/auth/factor/remove', '/auth/factor/confirm'],
    ['/auth/ways/remove', '/auth/ways/confirm'],
  ])('changes nothing by %s if the owner confirms it in between', async (path, confirm) => {
    const { world, own, thief: ada } = await withThief()
    const before = await idsOf(world, ada, 'passkey')
    const thief = await readMailbox(world, world.browser())
    await world.addPasskey(ada, world.authenticator())
    const [way = ''] = (await idsOf(world, ada, 'passkey')).filter((id) => !before.includes(id))
    await setUpFactor(ada)
    const { one: strong } = await world.signInBy(own)
    const change = world.inner.ledger.changeDocument
    let confirmed = 0
    world.faults.set('changeDocument', async (key, version, content) => {
      world.faults.delete('changeDocument')
      confirmed = (await strong.submit(confirm, { way })).status
      return change?.(key as string, version as number, content as string | null)
    })
    const answer = await thief.submit(path, { way })
    expect(confirmed).toBe(302)
    expect(await answer.text()).not.toMatch(/[0-9A-Z]{4}(?:-[0-9A-Z]{4}){5}/)
    expect(await idsOf(world, ada, 'passkey')).toContain(way)
    expect(await (await strong.get('/auth/account/security')).text()).toContain(
      '/auth/factor/remove',
    )
  })
})

describe('a further passkey that a session of one factor added', () => {
  it('counts when a session of two factors has confirmed it on the page of the account', async () => {
    const { world, own, thief: ada } = await withThief()
    const further = world.authenticator()
    const before = await idsOf(world, ada, 'passkey')
    await world.addPasskey(ada, further)
    const [way = ''] = (await idsOf(world, ada, 'passkey')).filter((id) => !before.includes(id))
    const { one: strong } = await world.signInBy(own)
    const page = await (await strong.get('/auth/account/passkeys')).text()
    expect(page).toMatch(/action="\/auth\/ways\/confirm"[\s\S]*?name="way" value="([^"]+)"/)
    expect(page).toContain(`name="way" value="${way}"`)
    expect(errorOf(await strong.submit('/auth/ways/confirm', { way }))).toBe('/auth/account')
    expect(await amrBy(world, further)).toEqual(STRONG)
    const later = await (await strong.get('/auth/account/passkeys')).text()
    expect(later).not.toContain('/auth/ways/confirm')
  })

  it('counts seven days after every verified address got a notice, and not before', async () => {
    const { world, thief: ada } = await withThief()
    const further = world.authenticator()
    await world.addPasskey(ada, further)
    const { identifier, mail } = world.mails.at(-1) ?? {}
    expect(identifier).toBe(ADDRESS)
    expect(mail?.text).toContain('It becomes fully active in seven days')
    pass(WEEK - 1)
    expect(await amrBy(world, further)).toEqual(WEAK)
    pass(1)
    expect(await amrBy(world, further)).toEqual(STRONG)
  })

  it('does not count while a mail could not be sent: it is sent again at a sign-in of another day', async () => {
    let isDown = false
    const world = passkeyPeople()
    const mails = world.mails
    const push = mails.push.bind(mails)
    mails.push = (...sent) => {
      if (isDown) throw new EmailNotSent('Down.')
      return push(...sent)
    }
    const { thief: ada } = await withThief(world)
    const further = world.authenticator()
    isDown = true
    expect(await world.addPasskey(ada, further)).toMatchObject({ status: 200 })
    isDown = false
    const sent = mails.length
    expect(await amrBy(world, further)).toEqual(WEAK)
    expect(mails).toHaveLength(sent)
    pass(2 * WEEK)
    expect(await amrBy(world, further)).toEqual(WEAK)
    expect(mails).toHaveLength(sent + 1)
    expect(await amrBy(world, further)).toEqual(WEAK)
    expect(mails).toHaveLength(sent + 1)
    pass(WEEK)
    expect(await amrBy(world, further)).toEqual(STRONG)
  })

  it('is never strong by time if no notice can be sent, also by an address that the same session added', async () => {
    const world = passkeyPeople()
    const own = world.authenticator()
    const { one: ada } = await world.signUp(own, { name: 'Ada' })
    pass(2)
    await world.add(ada, 'one', 'ada')
    const thief = await world.signIn('one', 'ada')
    pass(2)
    await addAddress(world, thief, 'thief@mail.example')
    const stolen = world.authenticator()
    await world.addPasskey(thief, stolen)
    pass(5 * WEEK)
    expect(await amrBy(world, stolen)).toEqual(WEAK)
    pass(5 * WEEK)
    expect(await amrBy(world, stolen)).toEqual(WEAK)
    const { one: strong } = await world.signInBy(own)
    for (const way of await idsOf(world, strong, 'passkey')) {
      await strong.submit('/auth/ways/confirm', { way })
    }
    expect(await amrBy(world, stolen)).toEqual(STRONG)
  })

  it('counts after a week also if its person began by an account that tells no address', async () => {
    const world = passkeyPeople()
    const ada = await world.signIn('one', 'ada')
    pass(2)
    await addAddress(world, ada, ADDRESS)
    await world.addPasskey(ada, world.authenticator())
    const again = await readMailbox(world, world.browser())
    const further = world.authenticator()
    await world.addPasskey(again, further)
    expect(await amrBy(world, further)).toEqual(WEAK)
    pass(WEEK)
    expect(await amrBy(world, further)).toEqual(STRONG)
  })

  it('counts after a week also if the list began when only a token without the address was there', async () => {
    const world = passkeyPeople({
      callbacks: { session: ({ session: { expires } }) => ({ expires }) },
    })
    const ada = await readMailbox(world, world.browser())
    pass(2)
    world.faults.set('get', async () => undefined)
    await world.addPasskey(ada, world.authenticator())
    world.faults.delete('get')
    const again = await readMailbox(world, world.browser())
    const further = world.authenticator()
    await world.addPasskey(again, further)
    pass(24 * 3600)
    await readMailbox(world, world.browser())
    await readMailbox(world, world.browser())
    pass(WEEK)
    expect(await amrBy(world, further)).toEqual(STRONG)
  })

  it('is removed by a session of one factor, since it gives the same', async () => {
    const { world, thief: ada } = await withThief()
    const before = await idsOf(world, ada, 'passkey')
    await world.addPasskey(ada, world.authenticator())
    const [way = ''] = (await idsOf(world, ada, 'passkey')).filter((id) => !before.includes(id))
    expect(errorOf(await world.remove(ada, way))).toBe('/auth/account')
    expect(await idsOf(world, ada, 'passkey')).toEqual(before)
  })

  it('is asked for the app of its person, which a strong passkey is not', async () => {
    const { world, own, thief: ada } = await withThief()
    const further = world.authenticator()
    await world.addPasskey(ada, further)
    const { one: strong } = await world.signInBy(own)
    const { app } = await setUpFactor(strong)
    expect(claimsIn(strong).amr).toEqual([...STRONG, 'otp', 'mfa'])
    expect(await amrBy(world, own)).toEqual(STRONG)
    const { one, told } = await world.signInBy(further)
    expect(told.url).toBe(`${origin}/auth/factor`)
    pass(30)
    await one.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(one).amr).toEqual([...WEAK, 'otp', 'mfa'])
  })
})

describe('a further app', () => {
  it('that a session of one factor set up counts after a week, or when a passkey has confirmed it', async () => {
    for (const isConfirmed of [true, false]) {
      const { world, own, thief: ada } = await withThief()
      const { app } = await setUpFactor(ada)
      if (isConfirmed) {
        const { one: strong } = await world.signInBy(own)
        expect(await (await strong.get('/auth/account/security')).text()).toContain(
          '/auth/factor/confirm',
        )
        expect(errorOf(await strong.submit('/auth/factor/confirm'))).toBe('/auth/account')
      } else pass(WEEK)
      pass(30)
      const other = await readMailbox(world, world.browser())
      await other.submit('/auth/factor', { code: app.code() })
      expect([isConfirmed, claimsIn(other).amr]).toEqual([isConfirmed, ['email', 'otp', 'mfa']])
    }
  })

  it('has new recovery codes by a session of one factor, and waits a week from then', async () => {
    const { world, thief: ada } = await withThief()
    await setUpFactor(ada)
    pass(WEEK - 10)
    const again = await readMailbox(world, world.browser())
    await again.submit('/auth/factor', { without: 'code' })
    const answer = await again.submit('/auth/factor/recovery')
    expect(answer.status).toBe(200)
    const [code = ''] = (await answer.text()).match(/[0-9A-Z]{4}(?:-[0-9A-Z]{4}){5}/) ?? []
    pass(20)
    const other = await readMailbox(world, world.browser())
    await other.submit('/auth/factor', { code })
    expect(claimsIn(other).amr).toEqual(['email', 'otp'])
  })

  it('keeps no user with another factor out: while it does not count, a sign-in goes on without a code', async () => {
    const { world, thief } = await withThief()
    await setUpFactor(thief)
    const ada = await readMailbox(world, world.browser())
    expect(await (await ada.get('/auth/factor')).text()).toContain('name="without"')
    await ada.submit('/auth/factor', { without: 'code' })
    expect(claimsIn(ada).amr).toEqual(['email'])
    expect(errorOf(await ada.submit('/auth/factor/remove'))).toBe('/auth/account')
    const free = await readMailbox(world, world.browser())
    expect(claimsIn(free).amr).toEqual(['email'])
  })

  it('that the owner has removed leaves no count of its own for the codes of theirs, also after the other sessions have ended', async () => {
    const { world, own, thief } = await withThief()
    await setUpFactor(thief)
    const { one: strong } = await world.signInBy(own)
    await strong.submit('/auth/factor/remove')
    pass(10)
    await setUpFactor(strong)
    pass(10)
    expect((await thief.submit('/auth/sessions/revoke', { session: 'others' })).status).toBe(302)
    pass(10)
    await readMailbox(world, thief)
    const from = world.calls.length
    await thief.submit('/auth/factor', { code: '000000' })
    const limits = world.calls.slice(from).filter(({ name }) => name === 'admit')
    expect(JSON.stringify(limits)).toContain('codes of a day')
  })

  it('that counts lets no user in without a code, and one that the app itself demands does not either', async () => {
    const { world, thief } = await withThief()
    await setUpFactor(thief)
    pass(WEEK)
    const ada = await readMailbox(world, world.browser())
    expect(await (await ada.get('/auth/factor')).text()).not.toContain('name="without"')
    await ada.submit('/auth/factor', { without: 'code' })
    expect(ada.jar.has('auth.session-token')).toBe(false)
    const demanding = await withThief(
      passkeyPeople({ secondFactor: ({ amr }) => amr[0] === 'email' }),
    )
    await setUpFactor(demanding.thief)
    const waits = await readMailbox(demanding.world, demanding.world.browser())
    await waits.submit('/auth/factor', { without: 'code' })
    expect(waits.jar.has('auth.session-token')).toBe(false)
  })
})

describe('attack: a stranger with the mailbox of a person with a passkey meets a demand for a second factor', () => {
  const demanding = (events: object[] = []) =>
    passkeyPeople({
      secondFactor: ({ amr }) => amr[0] === 'email',
      logger: { error() {}, warn() {}, info: (line) => void events.push(line) },
    })

  it('sets it up, and no session begins', async () => {
    const lines: object[] = []
    const { world, own, thief } = await withThief(demanding(lines))
    const { page } = await setUpFactor(thief)
    expect(page).toContain('/auth/signin?callbackUrl=')
    expect(await thief.session()).toBeNull()
    expect(lines.at(-1)).toMatchObject({ event: 'sign-in-refused', error: 'AccessDenied' })
    // The sign-in that waited is used up.
    expect(errorOf(await thief.submit('/auth/factor', { without: 'code' }))).toContain(
      'InvalidCheck',
    )
    expect(await thief.session()).toBeNull()
    // The owner comes in by the passkey, and takes it away.
    const { one: ada } = await world.signInBy(own)
    expect(errorOf(await ada.submit('/auth/factor/remove'))).toBe('/auth/account')
  })

  it('gives its codes and recovery codes, which begin no session until it counts', async () => {
    const { world, thief } = await withThief(demanding())
    const { app, codes } = await setUpFactor(thief)
    for (const code of [() => app.code(), () => codes[0]]) {
      pass(60)
      await readMailbox(world, thief)
      const end = await thief.submit('/auth/factor', { code: code() })
      expect(errorOf(end)).toBe('/auth/error AccessDenied')
      expect(await thief.session()).toBeNull()
    }
    pass(WEEK)
    const ada = await readMailbox(world, world.browser())
    await ada.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(ada).amr).toEqual(['email', 'otp', 'mfa'])
  })

  it('sets it up in one tab, and gives its codes in another, which waited for a set-up too', async () => {
    const { world, thief } = await withThief(demanding())
    const tab = await readMailbox(world, world.browser())
    const { app, codes } = await setUpFactor(thief)
    for (const code of [() => app.code(), () => codes[0]]) {
      pass(60)
      const end = await tab.submit('/auth/factor', { code: code() })
      expect(errorOf(end)).toBe('/auth/error AccessDenied')
      expect(await tab.session()).toBeNull()
    }
  })

  it('without the passkey it is the person’s first one, which counts at once', async () => {
    const world = demanding()
    const ada = world.browser()
    await readMailbox(world, ada)
    await setUpFactor(ada)
    expect(claimsIn(ada).amr).toEqual(['email', 'otp', 'mfa'])
  })
})

describe('a waiting factor of a person without any that counts', () => {
  /** A person without an address: their app waits, since a session of one factor has set it up. */
  async function withoutAddress() {
    const world = passkeyPeople()
    const own = world.authenticator()
    const { one: ada } = await world.signUp(own, { name: 'Ada' })
    pass(2)
    await world.add(ada, 'one', 'ada')
    const weak = await world.signIn('one', 'ada')
    const { app } = await setUpFactor(weak)
    return { world, own, weak, app }
  }

  it('is confirmed by any session: an app waits for good after the passkey is removed, and its code is left out', async () => {
    const { world, own, weak, app } = await withoutAddress()
    expect(locationOf(await weak.submit('/auth/factor/confirm'))).toContain(STEP_UP)
    const { one: strong } = await world.signInBy(own)
    const [way = ''] = await idsOf(world, strong, 'passkey')
    expect(errorOf(await world.remove(strong, way))).toBe('/auth/account')
    expect(errorOf(await weak.submit('/auth/factor/confirm'))).toBe('/auth/account')
    pass(30)
    const again = await world.signIn('one', 'ada')
    await again.submit('/auth/factor', { without: 'code' })
    expect(again.jar.has('auth.session-token')).toBe(false)
    await again.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(again).amr).toEqual(['one', 'otp', 'mfa'])
  })

  it('is confirmed by any session: a passkey too', async () => {
    const { world, own, weak } = await withoutAddress()
    const further = world.authenticator()
    await world.addPasskey(weak, further)
    const { one: strong } = await world.signInBy(own)
    const [first = '', second = ''] = await idsOf(world, strong, 'passkey')
    expect(locationOf(await weak.submit('/auth/ways/confirm', { way: second }))).toContain(STEP_UP)
    await world.remove(strong, first)
    expect(errorOf(await weak.submit('/auth/ways/confirm', { way: second }))).toBe('/auth/account')
    expect(await amrBy(world, further)).toEqual(STRONG)
  })

  it('attack: is not confirmed by a session of one factor, if another thing is confirmed in between', async () => {
    const { world, own, weak } = await withoutAddress()
    await world.addPasskey(weak, world.authenticator())
    const { one: strong } = await world.signInBy(own)
    const [first = '', second = ''] = await idsOf(world, strong, 'passkey')
    await world.remove(strong, first)
    const change = world.inner.ledger.changeDocument
    world.faults.set('changeDocument', async (key, version, content) => {
      world.faults.delete('changeDocument')
      await strong.submit('/auth/factor/confirm')
      return change?.(key as string, version as number, content as string | null)
    })
    await weak.submit('/auth/ways/confirm', { way: second })
    world.faults.delete('changeDocument')
    const page = await (await strong.get('/auth/account/passkeys')).text()
    expect(page).toContain('/auth/ways/confirm')
  })
})

describe('a person without an address, after the loss of the only passkey', () => {
  async function withLost(address?: string) {
    const world = passkeyPeople()
    const lost = world.authenticator()
    const { one: ada } = await world.signUp(lost, { name: 'Ada' })
    pass(2)
    await world.add(ada, 'one', 'ada')
    if (address !== undefined) await addAddress(world, ada, address)
    const weak = await world.signIn('one', 'ada')
    const [way = ''] = await idsOf(world, weak, 'passkey')
    const reset = () => createAuth(world.config).resetFactors(claimsIn(ada).sub, {})
    return { world, lost, weak, way, reset }
  }

  it('removes it and adds another that counts, after the operator has reset their factors', async () => {
    const { world, lost, weak, way, reset } = await withLost()
    expect(locationOf(await world.remove(weak, way))).toContain(STEP_UP)
    await reset()
    expect(await amrBy(world, lost)).toEqual(WEAK)
    expect(errorOf(await world.remove(weak, way))).toBe('/auth/account')
    const own = world.authenticator()
    await world.addPasskey(weak, own)
    expect(await amrBy(world, own)).toEqual(STRONG)
  })

  it('a person who finds it again confirms it', async () => {
    const { world, lost, way, reset } = await withLost()
    await reset()
    const { one } = await world.signInBy(lost)
    expect(errorOf(await one.submit('/auth/ways/confirm', { way }))).toBe('/auth/account')
    expect(await amrBy(world, lost)).toEqual(STRONG)
  })

  it('attack: a person with an address, or with a reset app, keeps a passkey that counts', async () => {
    const told = await withLost(ADDRESS)
    await told.reset()
    expect(await amrBy(told.world, told.lost)).toEqual(STRONG)
    const other = await withLost()
    const { one: strong } = await other.world.signInBy(other.lost)
    await setUpFactor(strong)
    await other.reset()
    expect(await amrBy(other.world, other.lost)).toEqual(STRONG)
    expect(locationOf(await other.world.remove(other.weak, other.way))).toContain(STEP_UP)
  })
})

describe('a first passkey or app', () => {
  it('is the first one also after the addition of another has failed halfway, which protects nothing', async () => {
    const world = passkeyPeople({ accountDeletion: true })
    const dies = async () => {
      const ada = await readMailbox(world, world.browser())
      pass(2)
      const change = world.inner.ledger.changeDocument
      world.faults.set('changeDocument', async (key, version, content) => {
        if (String(key).startsWith('way\npasskey:')) throw new Error('Died.')
        return change?.(key as string, version as number, content as string | null)
      })
      expect(await world.addPasskey(ada, world.authenticator())).toMatchObject({ status: 503 })
      world.faults.delete('changeDocument')
      pass(3600)
      return readMailbox(world, world.browser())
    }
    const one = await dies()
    await setUpFactor(one)
    expect(claimsIn(one).amr).toEqual(['email', 'otp', 'mfa'])
    expect(errorOf(await one.submit('/auth/factor/remove'))).toBe('/auth/account')
    const two = await dies()
    expect(errorOf(await two.submit('/auth/account/delete'))).toBe('/auth/account')
  })

  it('counts at once, whatever session adds it', async () => {
    const world = passkeyPeople()
    const ada = await world.signIn('one', 'ada')
    pass(2)
    const key = world.authenticator()
    await world.addPasskey(ada, key)
    expect(await amrBy(world, key)).toEqual(STRONG)
    const eve = await world.signIn('one', 'eve')
    await setUpFactor(eve)
    expect(claimsIn(eve).amr).toEqual(['one', 'otp', 'mfa'])
  })

  it('added twice at once counts as one alone', async () => {
    const world = passkeyPeople()
    const [one, two] = [await world.signIn('one', 'ada'), await world.signIn('one', 'ada')]
    pass(2)
    const keys = [world.authenticator(), world.authenticator()] as const
    const made = [
      await world.credentialOf(one, 'add', keys[0]),
      await world.credentialOf(two, 'add', keys[1]),
    ] as const
    await Promise.all([world.post(one, made[0]), world.post(two, made[1])])
    const given = [await amrBy(world, keys[0]), await amrBy(world, keys[1])]
    expect(given.filter((amr) => amr.includes('user'))).toHaveLength(1)
  })

  it('from an older version keeps its strength', async () => {
    const { world, own } = await withThief()
    // The document of an older passkey has no mark, and the one that a session of two factors adds
    // has none either.
    expect(await amrBy(world, own)).toEqual(STRONG)
    const { one: strong } = await world.signInBy(own)
    const further = world.authenticator()
    await world.addPasskey(strong, further)
    expect(await amrBy(world, further)).toEqual(STRONG)
  })
})

describe('the sign-in page, if more is asked than a passkey gives yet,', () => {
  it('says so, and leads in no circle', async () => {
    const { world, thief } = await withThief()
    const note = 'does not count as a second factor yet'
    const asked = '/auth/signin?acr=2&callbackUrl=/inbox'
    expect(await (await thief.get(asked)).text()).not.toContain(note)
    await world.addPasskey(thief, world.authenticator())
    const page = await thief.get(asked)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(note)
  })
})
