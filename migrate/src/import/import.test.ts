import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import github from '@latchkey/worker/providers/github'
import google from '@latchkey/worker/providers/google'
import x from '@latchkey/worker/providers/x'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { WrongUse } from 'latchkey/internal'
import { terminalOf } from 'latchkey/test-support/terminal'
import { afterAll, describe, expect, test } from 'vitest'
import { importAccounts, type Outside, runImport } from './import.js'

const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'
const TO = 'https://auth.example/auth'
const folder = mkdtempSync(join(tmpdir(), 'latchkey-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A service, as it is deployed. */
function deployed(until = new Date(Date.now() + 86_400_000).toISOString()) {
  const store = memoryStore()
  const client = { clientId: 'id', clientSecret: 'secret' }
  const auth = createAuth({
    basePath: '/auth',
    secret: AUTH_SECRET,
    store,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    providers: [
      github(client),
      google(client),
      x(client),
      email({ from: 'a@example.com', sendVerificationRequest: () => {} }),
      credentials({ id: 'login', authorize: ({ id }) => ({ id: String(id), name: null }) }),
    ],
  })
  const env = { AUTH_IMPORT_UNTIL: until }
  return { store, answer: (request: Request) => auth.fetch(request, env) }
}

interface Faults {
  /** Called with the number of each request to the import, before it; its answer is the request's. */
  readonly before?: (count: number, accounts: number) => Response | undefined
  readonly after?: (count: number) => void
}

/** Runs the command over a text. */
function command(
  text: string,
  {
    service = deployed(),
    faults = {},
    env = { AUTH_SECRET },
    isWatched = false,
    isJson = false,
  } = {} as {
    service?: ReturnType<typeof deployed>
    faults?: Faults
    env?: Record<string, string>
    isWatched?: boolean
    isJson?: boolean
  },
) {
  const said = { printed: '', noted: '' }
  const slept: number[] = []
  const sizes: number[] = []
  const print = (part: string) => {
    said.printed += part
  }
  const note = (part: string) => {
    said.noted += part
  }
  const terminal = terminalOf({ print, note, isWatched, env, directory: folder, isJson })
  let count = 0
  const outside: Outside = {
    fetch: async (url, init) => {
      const request = new Request(url, init)
      if (!url.pathname.endsWith('/import')) return service.answer(request)
      const { accounts } = (await request.clone().json()) as { accounts: unknown[] }
      count++
      sizes.push(accounts.length)
      const instead = faults.before?.(count, accounts.length)
      if (instead) return instead
      const answer = await service.answer(request)
      faults.after?.(count)
      return answer
    },
    now: Date.now,
    sleep: async (milliseconds) => void slept.push(milliseconds),
    open: async function* () {
      for (let at = 0; at < text.length; at += 1_000) yield text.slice(at, at + 1_000)
    },
  }
  const run = (...args: string[]) => runImport(['-', ...args], terminal, outside)
  return { ...said, said, slept, sizes, run, service }
}

const line = (user: string, provider: string, account: string) =>
  `${JSON.stringify({ userId: user, provider, providerAccountId: account })}\n`
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => line(`old-${at}`, 'github', String(at))).join('')

describe('the summary', () => {
  test('says how many accounts were read, taken over and left out, and what to do', async () => {
    const text = `${line('a', 'github', '1')}${line('a', 'twitter', '2')}${line('b', 'github', '1')}${line('c', 'okta', '4')}`
    const { run, said } = command(text)
    expect(await run('--to', TO)).toBe(1)
    expect(said.printed).toBe(`lines: 4 accounts
4 accounts read: github 2, twitter 1, okta 1
  2 taken over, 0 were there before
  2 left out:
    1 unknown-provider: the service does not have this provider: see below
    1 taken: the account belongs to another person here, or its owner has already signed in here
  The service has no provider okta (1).
  Configure it there first, or name it by its id there: --provider okta=<id>
`)
    expect(said.noted).toBe('To list the accounts that are left out, add --report <file>.\n')
  })

  test('a run without a remainder ends with 0, and a second run too', async () => {
    const service = deployed()
    const first = command(many(600), { service })
    expect(await first.run('--to', `${TO}/`)).toBe(0)
    expect(first.said.printed).toBe(
      'lines: 600 accounts\n600 accounts read: github 600\n  600 taken over, 0 were there before\n',
    )
    expect(first.said.noted).toBe('')
    // Several are on their way at once, in any order.
    expect(first.sizes.sort((one, other) => other - one)).toEqual([250, 250, 100])
    const second = command(many(600), { service })
    expect(await second.run('--to', TO)).toBe(0)
    expect(second.said.printed).toContain('0 taken over, 600 were there before')
  })

  test('shows no control character of an export in the terminal', async () => {
    const { run, said } = command(line('a', '\u001b[2J\u202egithub', '1'))
    expect(await run('--to', TO)).toBe(1)
    for (const character of ['\u001b', '\u202e']) {
      expect(said.printed + said.noted).not.toContain(character)
    }
  })

  test('for an export without accounts it says which tables have them', async () => {
    const { run, said } = command('{"id":1}\n')
    expect(await run('--to', TO)).toBe(1)
    expect(said.noted).toContain('userId, provider and providerAccountId')
  })

  test('comes before the line of progress in a terminal', async () => {
    const { run, said } = command(many(300), { isWatched: true })
    expect(await run('--to', TO)).toBe(0)
    expect(said.noted.split('\r\u001b[K')[1]).toMatch(/^\d+ read, \d+ done, \d+ a second/)
    expect(said.noted.endsWith('\r\u001b[K')).toBe(true)
  })
})

describe('the report', () => {
  test('has a line for each account that is left out, and no address in the clear', async () => {
    const text = `${line('ann@example.com', 'okta', 'ann@example.com')}${line('', 'github', '2')}`
    const { run } = command(text)
    expect(await run('--to', TO, '--report', 'left.jsonl')).toBe(1)
    const path = join(folder, 'left.jsonl')
    expect(readFileSync(path, 'utf8')).toBe(
      '{"why":"unknown-provider","user":"a***@example.com","provider":"okta","account":"a***@example.com"}\n{"why":"unreadable","provider":"github","account":"2"}\n',
    )
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('has addresses if the user asks for them', async () => {
    const { run } = command(line('u', 'okta', 'ann@example.com'))
    await run('--to', TO, '--report', 'shown.jsonl', '--show-addresses')
    expect(readFileSync(join(folder, 'shown.jsonl'), 'utf8')).toContain('ann@example.com')
  })

  test('that cannot be written is said', async () => {
    const { run, said } = command(line('u', 'okta', '1'))
    expect(await run('--to', TO, '--report', 'nowhere/left.jsonl')).toBe(1)
    expect(said.noted).toBe('The report cannot be written (ENOENT).\n')
  })
})

describe('people', () => {
  const person = JSON.stringify({ id: '42', email: 'Ada@example.com', emailVerified: true })
  const password = JSON.stringify({
    userId: '42',
    providerId: 'credential',
    accountId: '42',
    password: 'hash',
  })

  test('with a password sign in by the provider that the command names, as the same person', async () => {
    const { run, service } = command(password)
    expect(await run('--to', TO, '--credentials', 'login')).toBe(0)
    const csrf = await service.answer(new Request(`${TO}/csrf`))
    const { csrfToken } = (await csrf.json()) as { csrfToken: string }
    const cookie = csrf.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const body = new URLSearchParams({ csrfToken, id: '42' })
    const init = { method: 'POST', headers: { cookie }, body }
    const answer = await service.answer(new Request(`${TO}/callback/login`, init))
    const token = /session-token=[^.]+\.([^.]+)/.exec(answer.headers.getSetCookie().join())?.[1]
    expect(JSON.parse(atob(token ?? ''))).toMatchObject({ sub: '42' })
  })

  test('with a password are left out without a provider for it', async () => {
    const { run, said } = command(password)
    expect(await run('--to', TO)).toBe(1)
    expect(said.printed).toContain('1 password: the account is a password: add --credentials')
  })

  test('with a verified address sign in by it if that is asked for', async () => {
    const without = command(person)
    await without.run('--to', TO)
    expect(without.said.printed).toContain('0 accounts read')
    const { run, said } = command(person)
    expect(await run('--to', TO, '--email', 'email', '--people', 'lines')).toBe(0)
    expect(said.printed).toContain('email 1')
  })

  test.each(['--email', '--credentials'])(
    '%s of a provider that is not there stops',
    async (name) => {
      const { run, said, sizes } = command(person)
      expect(await run('--to', TO, name, 'nobody')).toBe(1)
      expect(said.noted).toBe(`The service has no provider "nobody" (${name}).\n`)
      expect(sizes).toEqual([])
    },
  )
})

test('--dry-run reads everything and sends nothing', async () => {
  const { run, said, sizes } = command(many(300) + line('a', 'okta', '1'))
  expect(await run('--to', TO, '--dry-run')).toBe(1)
  expect(said.printed).toContain('301 accounts read: github 300, okta 1\n  nothing was sent')
  expect(sizes).toEqual([])
})

describe('a service that', () => {
  test('is away for a while is asked again, later and later', async () => {
    const before = (count: number) => (count < 4 ? new Response(null, { status: 503 }) : undefined)
    const { run, said, slept } = command(many(20), { faults: { before } })
    expect(await run('--to', TO)).toBe(0)
    expect(slept).toEqual([500, 1_000, 2_000])
    expect(said.printed).toContain('20 taken over')
  })

  test('has too little processor time for many gets fewer', async () => {
    const before = (_: number, accounts: number) =>
      accounts > 70 ? new Response('error code: 1102', { status: 503 }) : undefined
    const { run, said, sizes } = command(many(250) + line('x', 'github', '1'), {
      faults: { before },
    })
    expect(await run('--to', TO)).toBe(1)
    expect(said.printed).toContain('250 taken over')
    expect(sizes.filter((size) => size <= 70)).toHaveLength(5)
  })

  test('stays away ends the import with what was done, and the next run goes on', async () => {
    const service = deployed()
    const before = (count: number) => (count > 2 ? new Response(null, { status: 500 }) : undefined)
    const broken = command(many(2_000), { service, faults: { before } })
    expect(await broken.run('--to', TO)).toBe(1)
    expect(broken.said.noted).toBe(
      '500 accounts are there. Run the same command again: accounts that are there stay as they are.\nThe service takes no more accounts (it answers 500): look at its log.\n',
    )
    const again = command(many(2_000), { service })
    expect(await again.run('--to', TO)).toBe(0)
    expect(again.said.printed).toContain('1,500 taken over, 500 were there before')
  })

  test('answers on a way that is cut counts each account once, when it is sent again', async () => {
    const after = (count: number) => {
      if (count === 1) throw new TypeError('fetch failed')
    }
    const { run, said } = command(many(20), { faults: { after } })
    expect(await run('--to', TO)).toBe(0)
    expect(said.printed).toContain('0 taken over, 20 were there before')
  })

  test.each<[string, () => Parameters<typeof command>[1], string]>([
    ['takes none now', () => ({ service: deployed('') }), 'AUTH_IMPORT_UNTIL'],
    [
      'has another secret',
      () => ({ env: { AUTH_SECRET: `${AUTH_SECRET}!` } }),
      'another AUTH_SECRET',
    ],
    [
      'leads elsewhere',
      () => ({ faults: { before: () => Response.redirect('https://b.example/x') } }),
      'https://b.example',
    ],
    [
      'is called otherwise',
      () => ({
        faults: {
          before: () =>
            Response.json(
              { reason: 'other-host', origin: 'https://login.example' },
              { status: 401 },
            ),
        },
      }),
      'calls itself https://login.example',
    ],
    [
      'says rubbish about itself',
      () => ({
        faults: {
          before: () =>
            Response.json({ reason: 'other-host', origin: '\u001b[2J' }, { status: 401 }),
        },
      }),
      'calls itself another name',
    ],
    [
      'does not know its own address',
      () => ({
        faults: { before: () => Response.json({ reason: 'other-host' }, { status: 401 }) },
      }),
      'does not know its own address',
    ],
    [
      'is older than the command',
      () => ({
        faults: { before: () => Response.json({ reason: 'malformed' }, { status: 401 }) },
      }),
      'The service is older than this command',
    ],
    [
      'is newer than the command',
      () => ({
        faults: { before: () => Response.json({ reason: 'old-command' }, { status: 426 }) },
      }),
      'The service is newer than this command',
    ],
    ['refuses', () => ({ faults: { before: () => new Response('no', { status: 403 }) } }), '(403)'],
    [
      'answers something else',
      () => ({ faults: { before: () => Response.json({}) } }),
      'does not come from an auth service',
    ],
    [
      'has another time',
      () => ({
        faults: {
          before: () =>
            Response.json(
              { reason: 'stale' },
              { status: 401, headers: { date: 'Sun, 01 Nov 2026 00:00:00 GMT' } },
            ),
        },
      }),
      'clock of this machine is more than a minute wrong. Its time is Sun, 01 Nov',
    ],
  ])('%s is told apart, once', async (_, options, remedy) => {
    const { run, said, slept } = command(many(1_000), options())
    expect(await run('--to', TO)).toBe(1)
    expect(said.noted).toContain(remedy)
    expect(slept).toEqual([])
    expect(said.noted + said.printed).not.toContain(AUTH_SECRET)
  })

  test('at that address is reported before anything is read', async () => {
    const { run, said } = command(many(1))
    expect(await run('--to', 'https://auth.example/elsewhere')).toBe(1)
    expect(said.noted).toContain('is not a list of providers (404)')
  })
})

describe('wrong use', () => {
  test.each<[string, string[], RegExp]>([
    ['no target', [], /--to <address> or --store/],
    ['two targets', ['--to', TO, '--store', 'file:a'], /--to <address> or --store/],
    ['no address', ['--to', 'auth.example'], /address of the auth routes/],
    [
      'an address without TLS, which others could read on the way',
      ['--to', 'http://auth.example/auth'],
      /https/,
    ],
    ['a password in an address', ['--to', 'https://a:b@auth.example/auth'], /a password/],
    [
      'a password in the list of processes',
      ['--store', 'postgres://u:secret@db/x'],
      /set AUTH_STORE/,
    ],
    ['a store of no kind', ['--store', 'mysql://db/x'], /file:<path>/],
    [
      'a secret in the list of processes',
      ['--to', TO, '--secret', 'x'],
      /There is no option "--secret"/,
    ],
    ['half a name', ['--to', TO, '--provider', 'twitter'], /<old>=<id>/],
    ['people for nothing', ['--to', TO, '--people', 'users'], /--email or --credentials/],
    ['two files', ['--to', TO, 'more.sql'], /one file/],
  ])('is %s', async (_, args, remedy) => {
    const { run } = command('')
    const failed = await run(...args).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(WrongUse)
    expect((failed as Error).message).toMatch(remedy)
    expect((failed as Error).message).not.toContain('secret@')
  })

  test('the environment has no secret', async () => {
    const { run } = command('', { env: {} })
    await expect(run('--to', TO)).rejects.toThrow(/AUTH_SECRET of the service/)
  })
})

test('with --json the counts are one document, and the rest is on standard error', async () => {
  const text = `${line('a', 'github', '1')}${line('a', 'okta', '2')}`
  const { run, said } = command(text, { isJson: true })
  expect(await run('--to', TO)).toBe(1)
  expect(JSON.parse(said.printed)).toEqual({
    read: 2,
    added: 1,
    known: 0,
    left: 1,
    providers: { github: 1, okta: 1 },
    reasons: { 'unknown-provider': 1 },
  })
  expect(said.noted).toContain('lines: 2 accounts')
})

test('with --json a file without accounts that can be read is an error with its word', async () => {
  const { run, said } = command('{', { isJson: true })
  expect(await run('--to', TO)).toBe(1)
  expect(JSON.parse(said.printed)).toMatchObject({ error: 'ImportStopped' })
})

test('the help names every option', () => {
  for (const name of [
    'accounts',
    'people',
    'to',
    'store',
    'provider',
    'email',
    'credentials',
    'report',
    'dry-run',
  ]) {
    expect(importAccounts.help).toContain(`--${name}`)
  }
})

test('a file that is not there is said', async () => {
  const service = deployed()
  const terminal = terminalOf({ env: { AUTH_SECRET }, directory: folder })
  const fetch = async (url: URL, init?: RequestInit) => service.answer(new Request(url, init))
  const outside = { fetch, now: Date.now, sleep: async () => {} }
  expect(await runImport(['none.sql', '--to', TO], terminal, outside)).toBe(1)
  expect(terminal.noted()).toBe(`${join(folder, 'none.sql')}: It cannot be read (ENOENT).\n`)
})

describe('a store of an app on Node', () => {
  test('that is a file has the accounts afterwards', async () => {
    const { run, said } = command(many(300) + line('old-1', 'azure-ad', 'a'))
    expect(await run('--store', `file:${join(folder, 'sessions.db')}`)).toBe(1)
    expect(said.printed).toContain('300 taken over, 0 were there before')
    expect(said.printed).toContain(
      '1 bad-account: the id or the issuer is invalid for the provider',
    )
    expect(existsSync(join(folder, 'sessions.db'))).toBe(true)
    const { openStore } = await import('@latchkey/worker/stores/sqlite')
    const store = openStore(`file:${join(folder, 'sessions.db')}`)
    expect(await store.ledger.document('person\nold-299')).toMatchObject({ version: 1 })
    await store.close()
    const again = command(many(300), { env: { AUTH_STORE: `file:${join(folder, 'sessions.db')}` } })
    expect(await again.run()).toBe(0)
    expect(again.said.printed).toContain('0 taken over, 300 were there before')
  })

  test('account takeover: takes no account of a user who is signed in there, whatever secret the app has', async () => {
    const path = `file:${join(folder, 'signed-in.db')}`
    const { openStore } = await import('@latchkey/worker/stores/sqlite')
    const store = openStore(path)
    const auth = createAuth({
      basePath: '/auth',
      secret: AUTH_SECRET,
      store,
      logger: { info: () => {}, warn: () => {}, error: () => {} },
      providers: [credentials({ id: 'login', authorize: ({ id }) => ({ id: String(id) }) })],
    })
    const csrf = await auth.fetch(new Request(`${TO}/csrf`), {})
    const { csrfToken } = (await csrf.json()) as { csrfToken: string }
    const cookie = csrf.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const body = new URLSearchParams({ csrfToken, id: '42' })
    const init = { method: 'POST', headers: { cookie }, body }
    const answer = await auth.fetch(new Request(`${TO}/callback/login`, init), {})
    expect(answer.headers.getSetCookie().join()).toContain('session-token')
    await store.close()
    const password = { userId: '42', providerId: 'credential', accountId: '42', password: 'x' }
    const { run, said } = command(JSON.stringify(password))
    expect(await run('--store', path, '--credentials', 'login')).toBe(1)
    expect(said.printed).toContain('0 taken over')
    expect(said.printed).toContain('1 taken:')
  })

  test('that cannot be opened is said', async () => {
    const { run, said } = command('')
    expect(await run('--store', `file:${join(folder, 'nowhere/a.db')}`)).toBe(1)
    expect(said.noted).toContain('cannot be opened')
  })
})
