import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { inFolder, places } from './test-support/in-folder.js'
import { closeAll, runningService } from './test-support/running.js'
import { BINDINGS, SECRET, withSecret } from './test-support/written.js'

const { folder, write, doctor, findings } = inFolder()
afterEach(closeAll)

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

  describe('a wrangler file with environments alone', () => {
    const live = BINDINGS.replaceAll('[[', '[[env.live.')
    const test_ = BINDINGS.replaceAll('[[', '[[env.test.')

    test('--vars is read for each of them, and not passed over', async () => {
      write({
        'wrangler.toml': live + test_,
        'live.env': 'AUTH_SECRET=short',
        '.dev.vars.live': withSecret(),
      })
      const { printed } = await doctor('--vars', 'live.env')
      expect(printed).toContain('Read: wrangler.toml, live.env.')
      expect(places(await findings('--vars', 'live.env'))).toEqual([
        'secret-short live.env AUTH_SECRET',
      ])
      expect(places(await findings('--vars', 'gone.env'))).toEqual(['unreadable gone.env'])
    })

    test('.dev.vars is read for one that has no file of its own', async () => {
      write({
        'wrangler.toml': live + test_,
        '.dev.vars': 'AUTH_SECRET=short',
        '.dev.vars.live': withSecret(),
      })
      expect(places(await findings())).toEqual(['secret-short .dev.vars AUTH_SECRET'])
    })

    test('as an app: .dev.vars counts too', async () => {
      write({
        '.env': withSecret(),
        'app/wrangler.toml': live,
        'app/.dev.vars': withSecret('AUTH_TRUST_HOSTS=1'),
      })
      const found = places(await findings('--app', 'app'))
      expect(found).toContain('variable-unknown app/.dev.vars AUTH_TRUST_HOSTS')
    })
  })

  test('--app of a folder without files is wrong use, and not a check that finds nothing', async () => {
    write({ '.env': withSecret(), 'app/package.json': '{}' })
    const { code, noted } = await doctor('--app', 'app')
    expect(code).toBe(2)
    expect(noted).toContain('--app "app": there is no wrangler file')
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
    chmodSync(join(folder(), '.env'), 0)
    expect((await findings())[0]?.what).toBe('.env cannot be read: it may not be read.')
  })
})

describe('git', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder(),
      stdio: 'ignore',
    })

  test('knows files that it would take along, or has', async () => {
    write({ '.env': withSecret(), 'service/.env': withSecret() })
    expect(await findings()).toEqual([])
    git('init')
    expect(places(await findings())).toEqual(['secret-in-git .env'])
    expect(places(await findings('service'))).toEqual(['secret-in-git service/.env'])
    writeFileSync(join(folder(), '.gitignore'), '.env\n')
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
    process.env.PATH = folder()
    try {
      expect(await findings()).toEqual([])
    } finally {
      process.env.PATH = PATH
    }
  })

  test('runs nothing that the repository names', async () => {
    write({ '.env': withSecret() })
    git('init')
    git('config', 'core.fsmonitor', `touch ${join(folder(), 'ran')}; false`)
    expect(places(await findings())).toEqual(['secret-in-git .env'])
    expect(() => readFileSync(join(folder(), 'ran'))).toThrow()
  })

  test('attack: runs no program to fetch what the repository lacks', async () => {
    write({ '.env': withSecret(), 'a/file': '1', 'b/file': '2', top: '3' })
    git('init')
    git('add', 'a', 'b', 'top')
    git('commit', '-m', 'x')
    const tree = execFileSync('git', ['rev-parse', 'HEAD:a'], { cwd: folder(), encoding: 'utf8' })
    git('sparse-checkout', 'init', '--cone', '--sparse-index')
    git('sparse-checkout', 'set', 'b')
    rmSync(join(folder(), '.git/objects', tree.slice(0, 2), tree.slice(2).trim()))
    git('config', 'core.repositoryFormatVersion', '1')
    git('config', 'extensions.partialClone', 'origin')
    git('config', 'remote.origin.promisor', 'true')
    git('config', 'remote.origin.url', folder())
    git('config', 'protocol.file.allow', 'always')
    git('config', 'remote.origin.uploadPack', `touch ${join(folder(), 'ran')}; false`)
    expect(places(await findings())).toEqual(['secret-in-git .env'])
    expect(() => readFileSync(join(folder(), 'ran'))).toThrow()
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
