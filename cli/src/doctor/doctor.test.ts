import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { main } from '../main.js'
import { terminalOf } from '../test-support/terminal.js'
import { type Finding, LEVELS } from './finding.js'
import { closeAll, runningService } from './test-support/running.js'
import { BINDINGS, SECRET, withSecret } from './test-support/written.js'

const root = join(import.meta.dirname, '../../..')
const all = mkdtempSync(join(tmpdir(), 'latchkey-doctor-'))
afterAll(() => rmSync(all, { recursive: true, force: true }))
afterEach(closeAll)

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(all, 'folder-'))
})

/** Writes files below the folder. */
function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Runs the command in the folder. */
async function doctor(...args: readonly string[]) {
  const terminal = terminalOf({ directory: folder })
  const code = await main(['doctor', ...args], terminal)
  return { code, printed: terminal.printed(), noted: terminal.noted() }
}

/** The findings of the command, as a program reads them. */
async function findings(...args: readonly string[]): Promise<readonly Finding[]> {
  const { code, printed, noted } = await doctor(...args, '--json')
  const { ok, findings: found } = JSON.parse(printed) as { ok: boolean; findings: Finding[] }
  expect(noted).toBe('')
  expect(ok).toBe(!found.some(({ level }) => level === 'error'))
  expect(code).toBe(ok ? 0 : 1)
  for (const { code: word, level } of found) expect(LEVELS[word]).toBe(level)
  return found
}

const places = (found: readonly Finding[]) => found.map(({ code, where }) => `${code} ${where}`)

describe('files', () => {
  test('wrangler.toml with .dev.vars over its variables', async () => {
    write({
      'wrangler.toml': `${BINDINGS}[vars]\nAUTH_LOG = "yaml"`,
      '.dev.vars': withSecret('AUTH_LOG=json', 'AUTH_TRUST_HOSTS=1'),
      '.env': 'AUTH_SECRET=short',
    })
    // The deployed Worker does not have .dev.vars.
    expect(places(await findings())).toEqual([
      'variable-unknown .dev.vars AUTH_TRUST_HOSTS',
      'variable-invalid wrangler.toml AUTH_LOG',
    ])
  })

  test('if there are several wrangler files, the one that wrangler takes counts', async () => {
    write({ 'wrangler.toml': BINDINGS, 'wrangler.jsonc': '{ /* nothing */ "name": "auth", }' })
    expect(places(await findings())).toEqual([
      'binding-missing wrangler.jsonc SESSIONS',
      'binding-missing wrangler.jsonc LEDGER',
    ])
  })

  test('.env without a wrangler file, and another one with --vars', async () => {
    write({
      'app/.env': 'AUTH_SECRET=short',
      'app/.dev.vars': withSecret(),
      'live.env': withSecret(),
    })
    expect(places(await findings('app'))).toEqual(['secret-short app/.env AUTH_SECRET'])
    expect(await findings('app', '--vars', 'live.env')).toEqual([])
    expect(places(await findings('app', '--vars', 'gone.env'))).toEqual(['unreadable gone.env'])
  })

  test('.dev.vars without a wrangler file, if there is no .env', async () => {
    write({ '.dev.vars': 'AUTH_SECRET=short' })
    expect(places(await findings())).toEqual(['secret-short .dev.vars AUTH_SECRET'])
    write({ '.env': withSecret() })
    expect(await findings()).toEqual([])
  })

  test('an environment has a file of its own', async () => {
    const live = BINDINGS.replaceAll('[[', '[[env.live.')
    write({
      'wrangler.toml': BINDINGS + live,
      '.dev.vars': withSecret(),
      '.dev.vars.live': 'AUTH_SECRET=short',
    })
    expect(places(await findings())).toEqual(['secret-short .dev.vars.live AUTH_SECRET'])
  })

  test('quotes, lines of a key, comments and CRLF are read as wrangler reads them', async () => {
    const lines = [
      '# AUTH_LOG=yaml',
      `export AUTH_SECRET="${SECRET}"`,
      'AUTH_APPLE_ID=com.example.web',
      'AUTH_APPLE_TEAM_ID=A1',
      'AUTH_APPLE_KEY_ID=F6',
      'AUTH_APPLE_PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\nAUTH_LOG=yaml\n-----END PRIVATE KEY-----"',
      "AUTH_THEME_BRAND_COLOR='#0f766e' # a color",
    ]
    write({ '.env': lines.join('\r\n') })
    expect(await findings()).toEqual([])
  })

  test.each<[string, string | Uint8Array]>([
    ['wrangler.toml', 'name = "auth'],
    ['wrangler.json', '{ "name": '],
    ['.env', '{ "AUTH_SECRET": "canary" }'],
    ['.env', new Uint8Array([65, 61, 0xff, 0xfe])],
    ['.env', 'A=\0'],
    ['.env', `A=${'x'.repeat(1024 * 1024)}`],
  ])('%s that cannot be read is a finding, and the rest goes on: %#', async (name, text) => {
    write({ [name]: text, 'app/.env': 'AUTH_SECRET=short' })
    expect(places(await findings('--app', 'app'))).toEqual([
      `unreadable ${name}`,
      'secret-short app/.env AUTH_SECRET',
    ])
  })

  test('an unreadable wrangler file may have what the variables need', async () => {
    write({ 'wrangler.toml': '[', '.dev.vars': 'AUTH_EMAIL_FROM=a@example.com\nAUTH_GOOGLE_ID=x' })
    expect(places(await findings())).toEqual(['unreadable wrangler.toml'])
    expect(places(await findings('--vars', 'gone'))).toEqual([
      'unreadable wrangler.toml',
      'unreadable gone',
    ])
  })

  test('a folder in the place of a file', async () => {
    write({ '.env/file': 'x' })
    expect(places(await findings())).toEqual(['unreadable .env'])
  })

  test.skipIf(process.getuid?.() === 0)('a file that may not be read', async () => {
    write({ '.env': withSecret() })
    chmodSync(join(folder, '.env'), 0)
    expect((await findings())[0]?.what).toBe('.env cannot be read: it may not be read.')
  })
})

describe('git', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      stdio: 'ignore',
    })

  test('knows files that it would take along, or has', async () => {
    write({ '.env': withSecret(), 'service/.env': withSecret() })
    expect(await findings()).toEqual([])
    git('init')
    expect(places(await findings())).toEqual(['secret-in-git .env'])
    expect(places(await findings('service'))).toEqual(['secret-in-git service/.env'])
    writeFileSync(join(folder, '.gitignore'), '.env\n')
    expect(await findings()).toEqual([])
    expect(await findings('service')).toEqual([])
    git('add', '--force', '.env')
    git('commit', '-m', 'x')
    const [found] = await findings()
    expect(found?.fix).toBe('git rm --cached .env && echo .env >> .gitignore')
  })

  test('is not needed', async () => {
    write({ '.env': withSecret() })
    git('init')
    const { PATH } = process.env
    process.env.PATH = folder
    try {
      expect(await findings()).toEqual([])
    } finally {
      process.env.PATH = PATH
    }
  })

  test('runs nothing that the repository names', async () => {
    write({ '.env': withSecret() })
    git('init')
    git('config', 'core.fsmonitor', `touch ${join(folder, 'ran')}; false`)
    expect(places(await findings())).toEqual(['secret-in-git .env'])
    expect(() => readFileSync(join(folder, 'ran'))).toThrow()
  })
})

describe('apps', () => {
  test('each one is compared with the service', async () => {
    write({
      'service/.env': withSecret('AUTH_URL=https://auth.example.com'),
      'one/.env': 'AUTH_WORKER_URL=https://auth.example.com/auth',
      'two/wrangler.toml': '[vars]\nAUTH_WORKER_URL = "https://other.example.com"',
    })
    expect(places(await findings('service', '--app', 'one', '--app', 'two'))).toEqual([
      'app-issuer two/wrangler.toml AUTH_WORKER_URL',
    ])
  })

  test('an app may belong to the deployed service, or to the one on this machine', async () => {
    write({
      'wrangler.toml': `${BINDINGS}[vars]\nAUTH_URL = "https://auth.example.com"`,
      '.dev.vars': withSecret('AUTH_URL=http://localhost:8787'),
      'live/.env': 'AUTH_WORKER_URL=https://auth.example.com/auth',
      'local/.env': 'AUTH_WORKER_URL=http://localhost:8787/auth',
      'other/.env': 'AUTH_WORKER_URL=http://localhost:3000/auth',
    })
    const args = ['live', 'local', 'other'].flatMap((app) => ['--app', app])
    expect(places(await findings(...args))).toEqual(['app-issuer other/.env AUTH_WORKER_URL'])
  })

  test('an app may name the service as its AUTH_URL', async () => {
    write({
      '.env': withSecret('AUTH_URL=https://auth.example.com/auth'),
      'app/wrangler.toml': `route = "shop.example.com/*"\n[vars]\nAUTH_URL = "https://auth.example.com/auth"`,
      'app/.dev.vars': withSecret(),
    })
    expect(await findings('--app', 'app')).toEqual([])
  })

  test('an app needs no binding and no sender of its own', async () => {
    write({
      '.env': withSecret(),
      'app/wrangler.toml': 'name = "app"',
      'app/.dev.vars': 'PORT=3000',
    })
    expect(await findings('--app', 'app')).toEqual([])
  })
})

describe('a running service', () => {
  test('and the keys that it publishes, which an app has to have', async () => {
    const base = await runningService()
    write({
      '.env': withSecret('AUTH_SECRET_1=b1946ac92492d2347c6235b4d2611184'),
      'app/.env': `AUTH_SECRET=${SECRET}\nAUTH_WORKER_URL=${base}`,
    })
    expect(places(await findings('--app', 'app'))).toEqual(['app-secret app/.env AUTH_SECRET'])
    const found = await findings('--app', 'app', '--to', base)
    expect(places(found).filter((one) => !one.startsWith('provider-away'))).toEqual([])
  })

  test('with passwords, whose limit is in the wrangler file', async () => {
    const { default: credentials } = await import('@latchkey/worker/providers/credentials')
    const base = await runningService({ providers: [credentials({ authorize: () => null })] })
    write({ 'wrangler.toml': BINDINGS.replace('name = "RATE_LIMIT"', 'name = "OTHER"') })
    expect(await findings()).toEqual([])
    expect(places(await findings('--to', base))).toEqual([
      'rate-limit-missing wrangler.toml RATE_LIMIT',
    ])
  })
})

describe('wrong use', () => {
  test.each([
    [['nowhere']],
    [['a', 'b']],
    [['--app', 'nowhere']],
    [['--to', 'http://auth.example.com/auth']],
    [['--to', 'https://user:canary@auth.example.com']],
    [['--to', 'auth.example.com']],
    [['--env-file', 'x']],
    [['--vars']],
  ])('%j', async (args) => {
    const { code, printed, noted } = await doctor(...args)
    expect(code).toBe(2)
    expect(printed).toBe('')
    expect(noted).not.toContain('canary')
    const json = await doctor(...args, '--json')
    expect(JSON.parse(json.printed)).toMatchObject({ error: 'WrongUse' })
  })
})

describe('good deployments have no findings:', () => {
  test('the wrangler.toml of the repository with its example of variables', async () => {
    const example = readFileSync(join(root, '.dev.vars.example'), 'utf8')
    cpSync(join(root, 'wrangler.toml'), join(folder, 'wrangler.toml'))
    write({ '.dev.vars': example.replace(/^AUTH_SECRET=$/m, `AUTH_SECRET=${SECRET}`) })
    expect(await findings()).toEqual([])
    // With each line that is a comment there.
    const open = example.replaceAll(
      /^# (AUTH_\w+)=(.*)$/gm,
      (_, name, value) => `${name}=${value || 'x'}`,
    )
    write({ '.dev.vars': open.replace(/^AUTH_SECRET=$/m, `AUTH_SECRET=${SECRET}`) })
    const found = (await findings()).filter(({ code }) => code === 'variable-unknown')
    expect(found).toEqual([])
  })

  test.each([
    'astro',
    'cli',
    'express',
    'hono',
    'mcp',
    'next',
    'react-router',
    'spa',
    'sveltekit',
    'worker',
  ])('examples/%s', async (name) => {
    const terminal = terminalOf({ directory: root })
    await main(['doctor', `examples/${name}`, '--json'], terminal)
    expect(JSON.parse(terminal.printed())).toEqual({ ok: true, findings: [] })
  })

  test.each([
    [
      'a path of a site',
      `routes = [{ pattern = "example.com/auth/*", zone_name = "example.com" }]\nworkers_dev = false`,
      'AUTH_URL = "https://example.com"',
    ],
    [
      'a domain of its own',
      `routes = [{ pattern = "auth.example.com", custom_domain = true }]\nworkers_dev = false`,
      'AUTH_URL = "https://auth.example.com/auth"\nAUTH_TRUSTED_ORIGINS = "https://app.example.com,https://shop.example.com"\nAUTH_COOKIE_DOMAIN = "example.com"',
    ],
  ])('%s, as docs/deploy.md has it', async (_, routes, vars) => {
    const shipped = readFileSync(join(root, 'wrangler.toml'), 'utf8')
    write({ 'wrangler.toml': `${routes}\n${shipped}\n[vars]\n${vars}` })
    expect(await findings()).toEqual([])
  })
})

/** The variables that a page sets in its commands and files, with a secret for each placeholder. */
function variablesIn(page: string): string {
  const text = readFileSync(join(root, page), 'utf8')
  const code = [...text.matchAll(/^ *```(?:sh|ini|dotenv)?\n([\s\S]*?)^ *```/gm)].map(
    ([, one]) => one,
  )
  const set = code.join('\n').matchAll(/\b(AUTH_\w+)=("[^"]*"|'[^']*'|\$\([^)]*\)|[^\s;,"`]+)/g)
  return [...set]
    .filter(([, , value = '']) => !/^(?:…|[$][\w/])/.test(value))
    .map(([, name, value = '']) => `${name}=${value.startsWith('$(') ? SECRET : value}`)
    .join('\n')
}

const pages = globSync(['README.md', '{adapters,examples}/*/README.md'], { cwd: root })
const withVariables = pages.filter((page) => variablesIn(page) !== '')

test('pages that set variables are found', () => {
  expect(withVariables.length).toBeGreaterThan(5)
})

test.each(withVariables)('the variables of %s have no findings', async (page) => {
  write({ '.env': withSecret(variablesIn(page)) })
  expect(await findings()).toEqual([])
})

test.each(globSync('examples/*/*.{env,vars}', { cwd: root }))(
  '%s beside a secret has no findings',
  async (file) => {
    write({ '.env': withSecret(readFileSync(join(root, file), 'utf8')) })
    expect(await findings()).toEqual([])
  },
)

/** Each variable of a secret with a value of its own, whose faults are found as well. */
const CANARIES = [
  'AUTH_SECRET=canary',
  'AUTH_SECRET_1=canary-canary-canary-canary-canary',
  'AUTH_SECRET_2=canary-canary-canary-canary-canary',
  'AUTH_SECRET_7=canary7',
  'AUTH_GOOGLE_SECRET=canary-google',
  'AUTH_OIDC_ID=canary-id',
  'AUTH_OIDC_ISSUER=https://canary:canary@id.example.com/?canary#canary',
  'AUTH_URL=https://canary:canary@auth.example.com?canary',
  'AUTH_WORKER_URL=https://auth.example.com/?key=canary',
  'AUTH_TRUSTED_ORIGINS=https://canary.example.com/canary,canary',
  'AUTH_TRUST_HOST=canary',
  'AUTH_LOG=canary',
  'AUTH_LEDGER_SHARDS=canary',
  'AUTH_IMPORT_UNTIL=canary',
  'AUTH_AUDIT_DAYS=canary',
  'AUTH_THEME_COLOR_SCHEME=canary',
  'AUTH_STORE=mysql://user:canary@db.example.com',
  'AUTH_COOKIE_DOMAIN=canary',
  'AUTH_EMAIL_FROM=canary',
  'AUTH_PASSKEY_RP_ID=canary',
  'AUTH_TURNSTILE_SECRET_KEY=canary',
  'AUTH_OPERATOR_KEYS=lkop_canary,canary',
  'AUTH_WEBHOOK_URL=canary',
  'AUTH_WEBHOOK_SECRET=whsec_canary',
  'AUTH_WEBHOOK_EVENTS=canary',
  'AUTH_PUBLIC_KEYS={"keys":[{"d":"canary"}]}',
  'AUTH_APP_KEY=canary-canary-canary-canary-canary',
  'AUTH_APP_KEYS=https://app.example.com=canary,canary',
  'AUTH_SOMETHING=canary',
  'AUTH_REDIRECT_PROXY_SECRET=canary',
]

test('no value of a file is shown, whatever is wrong with it', async () => {
  const toml = CANARIES.map((line) => {
    const [name = '', ...value] = line.split('=')
    return `${name} = ${JSON.stringify(value.join('='))}`
  }).join('\n')
  write({
    'wrangler.toml': `[observability]\nenabled = true\n[vars]\n${toml}`,
    '.dev.vars': CANARIES.join('\n'),
    'app/.env': CANARIES.join('\n'),
    'other/.env': CANARIES.join('\n').replaceAll('canary', 'CANARY'),
  })
  const args = ['--app', 'app', '--app', 'other']
  const found = await findings(...args)
  const codes = new Set(found.map(({ code }) => code))
  expect(codes.size).toBeGreaterThanOrEqual(20)
  const { printed } = await doctor(...args)
  for (const text of [JSON.stringify(found), printed]) {
    expect(text).not.toMatch(/canary/i)
  }
})

test('a person sees lines of 80 columns, errors first, with colors at a terminal alone', async () => {
  write({
    'wrangler.toml': BINDINGS.replace(/\[\[send_email[\s\S]*/, ''),
    '.dev.vars': `AUTH_LOGG=json\nAUTH_SECRET=short\nAUTH_EMAIL_FROM=a@example.com`,
  })
  const { code, printed } = await doctor()
  expect(code).toBe(1)
  expect(printed).toBe(`error secret-short  .dev.vars AUTH_SECRET
  AUTH_SECRET has fewer than 32 characters.
  The service refuses it, because a short secret can be guessed.
    npx latchkey secret   # the new value of AUTH_SECRET

error mail-unsent  .dev.vars AUTH_EMAIL_FROM
  AUTH_EMAIL_FROM is set, and there is neither a binding EMAIL nor the key of a
  mail service.
  Sign-in by email is off, because nothing can send a mail.
    [[send_email]]
    name = "EMAIL"

warning variable-unknown  .dev.vars AUTH_LOGG
  Nothing reads AUTH_LOGG.
  It changes nothing, whatever its value is. It may be misspelt.
    rename it to AUTH_LOG

Read: wrangler.toml, .dev.vars. 2 errors, 1 warning. latchkey explain <code>
says more.
`)
  const terminal = terminalOf({ directory: folder, hasColor: true, columns: 80 })
  await main(['doctor'], terminal)
  expect(terminal.printed()).toContain('\u001b[31merror\u001b[39m')
  expect(stripVTControlCharacters(terminal.printed())).toBe(printed)
})

test('names that a file has made up obey no terminal', async () => {
  const clears = '\u001b[2J'
  write({ '.env': `${withSecret()}\nAUTH_X${clears}=1` })
  const inToml = ['env."\\u001b[2J"', 'vars."AUTH_\\u001b[2J\\u202e"'].map(
    (key) => `${key}.x = "x"`,
  )
  for (const line of ['', ...inToml]) {
    if (line) write({ 'wrangler.toml': `${line}\n${BINDINGS}` })
    const { printed } = await doctor()
    expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  }
})
