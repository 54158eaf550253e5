import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { main } from '../main.js'
import { terminalOf } from '../test-support/terminal.js'
import { inFolder } from './test-support/in-folder.js'
import { BINDINGS, withSecret } from './test-support/written.js'

const { folder, write, doctor, findings } = inFolder()

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
  const terminal = terminalOf({ directory: folder(), hasColor: true, columns: 80 })
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
