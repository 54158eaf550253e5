import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** Express apps of a user's own, made from the packed tarballs. */
const run = promisify(execFile)
const tsc = join(rootDir, 'node_modules/typescript/bin/tsc')
const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
const tarballs = new Map<string, string>()
let temp: string
/** An app with Express alone, and the same with our packages. */
let bare: string
let project: string
let framework: readonly string[]

async function makeProject(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(temp, name)
  await mkdir(folder)
  const manifest = { name, private: true, type: 'module' }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await run('npm', [...install, ...packages], { cwd: folder })
  return folder
}

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'latchkey-express-'))
  // As the README says to do it.
  const [, packages = ''] = /^npm pack (.+) --pack-destination/m.exec(await readReadme()) ?? []
  const args = ['pack', ...packages.split(' '), '--ignore-scripts', '--pack-destination', temp]
  await run('npm', args, { cwd: rootDir })
  for (const filename of await readdir(temp)) {
    const [, name = ''] = /^latchkey-([a-z]+)-.*[.]tgz$/.exec(filename) ?? []
    tarballs.set(name, join(temp, filename))
  }
  expect([...tarballs.keys()].sort()).toEqual(['express', 'session', 'worker'])
  const { devDependencies } = JSON.parse(await readFile(join(rootDir, 'package.json'), 'utf8'))
  const express = devDependencies.express5.replace('npm:', '')
  const types = ['node', 'express'].map((name) => {
    const version = devDependencies[name === 'node' ? '@types/node' : '@types/express5']
    return `@types/${name}@${version.replace('npm:@types/express@', '')}`
  })
  framework = [express, ...types]
  bare = await makeProject('bare', framework)
  const own = [tarballs.get('session'), tarballs.get('express')] as string[]
  project = await makeProject('project', [...framework, ...own])
})
afterAll(() => rm(temp, { recursive: true, force: true }))

test('the adapter adds three packages and less than a megabyte', async () => {
  const [before, after] = await Promise.all([packagesIn(bare), packagesIn(project)])
  const added = [...after].filter((name) => !before.has(name))
  expect(added.sort()).toEqual(['@latchkey/express', '@latchkey/session', 'jose'])
  let bytes = 0
  for (const name of added) bytes += await sizeOf(join(project, 'node_modules', name))
  expect(bytes).toBeLessThan(1_000_000)
})

test('without the worker package it forwards and verifies, and names the package that `providers` need', async () => {
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
  project = await makeProject('in-process', [...framework, ...tarballs.values()])
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

async function packagesIn(folder: string): Promise<Set<string>> {
  const modules = join(folder, 'node_modules')
  const names = await readdir(modules)
  const scopes = names.filter((name) => name.startsWith('@'))
  const scoped = await Promise.all(
    scopes.map(async (scope) =>
      (await readdir(join(modules, scope))).map((it) => `${scope}/${it}`),
    ),
  )
  const plain = names.filter((name) => !/^[.@]/.test(name))
  return new Set([...plain, ...scoped.flat()])
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
