import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AuthConfig, createAuth, type LogEvent, type WhoseSessions } from '@latchkey/worker'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { wordsOfCode } from '../../scripts/generate/words-of-code.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** The examples of docs/operate.md and docs/operate-code.md, run unchanged. */
const page = ['operate.md', 'operate-code.md']
  .map((name) => readFileSync(join(rootDir, 'docs', name), 'utf8'))
  .join('\n')
const folder = join(rootDir, 'test', '.docs-operate')

const origin = 'http://localhost:8787'
const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'

beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** The example of the pages that contains a text. */
async function exampleWith<Module>(text: string): Promise<Module> {
  const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const code = blocks.find((block) => block.includes(text))
  if (code === undefined) throw new Error(`No example has "${text}".`)
  const file = join(folder, `example-${blocks.indexOf(code)}.ts`)
  writeFileSync(file, code)
  return import(/* @vite-ignore */ file)
}

test('the Worker for support ends the sessions of the person in its address, and asks to be asked again', async () => {
  type Support = { default: { fetch(request: Request, env: object): Promise<Response> } }
  const { default: support } = await exampleWith<Support>('sessions-of')
  const ended: WhoseSessions[] = []
  const AUTH = {
    async endSessions(whose: WhoseSessions) {
      if (whose.sub === 'away') throw new Error('Could not write the ledger.')
      if (whose.sub.length > 255) throw new TypeError('endSessions needs the person’s id.')
      ended.push(whose)
    },
  }
  const ask = async (path: string, method = 'PUT') =>
    (await support.fetch(new Request(origin + path, { method }), { AUTH })).status
  expect(await ask('/sessions-of/a%20b%2Fc')).toBe(200)
  expect(await ask('/sessions-of/away')).toBe(503)
  // Asking again would not help.
  for (const wrong of ['a'.repeat(256), '%E0%A4%A'])
    expect(await ask(`/sessions-of/${wrong}`)).toBe(400)
  for (const method of ['GET', 'POST']) expect(await ask('/sessions-of/ada', method)).toBe(404)
  expect(await ask('/sessions-of/')).toBe(404)
  expect(ended).toEqual([{ sub: 'a b/c' }])
})

test('a person is found in the log by the secret and their id', async () => {
  const { personInLog } = await exampleWith<{
    personInLog(secret: string, sub: string): string
  }>('personInLog')
  const events: LogEvent[] = []
  const auth = createAuth({
    basePath: '/auth',
    secret: [AUTH_SECRET, 'the-one-before-0123456789abcdefghij'],
    providers: [],
    store: memoryStore(),
    logger: { info: (event) => void events.push(event) },
  })
  await auth.endSessions({ sub: 'ada' })
  expect(events).toMatchObject([
    { event: 'sessions-ended', person: personInLog(AUTH_SECRET, 'ada') },
  ])
})

test('on duty one command leads from a line of the log to the id, among the keys of KV or a list', async () => {
  const [, code = ''] = page.split('```ts\n// find-person.ts\n')
  writeFileSync(join(folder, 'find-person.ts'), code.split('```')[0] ?? '')
  const { personInLog } = await exampleWith<{
    personInLog(secret: string, sub: string): string
  }>('personInLog')
  const person = personInLog(AUTH_SECRET, 'V1StGXR8_Z5jdHi6B-myTw')
  const keys = [{ name: 'session:bo:x' }, { name: 'session:V1StGXR8_Z5jdHi6B-myTw:y' }]
  for (const input of [JSON.stringify(keys, null, 2), 'bo\nV1StGXR8_Z5jdHi6B-myTw\n', '']) {
    const found = execFileSync(process.execPath, [join(folder, 'find-person.ts'), person], {
      env: { AUTH_SECRET, NODE_NO_WARNINGS: '1' },
      input,
      encoding: 'utf8',
    })
    expect(found).toBe(input === '' ? '' : 'V1StGXR8_Z5jdHi6B-myTw\n')
  }
})

test('docs/log-events.md names every event and member', () => {
  const types = readFileSync(join(rootDir, 'worker/src/types/log-event.ts'), 'utf8')
  const events = readFileSync(join(rootDir, 'docs/log-events.md'), 'utf8')
  const members = [...types.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name)
  const manifests = globSync('worker/src/features/*/manifest.ts', { cwd: rootDir })
  const own = manifests.flatMap((path) => {
    const [, list = ''] =
      /^ {2}events: \[([^\]]*)\]/m.exec(readFileSync(join(rootDir, path), 'utf8')) ?? []
    return [...list.matchAll(/'([a-z-]+)'/g)].map(([, event]) => event)
  })
  expect(own).toContain('way-added')
  const core = readFileSync(join(rootDir, 'worker/src/config/core-events.ts'), 'utf8')
  const values = [...`${types}${core}`.matchAll(/'([a-z-]+)'/g)].map(([, value]) => value)
  values.push(...own)
  expect(values).toContain('sign-in-refused')
  for (const name of [...members, ...values]) {
    if (name !== 'time' && name !== 'event') expect(events).toContain(`\`${name}\``)
  }
})

test('docs/operate-alarms.md asks for columns and words that there are', () => {
  const alarms = readFileSync(join(rootDir, 'docs/operate-alarms.md'), 'utf8')
  const words = wordsOfCode(rootDir)
  // `by` has words of its own, and an interval is a text too.
  const others = new Set(['operator', '1', '5', '7', '30'])
  const queries = [...alarms.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, query = '']) => query)
  expect(queries.length).toBeGreaterThan(3)
  for (const query of queries) {
    const columns = query.match(/\b(?:blob|double|index)\d+\b/g) ?? []
    for (const column of columns) expect(alarms).toContain(`\`${column}\``)
    const quoted = [...query.matchAll(/'([^']*)'/g)].map(([, text = '']) => text)
    expect(quoted.filter((text) => text && !words.has(text) && !others.has(text))).toEqual([])
  }
  // Each name in the table of alarms is a word too, or a member of a line.
  const [, table = ''] = /## When to alarm\n([\s\S]*?)\n## /.exec(alarms) ?? []
  const named = [...table.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w-]+)`/g)].map(([, word = '']) => word),
  )
  const members = new Set(['error', 'provider', 'claimed', 'operator'])
  expect(named.filter((word) => !words.has(word) && !members.has(word))).toEqual([])
})

test('an app that serves the routes itself ends all sessions but one after a password was changed', async () => {
  vi.stubEnv('AUTH_SECRET', AUTH_SECRET)
  vi.stubEnv('AUTH_STORE', `file:${join(folder, 'auth.db')}`)
  type App = {
    config: AuthConfig
    passwordChanged(sub: string, sid: string): Promise<void>
  }
  const { config, passwordChanged } = await exampleWith<App>('passwordChanged')
  // The app's own routes.
  const { fetch } = createAuth(config)
  const signIn = async () => {
    const csrf = await fetch(new Request(`${origin}/auth/csrf`), process.env)
    const { csrfToken } = (await csrf.json()) as { csrfToken: string }
    const [cookie = ''] = csrf.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
    const body = new URLSearchParams({ csrfToken, username: 'ada' })
    const init = { method: 'POST', body, headers: { cookie } }
    const answer = await fetch(
      new Request(`${origin}/auth/callback/credentials`, init),
      process.env,
    )
    return /auth\.session-token=([^;]+)/.exec(answer.headers.getSetCookie().join())?.[0] ?? ''
  }
  const session = async (cookie: string) =>
    (
      await fetch(new Request(`${origin}/auth/session`, { headers: { cookie } }), process.env)
    ).json()
  const [one, two] = [await signIn(), await signIn()]
  const { sub, sid } = JSON.parse(atob(two.split('.')[2] ?? ''))
  expect(await session(one)).toMatchObject({ user: { name: 'Ada' } })
  await passwordChanged(sub, sid)
  const online = async (cookie: string) => {
    const asked = new Request(`${origin}/auth/session?online=1`, { headers: { cookie } })
    return (await fetch(asked, process.env)).json()
  }
  expect([await online(one), await online(two)]).toEqual([
    null,
    expect.objectContaining({ user: expect.objectContaining({ name: 'Ada' }) }),
  ])
  // The file is where the variable says: an app that reads the variable has the same sessions.
  expect(existsSync(join(folder, 'auth.db'))).toBe(true)
})
