import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn, errorOf, everythingIn, locationOf, origin } from '../../test-support/browser.js'
import { mailProvider } from '../../test-support/email.js'
import { accountsAt, people } from '../../test-support/people.js'
import type { VerificationRequest } from '../../types.js'

// The clock stands late in a second, since an end of all sessions waits for the next one.
const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

const providersOf = (ways: readonly { provider: string }[]) => ways.map(({ provider }) => provider)

describe('GET /ways', () => {
  it('lists the one way of a person with one, of which no row is kept', async () => {
    const { signIn, ways, calls } = people()
    const ada = await signIn('one', 'ada')
    calls.length = 0
    const [way, ...more] = await ways(ada)
    expect(more).toEqual([])
    expect(way).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      provider: 'one',
      name: 'ada at one',
      added: null,
      lastUsed: null,
      current: true,
    })
    expect(calls.filter(({ name }) => name === 'changeDocument')).toEqual([])
  })

  it('shows of an address its first letter and its host alone, and no id that tells it', async () => {
    const { signIn, ways, browser } = people()
    const ada = await signIn('email', 'ada.lovelace@mail.example')
    const text = JSON.stringify(await ways(ada))
    expect(text).toContain('"name":"a***@mail.example"')
    expect(text).not.toContain('lovelace')
    expect(text).not.toContain(claimsIn(ada).sub)
    const nobody = await browser().get('/auth/ways')
    expect([nobody.status, await nobody.json()]).toEqual([401, { error: 'SignedOut' }])
  })

  it('HEAD answers as GET does, and changes nothing', async () => {
    const { signIn, calls } = people()
    const ada = await signIn('one', 'ada')
    calls.length = 0
    const answer = await ada.send('/auth/ways', { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(calls.map(({ name }) => name)).not.toContain('changeDocument')
  })
})

describe('POST /ways/add', () => {
  it('adds an account to the session that goes on, and the person is the same by either', async () => {
    const { signIn, add, ways, subOf } = people()
    const ada = await signIn('email', 'ada@mail.example')
    const before = claimsIn(ada)
    const answer = await add(ada, 'one', 'ada-1')
    expect(locationOf(answer)).toBe(`${origin}/inbox`)
    expect(claimsIn(ada)).toEqual(before)
    const listed = await ways(ada)
    expect(listed.map(({ provider, name, current }) => [provider, name, current])).toEqual([
      ['email', 'a***@mail.example', true],
      ['one', 'ada-1 at one', false],
    ])
    expect(listed[1]?.added).toBe('2026-11-01T10:00:00.000Z')
    const later = await signIn('one', 'ada-1')
    expect(subOf(later)).toBe(before.sub)
    expect((await ways(later)).map(({ current }) => current)).toEqual([false, true])
    expect((await later.session())?.user).toMatchObject({ id: before.sub, name: 'ada-1 at one' })
  })

  it.each(['link', 'code'])('adds an address by the %s of its mail', async (by) => {
    const { signIn, startAdding, lastMail, ways, subOf } = people()
    const ada = await signIn('one', 'ada')
    const start = await startAdding(ada, 'email', { email: 'Ada@mail.example' })
    const { mail, path } = lastMail()
    expect(mail?.purpose).toBe('add')
    expect(mail?.mail.subject).toMatch(
      /^Add this address to an account at localhost:8787 · [A-Z]{4}$/,
    )
    const flow = new URL(locationOf(start)).searchParams.get('flow') ?? ''
    const end =
      by === 'link'
        ? await ada.get(path)
        : await ada.submit('/auth/callback/email', { flow, code: mail?.code })
    expect(locationOf(end)).toBe(`${origin}/inbox`)
    expect(providersOf(await ways(ada))).toEqual(['one', 'email'])
    expect(subOf(await signIn('email', 'ada@mail.example'))).toBe(subOf(ada))
  })

  it('without a callbackUrl it ends at the page of the account', async () => {
    const { signIn, comeBack } = people()
    const ada = await signIn('one', 'ada')
    const start = await ada.submit('/auth/ways/add', { provider: 'two' })
    expect(locationOf(await comeBack(ada, 'two', start, 'x'))).toBe(`${origin}/auth/account`)
  })

  it('one’s own already adds nothing, and sends no mail', async () => {
    const { signIn, add, ways, mails } = people()
    const ada = await signIn('email', 'ada@mail.example')
    await add(ada, 'one', 'x')
    const told = mails.length
    for (const [provider, account] of [
      ['one', 'x'],
      ['one', 'x'],
    ] as const) {
      expect(locationOf(await add(ada, provider, account))).toBe(`${origin}/inbox`)
    }
    expect(mails).toHaveLength(told)
    await add(ada, 'email', 'ada@mail.example')
    expect(providersOf(await ways(ada))).toEqual(['email', 'one'])
  })

  it('two accounts of one provider may be ways of one person', async () => {
    const { signIn, add, ways, subOf } = people()
    const ada = await signIn('one', 'x')
    await add(ada, 'one', 'y')
    expect(providersOf(await ways(ada))).toEqual(['one', 'one'])
    expect(subOf(await signIn('one', 'y'))).toBe(subOf(ada))
  })

  it('needs a sign-in of the last five minutes: the browser is led to sign in, and a script gets an answer that says so', async () => {
    const { signIn, startAdding } = people()
    const ada = await signIn('one', 'ada')
    pass(300)
    expect(locationOf(await startAdding(ada, 'two'))).toContain('https://two.example/')
    pass(1)
    const page = `${origin}/auth/signin?maxAge=300&callbackUrl=${encodeURIComponent(`${origin}/inbox`)}`
    expect(locationOf(await startAdding(ada, 'two'))).toBe(page)
    const script = await startAdding(ada, 'two', {}, { 'x-auth-return-redirect': '1' })
    expect([script.status, await script.json()]).toEqual([
      401,
      { error: 'FreshSignInRequired', maxAge: 300, url: page },
    ])
    const json = await ada.send('/auth/ways/remove', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken: await ada.csrfToken(), way: 'x' }),
    })
    const account = encodeURIComponent(`${origin}/auth/account`)
    expect([json.status, await json.json()]).toEqual([
      401,
      {
        error: 'FreshSignInRequired',
        maxAge: 300,
        url: `${origin}/auth/signin?maxAge=300&callbackUrl=${account}`,
      },
    ])
  })

  it.each([
    ['Application/JSON', 401],
    ['application/json, text/plain', 401],
    ['application/jsonp', 302],
    ['text/html, application/json', 302],
    ['', 302],
  ])('a client that asks for %j is a script, or is led to sign in: %i', async (accept, status) => {
    const { browser, startAdding } = people()
    expect((await startAdding(browser(), 'two', {}, { accept })).status).toBe(status)
  })

  it('a visitor is led to sign in, and a script gets the address', async () => {
    const { browser, startAdding } = people()
    expect(errorOf(await startAdding(browser(), 'two'))).toBe('/auth/signin')
    const script = await startAdding(browser(), 'two', {}, { 'x-auth-return-redirect': '1' })
    const target = encodeURIComponent(`${origin}/inbox`)
    const url = `${origin}/auth/signin?maxAge=300&callbackUrl=${target}`
    const told = { error: 'FreshSignInRequired', maxAge: 300, url }
    expect([script.status, await script.json()]).toEqual([401, told])
  })

  it('the flow has its fifteen minutes, also when the sign-in is no longer fresh then', async () => {
    const { signIn, startAdding, comeBack, ways } = people()
    const ada = await signIn('one', 'ada')
    const start = await startAdding(ada, 'two')
    pass(600)
    await ada.session()
    expect(locationOf(await comeBack(ada, 'two', start, 'x'))).toBe(`${origin}/inbox`)
    expect(await ways(ada)).toHaveLength(2)
  })

  it.each([['nothing'], ['constructor']])(
    'an unknown provider (%s) is a wrong request',
    async (id) => {
      const { signIn, startAdding } = people()
      expect(errorOf(await startAdding(await signIn('one', 'a'), id))).toBe(
        '/auth/error Configuration',
      )
    },
  )
})

describe('the last use of a way', () => {
  it('is noted once a day, at a sign-in with it; if that fails the person is signed in', async () => {
    const { signIn, add, ways, faults, calls, errors } = people()
    const ada = await signIn('one', 'ada')
    await add(ada, 'email', 'ada@mail.example')
    pass(86_400)
    const next = await signIn('email', 'ada@mail.example')
    expect((await ways(next)).map(({ lastUsed }) => lastUsed)).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-11-02T00:00:00.000Z',
    ])
    calls.length = 0
    await signIn('email', 'ada@mail.example')
    expect(calls.filter(({ name }) => name === 'changeDocument')).toEqual([])
    pass(86_400)
    faults.set('changeDocument', () => Promise.reject(new Error('Down.')))
    expect(await (await signIn('email', 'ada@mail.example')).session()).not.toBeNull()
    expect(errors.map(({ name }) => name)).toContain('StoreUnavailable')
  })
})

describe('POST /ways/remove', () => {
  it('removes an extra way, which is a person of its own again; the session goes on', async () => {
    const { signIn, add, ways, remove, subOf } = people()
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'x')
    const [, extra] = await ways(ada)
    const answer = await remove(ada, extra?.id ?? '')
    expect(locationOf(answer)).toBe(`${origin}/auth/account`)
    expect(providersOf(await ways(ada))).toEqual(['one'])
    expect(await ada.session()).not.toBeNull()
    const again = await signIn('two', 'x')
    expect(subOf(again)).not.toBe(subOf(ada))
    // A second time it ends alike.
    expect(locationOf(await remove(ada, extra?.id ?? ''))).toBe(`${origin}/auth/account`)
  })

  it('a first way that was removed signs no user in until its person adds it again; their sub stays', async () => {
    const { signIn, add, ways, remove, subOf, browser } = people()
    const ada = await signIn('one', 'ada')
    const { sub } = claimsIn(ada)
    await add(ada, 'two', 'x')
    const [first] = await ways(ada)
    await remove(ada, first?.id ?? '')
    const stranger = browser()
    expect(errorOf(await stranger.signIn('one', 'ada'))).toBe('/auth/signin OAuthAccountNotLinked')
    const back = await signIn('two', 'x')
    expect(subOf(back)).toBe(sub)
    expect(locationOf(await add(back, 'one', 'ada'))).toBe(`${origin}/inbox`)
    expect(subOf(await signIn('one', 'ada'))).toBe(sub)
    expect(await ways(back)).toHaveLength(2)
  })

  it('with unlinked: "refuse" an extra way that was removed signs no user in either', async () => {
    const { signIn, add, ways, remove, browser } = people({ ways: { unlinked: 'refuse' } })
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'x')
    await remove(ada, (await ways(ada))[1]?.id ?? '')
    expect(errorOf(await browser().signIn('two', 'x'))).toBe('/auth/signin OAuthAccountNotLinked')
    const eve = await signIn('one', 'eve')
    expect(errorOf(await add(eve, 'two', 'x'))).toBe('/auth/signin OAuthAccountNotLinked')
    expect(locationOf(await add(ada, 'two', 'x'))).toBe(`${origin}/inbox`)
  })

  it('the last way cannot be removed, with a list of ways and without one', async () => {
    const { signIn, add, ways, remove } = people()
    const ada = await signIn('one', 'ada')
    const lone = (await ways(ada))[0]?.id ?? ''
    expect(errorOf(await remove(ada, lone))).toBe('/auth/error AccessDenied last_way')
    await add(ada, 'two', 'x')
    const [first, extra] = await ways(ada)
    expect(first?.id).toBe(lone)
    await remove(ada, lone)
    const answer = await remove(ada, extra?.id ?? '', { 'x-auth-return-redirect': '1' })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ error: 'AccessDenied', code: 'last_way' })
    expect(providersOf(await ways(ada))).toEqual(['two'])
  })

  it('a way that another request is adding is neither removed nor counted as one that lets its person in', async () => {
    const { signIn, add, ways, remove, inner, errors, subOf } = people()
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'x')
    const [first, extra] = await ways(ada)
    const { ledger } = inner
    const key = `person\n${subOf(ada)}`
    const { version = 0, content } = (await ledger.document(key)) ?? {}
    const [own, other] = JSON.parse(content ?? '').ways
    const since = Math.floor(Date.now() / 1000)
    const announced = JSON.stringify({ ways: [own, { ...other, state: 'adding', since }] })
    await ledger.changeDocument(key, version, announced)
    const wayKey = `way\n${other.way}`
    await ledger.changeDocument(wayKey, (await ledger.document(wayKey))?.version ?? 0, null)
    expect(locationOf(await remove(ada, extra?.id ?? ''))).toBe(`${origin}/auth/account`)
    expect((await ledger.document(key))?.content).toBe(announced)
    expect(errorOf(await remove(ada, first?.id ?? ''))).toBe('/auth/error AccessDenied last_way')
    expect((await ledger.document(key))?.content).toBe(announced)
    expect(errors.map(({ message }) => message)).toEqual([
      'The last way to sign in cannot be removed.',
    ])
  })

  it('a person who is deleted while they remove a way has nothing left to remove', async () => {
    const { signIn, add, ways, remove, inner, faults, calls, subOf } = people()
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'x')
    const extra = (await ways(ada))[1]?.id ?? ''
    const person = `person\n${subOf(ada)}`
    let reads = 0
    faults.set('document', async (key) =>
      key === person && ++reads > 1 ? undefined : inner.ledger.document(String(key)),
    )
    calls.length = 0
    expect(locationOf(await remove(ada, extra))).toBe(`${origin}/auth/account`)
    expect(reads).toBeGreaterThan(1)
    expect(calls.map(({ name }) => name)).not.toContain('changeDocument')
  })

  it('one of two parallel removals of all ways is refused: each person can always sign in', async () => {
    const { signIn, add, ways, remove, copyOf } = people()
    for (let round = 0; round < 5; round++) {
      const ada = await signIn('one', `ada-${round}`)
      await add(ada, 'two', `x-${round}`)
      await add(ada, 'two', `y-${round}`)
      const ids = (await ways(ada)).map(({ id }) => id)
      const ends = await Promise.all(ids.map((id) => remove(copyOf(ada), id)))
      expect(ends.map(errorOf).sort()).toEqual([
        '/auth/account',
        '/auth/account',
        '/auth/error AccessDenied last_way',
      ])
      expect(await ways(ada)).toHaveLength(1)
    }
  })

  it('a way of another person is not found, and ends as one that was removed', async () => {
    const { signIn, add, ways, remove } = people()
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'x')
    const eve = await signIn('one', 'eve')
    const ids = (await ways(ada)).map(({ id }) => id)
    for (const id of [...ids, '', 'x']) {
      expect(locationOf(await remove(eve, id))).toBe(`${origin}/auth/account`)
    }
    expect((await ways(ada)).map(({ id }) => id)).toEqual(ids)
  })
})

describe('telling', () => {
  it('mails each change to every verified address, without a link, and emits events and lines', async () => {
    const events: [string, unknown][] = []
    const { signIn, add, ways, remove, mails, lines, subOf } = people({
      events: {
        linkAccount: (message) => void events.push(['link', message]),
        unlinkAccount: (message) => void events.push(['unlink', message]),
      },
    })
    const ada = await signIn('email', 'ada@mail.example')
    const id = subOf(ada)
    mails.length = 0
    await add(ada, 'one', 'x')
    expect(mails.map(({ identifier, purpose, code }) => [identifier, purpose, code])).toEqual([
      ['ada@mail.example', 'notice', ''],
    ])
    const [mail] = mails
    expect(mail?.mail.subject).toBe('ONE was added to your account')
    expect(mail?.mail.text + (mail?.mail.html ?? '')).not.toMatch(/https?:|href|token/)
    // One person has accounts at many sites.
    for (const part of [mail?.mail.text, mail?.mail.html]) {
      expect(part).toContain(`Changed at ${new URL(origin).host}, from: `)
    }
    await add(ada, 'email', 'ada@work.example')
    expect(mails.slice(-2).map(({ identifier }) => identifier)).toEqual([
      'ada@mail.example',
      'ada@work.example',
    ])
    const [first] = await ways(ada)
    await remove(ada, first?.id ?? '')
    expect(mails.slice(-2).map(({ identifier, mail }) => [identifier, mail.subject])).toEqual([
      ['ada@mail.example', 'Email was removed from your account'],
      ['ada@work.example', 'Email was removed from your account'],
    ])
    expect(events.map(([name]) => name)).toEqual(['link', 'link', 'unlink'])
    expect(events[0]?.[1]).toMatchObject({
      user: { id, email: 'ada@mail.example' },
      account: { provider: 'one', providerAccountId: 'x', userId: id, access_token: 'x' },
      profile: { sub: 'x' },
    })
    expect(events[2]?.[1]).toMatchObject({
      user: { id },
      account: { provider: 'email', userId: id },
    })
    const told = lines.filter((line) => /^way-/.test((line as { event: string }).event))
    expect(told).toMatchObject([
      { event: 'way-added', provider: 'one' },
      { event: 'way-added', provider: 'email' },
      { event: 'way-removed', provider: 'email' },
    ])
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`ada|${id}`))
  })

  it('the signIn callback decides on an addition, and gets the person that it is for', async () => {
    const asked: unknown[] = []
    const { signIn, add, ways, subOf } = people({
      callbacks: {
        signIn: ({ account, user, addedTo }) => {
          asked.push([account.providerAccountId, user.id === account.userId, addedTo])
          return account.providerAccountId !== 'bad' || '/elsewhere'
        },
      },
    })
    const ada = await signIn('one', 'ada')
    expect(locationOf(await add(ada, 'two', 'bad'))).toBe(`${origin}/elsewhere`)
    expect(await ways(ada)).toHaveLength(1)
    await add(ada, 'two', 'good')
    expect(await ways(ada)).toHaveLength(2)
    expect(asked).toEqual([
      ['ada', true, undefined],
      ['bad', true, subOf(ada)],
      ['good', true, subOf(ada)],
    ])
  })

  it('a mail that cannot be sent changes nothing: the log has it, without the address', async () => {
    let isDown = false
    const sent: VerificationRequest[] = []
    const provider = mailProvider([], {
      sendVerificationRequest: (request) => {
        if (isDown) throw new Error(`No such mailbox: ${request.identifier}`)
        sent.push(request)
      },
    })
    const { browser, comeBack, startAdding, ways, errors } = people({
      providers: [accountsAt('one'), provider],
    })
    const ada = browser()
    await ada.submit('/auth/signin/email', { email: 'ada@mail.example' })
    await ada.get(sent.at(-1)?.url.slice(origin.length) ?? '')
    isDown = true
    const end = await comeBack(ada, 'one', await startAdding(ada, 'one'), 'x')
    expect([locationOf(end), (await ways(ada)).length]).toEqual([`${origin}/inbox`, 2])
    expect(errors.map(({ name }) => name)).toEqual(['EmailNotSent'])
    expect(everythingIn(errors)).not.toContain('ada@')
  })
})
