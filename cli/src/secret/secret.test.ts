import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { createAuth } from '@latchkey/worker'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { main } from '../main.js'
import { terminalOf } from '../test-support/terminal.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-secret-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function run(...args: string[]) {
  const terminal = terminalOf({ directory: folder })
  const code = await main(['secret', ...args], terminal)
  return { code, printed: terminal.printed(), noted: terminal.noted() }
}

async function json(...args: string[]) {
  const { code, printed } = await run(...args, '--json')
  return { code, ...JSON.parse(printed) }
}

test('a secret has 64 hexadecimal digits, and is another one each time', async () => {
  const { code, printed, noted } = await run()
  expect({ code, noted }).toEqual({ code: 0, noted: '' })
  expect(printed).toMatch(/^[0-9a-f]{64}\n$/)
  const { secret } = await json()
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(`${secret}\n`).not.toBe(printed)
})

test.each([
  [[], 'read'],
  [['--manage'], 'manage'],
])('a key of an operator %j and its entry, which has the hash alone', async (more, scope) => {
  const { key, entry } = await json('operator', 'night-1', ...more)
  expect(key).toMatch(/^lkop_[\w-]{43}$/)
  expect(entry).toBe(`night-1:${scope}:${createHash('sha256').update(key).digest('hex')}`)
  const { printed, noted } = await run('operator', 'night-1', ...more)
  expect(printed).toMatch(/^key {4}lkop_[\w-]{43}\nentry {2}night-1:\w+:[0-9a-f]{64}\n$/)
  expect(noted).not.toMatch(/lkop_|[0-9a-f]{64}/)
})

test('the text after a key and after a rotation fits into 80 columns, and the list has a place where it can be read', async () => {
  put(`AUTH_SECRET=${OLD}\n`)
  const operator = await run('operator', 'night-1')
  const rotated = await rotateIt()
  const lines = `${operator.noted}${rotated.printed}${rotated.noted}`.split('\n')
  expect(lines.length).toBeGreaterThan(15)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(operator.noted).toContain('[vars] of the wrangler file')
  expect(operator.noted).toContain("on Node in the app's file of variables")
})

test('a secret of a webhook is one of Standard Webhooks, which the service takes', async () => {
  const { secret } = await json('webhook')
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
})

test.each([
  [['operator'], 'Name the key with 1 to 32'],
  [['operator', 'Night'], 'Name the key with 1 to 32'],
  [['operator', 'a'.repeat(33)], 'Name the key with 1 to 32'],
  [['operator', 'a', 'b'], 'Name the key with 1 to 32'],
  [['operator', 'binding'], 'Choose another name'],
  [['--manage'], '--manage is not an option of latchkey secret.'],
  [['webhook', '--vars', 'x'], '--vars is not an option of latchkey secret webhook.'],
  [['webhook', 'x'], 'latchkey secret webhook takes no more words.'],
  [['rotate'], 'Name the file of variables: --vars <file>.'],
  [['rotate', '.env', '--vars', '.env'], 'latchkey secret rotate takes no more words.'],
  [['rotate', '--env-file', '.env'], 'There is no option "--env-file".'],
  [['rotat'], 'It makes a secret, or one of: operator, webhook, rotate.'],
])('%j is wrong use', async (args, message) => {
  expect(await json(...args)).toMatchObject({
    code: 2,
    error: 'WrongUse',
    message: expect.stringContaining(message),
  })
})

const OLD = 'a-secret-of-the-tests-0123456789abcdef'
const put = (text: string | Buffer) => writeFileSync(join(folder, '.dev.vars'), text)
const got = () => readFileSync(join(folder, '.dev.vars'))
const rotateIt = () => run('rotate', '--vars', '.dev.vars')

describe('rotate', () => {
  test.each<[what: string, text: string, added: RegExp]>([
    ['one line', `AUTH_SECRET=${OLD}\n`, /^AUTH_SECRET_1=[0-9a-f]{64}\n$/],
    ['no last line break', `AUTH_SECRET=${OLD}`, /^\nAUTH_SECRET_1=[0-9a-f]{64}\n$/],
    ['the first number', `AUTH_SECRET_1=${OLD}\n`, /^AUTH_SECRET_2=[0-9a-f]{64}\n$/],
    [
      'a hole in the numbers',
      `AUTH_SECRET_2=${OLD}\nAUTH_SECRET=x\n`,
      /^AUTH_SECRET_3=[0-9a-f]{64}\n$/,
    ],
    ['a quote that does not end', `AUTH_SECRET=${OLD}\nB="x`, /^\nAUTH_SECRET_1=[0-9a-f]{64}\n$/],
    ['no value at its end', `AUTH_SECRET=${OLD}\nB=`, /^\nAUTH_SECRET_1=[0-9a-f]{64}\n$/],
    ['an empty number', `AUTH_SECRET=${OLD}\nAUTH_SECRET_1=\n`, /^AUTH_SECRET_2=[0-9a-f]{64}\n$/],
    [
      'comments',
      `# AUTH_SECRET_1=no\nAUTH_SECRET=${OLD} # AUTH_SECRET_2=no\n#AUTH_SECRET_3=x\n`,
      /^AUTH_SECRET_1=[0-9a-f]{64}\n$/,
    ],
    [
      'CRLF',
      `# ä\r\nAUTH_SECRET="${OLD}"\r\nAUTH_URL='https://a.example'\r\n`,
      /^AUTH_SECRET_1=[0-9a-f]{64}\r\n$/,
    ],
    ['export', `export AUTH_SECRET=${OLD}\n`, /^export AUTH_SECRET_1=[0-9a-f]{64}\n$/],
    [
      'a key of several lines',
      `AUTH_APPLE_SECRET="-----BEGIN\nAUTH_SECRET_1=inside\nAUTH_SECRET_3=inside\n-----END"\nAUTH_SECRET=${OLD}`,
      /^\nAUTH_SECRET_1=[0-9a-f]{64}\n$/,
    ],
    ['a byte order mark', `\ufeffAUTH_SECRET=${OLD}\n`, /^AUTH_SECRET_1=[0-9a-f]{64}\n$/],
  ])('adds a line to a file with %s, and changes no other byte', async (_, text, added) => {
    put(text)
    const { code, printed } = await rotateIt()
    expect(code).toBe(0)
    expect(got().subarray(0, Buffer.byteLength(text)).equals(Buffer.from(text))).toBe(true)
    const more = got().subarray(Buffer.byteLength(text)).toString()
    expect(more).toMatch(added)
    const [, name = ''] = /(AUTH_SECRET_\d)/.exec(more) ?? []
    expect(printed).toMatch(new RegExp(`^${name} was added to .dev.vars.\n`))
    expect(printed).not.toContain(OLD)
    // Attack on oneself: after 30 days, people who come back by a password would be locked out.
    expect(printed).toContain('Keep the old secret for as long as people may stay away')
    expect(printed).not.toMatch(/[0-9a-f]{64}/)
    expect(readdirSync(folder)).toEqual(['.dev.vars'])
  })

  test('keeps bytes that are not text', async () => {
    const text = Buffer.concat([
      Buffer.from([0x23, 0xff, 0xfe, 0x0a]),
      Buffer.from(`AUTH_SECRET=${OLD}\n`),
    ])
    put(text)
    expect((await rotateIt()).code).toBe(0)
    expect(got().subarray(0, text.length).equals(text)).toBe(true)
  })

  test.each([0o600, 0o640, 0o444])('keeps the mode %o', async (mode) => {
    put(`AUTH_SECRET=${OLD}\n`)
    chmodSync(join(folder, '.dev.vars'), mode)
    expect((await rotateIt()).code).toBe(0)
    expect(statSync(join(folder, '.dev.vars')).mode & 0o7777).toBe(mode)
  })

  test('keeps a link, and changes the file that it names', async () => {
    writeFileSync(join(folder, 'real'), `AUTH_SECRET=${OLD}\n`)
    symlinkSync('real', join(folder, '.dev.vars'))
    expect((await rotateIt()).code).toBe(0)
    expect(lstatSync(join(folder, '.dev.vars')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'real'), 'utf8')).toContain('AUTH_SECRET_1=')
  })

  test('goes to the third number, and no further', async () => {
    put(`AUTH_SECRET=${OLD}\n`)
    for (const added of ['AUTH_SECRET_1', 'AUTH_SECRET_2', 'AUTH_SECRET_3']) {
      expect(await json('rotate', '--vars', '.dev.vars')).toEqual({
        code: 0,
        file: '.dev.vars',
        added,
      })
    }
    const before = got()
    expect(await json('rotate', '--vars', '.dev.vars')).toMatchObject({ code: 1 })
    expect(got().equals(before)).toBe(true)
  })

  test('the secret that it adds signs, and the old one still verifies', async () => {
    put(`AUTH_SECRET=${OLD}\n`)
    const keysOf = async () => {
      const auth = createAuth({ basePath: '/auth', providers: [], store: memoryStore() })
      const answer = await auth.fetch(new Request('https://a.example/auth/jwks.json'), {
        ...parseEnv(got().toString()),
        AUTH_URL: 'https://a.example/auth',
      })
      return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
    }
    const [old] = await keysOf()
    await rotateIt()
    const keys = await keysOf()
    expect(keys).toHaveLength(2)
    expect(keys[0]).not.toBe(old)
    expect(keys[1]).toBe(old)
  })

  test.runIf(process.platform !== 'win32')(
    'names a command that gives the value on, without showing it',
    async () => {
      put(`B="\r\nAUTH_SECRET_1=inside\r\n"\r\nAUTH_SECRET=${OLD}\r\n`)
      const { printed } = await rotateIt()
      const [, command = ''] = /^ {7}(sed .+ \|)\n {9}npx wrangler/m.exec(printed) ?? []
      const value = execFileSync('sh', ['-c', command.replace(/ \|$/, '')], { cwd: folder })
      expect(value.toString().trimEnd()).toBe(parseEnv(got().toString()).AUTH_SECRET_1)
      expect(value.toString()).not.toContain('\r')
    },
  )

  test.each<[what: string, text: string, error: string]>([
    ['no secret', 'AUTH_URL=https://a.example\n', 'NoSecret'],
    ['an empty secret', 'AUTH_SECRET=\n', 'NoSecret'],
    ['a secret in a comment', `# AUTH_SECRET=${OLD}\n`, 'NoSecret'],
    ['nothing', '', 'NoSecret'],
    ['the third one alone', `AUTH_SECRET_3=${OLD}\n`, 'NoNumberLeft'],
  ])('leaves a file with %s as it is', async (_, text, error) => {
    put(text)
    const { code, message, ...said } = await json('rotate', '--vars', '.dev.vars')
    expect({ code, error: said.error }).toEqual({ code: 1, error })
    expect(message).not.toContain(OLD)
    expect(got().toString()).toBe(text)
    expect(readdirSync(folder)).toEqual(['.dev.vars'])
  })

  test('says that a file is not there', async () => {
    expect(await json('rotate', '--vars', 'no\u001b[2Jfile')).toEqual({
      code: 1,
      error: 'Unwritable',
      message: 'no\ufffd[2Jfile cannot be changed (ENOENT).',
    })
  })

  test('says that a folder is not a file', async () => {
    expect(await json('rotate', '--vars', '.')).toMatchObject({ code: 1, error: 'Unwritable' })
  })
})
