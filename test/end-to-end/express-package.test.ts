import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { type Packed, packedAsIn } from '../support/packed.ts'
import { layOut, linkPackages } from '../support/user-project.ts'

/** Express apps of a user's own, made from the packed tarballs. */
const run = promisify(execFile)
const tsc = join(rootDir, 'node_modules/typescript/bin/tsc')
const packed = new Map<string, Packed>()
let temp: string
/** An app that has what npm installs for the adapter, and the framework. */
let project: string
const framework = ['express5 as express', '@types/express5 as @types/express', '@types/node']

async function makeProject(name: string): Promise<string> {
  const folder = join(temp, name)
  await mkdir(folder)
  const manifest = { name, private: true, type: 'module' }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  return folder
}

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'latchkey-express-'))
  // As the README says to do it.
  for (const one of await packedAsIn(await readReadme()))
    packed.set(one.name.split('/')[1] ?? '', one)
  expect([...packed.keys()].sort()).toEqual(['express', 'host', 'session', 'worker'])
  project = await makeProject('project')
  // Peers are the app's own: all else is what the adapter adds.
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
  const own = ['session', 'host', 'express'].map((name) => packed.get(name)?.tarball ?? '')
  await run('npm', [...install, '--legacy-peer-deps', ...own], { cwd: project })
})
afterAll(() => rm(temp, { recursive: true, force: true }))

test('the adapter adds four packages and about 1.3 megabytes', async () => {
  const added = await packagesIn(project)
  expect(added.sort()).toEqual(['@latchkey/express', '@latchkey/host', '@latchkey/session', 'jose'])
  let bytes = 0
  for (const name of added) bytes += await sizeOf(join(project, 'node_modules', name))
  expect(bytes).toBeLessThan(1_400_000)
})

test('without the worker package it forwards and verifies, and names the package that `providers` need', async () => {
  linkPackages(project, framework)
  await writeFile(
    join(project, 'forward.js'),
    `import { MiddlewareAuth } from '@latchkey/express'
     const auth = MiddlewareAuth({ worker: 'https://example.com/auth' })
     console.log(typeof auth)`,
  )
  const { stdout } = await run(process.execPath, ['forward.js'], { cwd: project })
  expect(stdout).toBe('function\n')
  await writeFile(
    join(project, 'missing.js'),
    `import { MiddlewareAuth } from '@latchkey/express'
     MiddlewareAuth({ providers: [], secret: 'a-secret-of-the-tests-0123456789abcdef' })`,
  )
  const failure = await run(process.execPath, ['missing.js'], { cwd: project }).catch((it) => it)
  expect(failure.code).toBe(1)
  expect(failure.stderr).toContain('npm install @latchkey/worker')
})

test('with the worker package a program type-checks and runs, and so does every example of the README', async () => {
  project = await makeProject('in-process')
  await layOut(project, [...packed.values()])
  linkPackages(project, framework)
  const readme = await readReadme()
  const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  expect(examples.length).toBeGreaterThan(3)
  const files = ['program.ts', ...examples.map((_, index) => `example-${index}.ts`)]
  for (const [index, code] of [PROGRAM, ...examples].entries()) {
    await writeFile(join(project, files[index] ?? ''), code)
  }
  expect(await typeErrors(files)).toBe('')
  const env = { ...process.env, AUTH_SECRET: 'a-secret-of-a-users-own-app-0123456789' }
  const { stdout } = await run(process.execPath, ['program.ts'], { cwd: project, env })
  expect(JSON.parse(stdout)).toEqual({
    providers: ['github', 'credentials'],
    nobody: null,
    name: 'Ann',
    renewed: ['Ann', true],
    refused: 302,
    member: 'Ann',
  })
})

function readReadme(): Promise<string> {
  return readFile(join(rootDir, 'adapters/express/README.md'), 'utf8')
}

async function typeErrors(files: readonly string[]): Promise<string> {
  const options = { target: 'es2023', module: 'nodenext', types: ['node'], noEmit: true }
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true }
  const config = { compilerOptions: { ...options, ...strict }, files }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((it) => it)
  return stdout
}

async function packagesIn(folder: string): Promise<string[]> {
  const modules = join(folder, 'node_modules')
  const names = await readdir(modules)
  const scopes = names.filter((name) => name.startsWith('@'))
  const scoped = await Promise.all(
    scopes.map(async (scope) =>
      (await readdir(join(modules, scope))).map((it) => `${scope}/${it}`),
    ),
  )
  const plain = names.filter((name) => !/^[.@]/.test(name))
  return [...plain, ...scoped.flat()]
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  }
  return bytes
}

const PROGRAM = `
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type Account, AuthError, CredentialsSignin, customFetch, type DefaultSession, getSession, MiddlewareAuth, type MiddlewareAuthConfig, type Profile, requireSession, type Session, type User } from '@latchkey/express'
import credentials from '@latchkey/express/providers/credentials'
import github, { type GitHubProfile } from '@latchkey/express/providers/github'
import { mintSession } from '@latchkey/session/testing'
import express from 'express'

export type All = [Account, DefaultSession, Profile, Session, User, GitHubProfile]

const config: MiddlewareAuthConfig = {
  basePath: '/auth',
  providers: [
    github({ clientId: 'id', clientSecret: 'secret', [customFetch]: fetch }),
    credentials({
      authorize({ password }) {
        if (password !== 'right') throw new CredentialsSignin('wrong')
        return { id: '1', name: 'Ann' }
      },
    }),
  ],
}
// @ts-expect-error: raw is not for Express
export const withRaw: MiddlewareAuthConfig = { providers: [], raw: true }
// @ts-expect-error: either the app or the Worker answers the routes
export const both: MiddlewareAuthConfig = { providers: [], worker: 'https://example.com/auth' }
if (!(new CredentialsSignin() instanceof AuthError)) throw new Error('not an AuthError')

const app = express()
app.use('/auth/*splat', MiddlewareAuth(config))
app.use(async (req, res, next) => {
  res.locals.session = await getSession(req)
  next()
})
app.get('/me', (_req, res) => {
  const session: Session | null | undefined = res.locals.session
  res.json(session)
})
app.get('/member', requireSession({ redirectTo: '/auth/signin' }), (_req, res) => {
  res.json(res.locals.session?.user?.name)
})
const server = app.listen(0)
await once(server, 'listening')
const origin = 'http://localhost:' + (server.address() as AddressInfo).port

async function get(path: string, cookie = '') {
  const answer = await fetch(origin + path, { headers: { cookie }, redirect: 'manual' })
  const text = await answer.text()
  const cookies = answer.headers.getSetCookie()
  return { status: answer.status, body: /^[[{"n]/.test(text) ? JSON.parse(text) : text, cookies }
}

const providers = Object.keys((await get('/auth/providers')).body)
const { body, cookies: csrf } = await get('/auth/csrf')
const jar = csrf.map((line) => line.split(';')[0]).join('; ')
const signedIn = await fetch(origin + '/auth/callback/credentials', {
  method: 'POST',
  headers: { cookie: jar },
  body: new URLSearchParams({ csrfToken: body.csrfToken, password: 'right' }),
  redirect: 'manual',
})
const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ')
const token = /session-token=([^;]+)/.exec(cookie)?.[1] ?? ''

const { deriveSessionKeys, signSessionToken } = await import('@latchkey/session/issue')
const { signing } = await deriveSessionKeys([process.env.AUTH_SECRET ?? ''])
const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const now = Math.floor(Date.now() / 1000)
const past = { iat: now - 400, auth_time: now - 400, exp: now - 100 }
const old = await signSessionToken({ ...claims, ...past }, signing)
const renewed = await get('/me', 'auth.session-token=' + old)
const stranger = await mintSession({ secret: 'another-secret-of-the-tests-0123456789', issuer: origin + '/auth' })

console.log(
  JSON.stringify({
    providers,
    nobody: (await get('/me', stranger.cookie)).body,
    name: (await get('/me', cookie)).body.user.name,
    renewed: [renewed.body.user.name, renewed.cookies.some((line) => line.includes('session-token='))],
    refused: (await get('/member')).status,
    member: (await get('/member', cookie)).body,
  }),
)
process.exit()
`
