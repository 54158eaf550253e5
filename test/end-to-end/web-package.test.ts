import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { bundleByWrangler } from '../support/bundle-by-wrangler.ts'
import { packedAsIn } from '../support/packed.ts'
import { layOut, linkPackages } from '../support/user-project.ts'

/** An app of standard requests of a user's own, made from the packed tarballs and the examples of the README. */
const run = promisify(execFile)
const tsc = join(rootDir, 'node_modules/typescript/bin/tsc')
let examples: string[]
let project: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'latchkey-web-'))
  const readme = await readFile(join(rootDir, 'adapters/web/README.md'), 'utf8')
  examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  // As the README says to do it.
  const packed = await packedAsIn(readme)
  expect(packed.map(({ name }) => name.split('/')[1]).sort()).toEqual([
    'host',
    'session',
    'web',
    'worker',
  ])
  const manifest = { name: 'project', private: true, type: 'module' }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest))
  await layOut(project, packed)
  linkPackages(project, ['@phi-ag/argon2', '@types/node', '@cloudflare/workers-types'])
})
afterAll(() => rm(project, { recursive: true, force: true }))

test('a program type-checks and runs, and so does every example of the README', async () => {
  expect(examples.length).toBeGreaterThan(2)
  const files = ['program.ts', ...examples.map((_, index) => `example-${index}.ts`)]
  for (const [index, code] of [PROGRAM, ...examples].entries()) {
    await writeFile(join(project, files[index] ?? ''), code)
  }
  const types = ['node', '@cloudflare/workers-types']
  const options = { target: 'es2023', module: 'nodenext', types, noEmit: true }
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true }
  const config = { compilerOptions: { ...options, ...strict }, files }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((it) => it)
  expect(stdout).toBe('')
  const { stdout: printed } = await run(process.execPath, ['program.ts'], { cwd: project })
  expect(printed).toBe('ok\n')
})

test('the example for Workers is bundled as one', async () => {
  const [code = ''] = examples.filter((code) => code.includes('// on Workers'))
  expect(await bundleByWrangler(project, code)).toContain('worker.js')
})

test('a Worker that forwards is bundled without the worker package', async () => {
  const installed = join(project, 'node_modules/@latchkey/worker')
  await rename(installed, join(project, 'kept'))
  const code = `
    import { webAuth } from '@latchkey/web/forward'
    const { handle } = webAuth({ worker: 'https://auth.example.com/auth' })
    export default { fetch: (request: Request, env: object) => handle(request, undefined, { env }) }`
  try {
    expect(await bundleByWrangler(project, code)).toContain('worker.js')
  } finally {
    await rename(join(project, 'kept'), installed)
  }
})

const PROGRAM = `
import { type Account, type ActionOptions, AuthError, CredentialsSignin, customFetch, type DefaultSession, type Platform, type Profile, type RequestAuth, type RequireSessionOptions, type Session, type User, type WebAuth, type WebAuthConfig, WorkerUnavailable, webAuth } from '@latchkey/web'
import { webAuth as forwarding } from '@latchkey/web/forward'
import credentials from '@latchkey/web/providers/credentials'
import github, { type GitHubProfile } from '@latchkey/web/providers/github'

export type All = [Account, ActionOptions, DefaultSession, Platform, Profile, RequestAuth, RequireSessionOptions, Session, User, WebAuth, GitHubProfile, WorkerUnavailable]

const config: WebAuthConfig = {
  secret: 'a-secret-of-the-tests-0123456789abcdef',
  logger: { error() {}, warn() {} },
  providers: [
    github({ clientId: 'id', clientSecret: 'secret', [customFetch]: fetch }),
    credentials({ authorize: ({ password }) => (password === 'right' ? { id: 'ada', name: 'Ada' } : null) }),
  ],
}
// @ts-expect-error: raw is not for this adapter
export const withRaw: WebAuthConfig = { providers: [], raw: true }
// @ts-expect-error: either the app or the Worker answers the routes
export const both: WebAuthConfig = { providers: [], worker: 'https://example.com/auth' }
// @ts-expect-error: this entry has no service
export const none = () => forwarding({ providers: [] })
if (!(new CredentialsSignin() instanceof AuthError)) throw new Error('not an AuthError')

const { handle, signIn, signOut, auth, requireSession }: WebAuth = webAuth(async () => config)
const origin = 'http://localhost:3000'
const headers = { 'sec-fetch-site': 'same-origin' }
const form = new FormData()
form.set('password', 'right')
const entered = await signIn(new Request(origin, { method: 'POST', headers }), 'credentials', form, { scope: 'x' })
const cookie = entered.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ')
const request = new Request(origin, { headers: { cookie } })
const answer = await handle(request, async (auth) => {
  const { user }: Session = await auth.requireSession({ maxAge: 60 })
  return Response.json([user?.name, (await auth({ acr: '1' }))?.user?.name])
}, { client: '192.0.2.1' })
const names = [...((await answer.json()) as unknown[]), (await auth(request))?.user?.name]
names.push((await requireSession(request)).user?.name, entered.status, (await signOut(request)).status)
console.log(names.join() === 'Ada,Ada,Ada,Ada,303,403' ? 'ok' : names.join())
`
