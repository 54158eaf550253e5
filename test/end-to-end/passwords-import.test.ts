import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir, startWranglerDev, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { freePort } from '../support/free-port.ts'

// The shipped Worker, to which `latchkey import` brings passwords of each kind that better-auth and others have.

const run = promisify(execFile)
const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'

/** The passwords of an old table, and their hashes. */
const PEOPLE = [
  [
    'old1',
    '9490e852331405c035f96e4d75abb909:d468ee82c59b88c60687a31e25264c47781ce7b7cea47ce4f3bc9aa73bcd51f8092c3d21f0bd0e996f7bd784356f8894b61af87d3fd39e0c0c8821fbb0561d2e',
  ],
  ['winter sun', '$2b$04$w83TMqWV3WBALCq1VCTiLOAvWj2uwpfiXtmj8kuPTusXfR5N.LDqm'],
  [
    'winter sun',
    '$scrypt$ln=16,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$0gP6VFzNJ/GFvqGlESTEtASo60tW1zVAW1FIf80UuJM',
  ],
  // More iterations than Cloudflare computes itself.
  ['Gürteltier 🦔', 'pbkdf2_sha256$120000$saltysalt$xenUn7h5k+DpwQWacGfoCMers5lguQH83EBovHUEzvA='],
] as const

let folder: string
let dev: WranglerDev
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'passwords-import-'))
  dev = await startWranglerDev({
    name: 'Worker',
    port: await freePort(),
    persistTo: join(folder, 'state'),
    vars: {
      AUTH_SECRET,
      AUTH_PASSWORD: 'true',
      AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
      AUTH_IMPORT_UNTIL: new Date(Date.now() + 86_400_000).toISOString(),
    },
  })
})
afterAll(async () => {
  await dev?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function signIn(email: string, password: string): Promise<number> {
  const csrf = await fetch(`${dev.url}/auth/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = csrf.headers.getSetCookie().map((one) => one.split(';', 1)[0])
  const answer = await fetch(`${dev.url}/auth/callback/password`, {
    method: 'POST',
    headers: {
      origin: dev.url.toString().replace(/\/$/, ''),
      cookie: cookie.join('; '),
      'x-auth-return-redirect': '1',
    },
    body: new URLSearchParams({ csrfToken, email, password }),
  })
  return answer.status
}

test('the shipped Worker takes passwords over, and their people sign in, twice', async () => {
  const rows = PEOPLE.map(([, hashed_password], at) =>
    JSON.stringify({
      id: `old-${at}`,
      email: `p${at}@mail.example`,
      email_verified: 1,
      hashed_password,
    }),
  )
  await writeFile(join(folder, 'people.jsonl'), `${rows.join('\n')}\n`)
  const to = ['--to', `${String(dev.url).replace(/\/$/, '')}/auth`, '--people', 'lines']
  const args = ['import', join(folder, 'people.jsonl'), ...to, '--email', 'email', '--passwords']
  const { stdout } = await run(process.execPath, [join(rootDir, 'cli/dist/latchkey.js'), ...args], {
    env: { ...process.env, AUTH_SECRET },
  })
  expect(stdout).toContain(`${2 * PEOPLE.length} taken over`)
  for (const [at, [password]] of PEOPLE.entries()) {
    const email = `p${at}@mail.example`
    const statuses = [
      await signIn(email, `${password}!`),
      await signIn(email, password),
      await signIn(email, password),
    ]
    expect([email, statuses]).toEqual([email, [401, 200, 200]])
  }
}, 120_000)
