import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ServerType, serve } from '@hono/node-server'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxSettings } from '../../scripts/dev-servers.ts'
import { publishedFolders, readManifest } from '../../scripts/published-packages.ts'
import { signInAsAda } from '../../scripts/stopwatch/sign-in.ts'
import { stepsOf, walks } from '../../scripts/stopwatch/walks.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { type NpmRegistry, startNpmRegistry } from '../support/npm-registry.ts'
import { usersNode } from '../support/users-node.ts'

/** A release into a registry of this machine, and a new app with it. */
const run = promisify(execFile)
const packages = publishedFolders(rootDir).map((folder) => readManifest(rootDir, folder))
const ids = packages.map(({ name, version }) => `${name}@${version}`)

let temp: string
let registry: NpmRegistry
let browser: Browser
let sandbox: ServerType
let app: ChildProcess | undefined

beforeAll(async () => {
  temp = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  registry = await startNpmRegistry(join(temp, 'npm-cache'))
  browser = await launchBrowser()
  await release('pack', '--rehearsal')
})
afterAll(async () => {
  if (app?.exitCode === null && app.kill()) await once(app, 'exit')
  sandbox?.close()
  await browser?.close()
  registry?.close()
  rmSync(temp, { recursive: true, force: true })
})

async function release(...words: string[]): Promise<string> {
  const script = join(rootDir, 'scripts/release.ts')
  const args = [script, ...words, '--folder', join(temp, 'release')]
  return (await run(process.execPath, args, { cwd: rootDir, env: registry.env })).stdout
}

test('a release has a tarball of each package, notes, and lists of dependencies', () => {
  const names = readdirSync(join(temp, 'release'))
  expect(names.filter((name) => name.endsWith('.tgz'))).toHaveLength(packages.length)
  const read = (ending: string) => {
    const name = names.find((one) => one.endsWith(ending)) ?? ending
    return JSON.parse(readFileSync(join(temp, 'release', name), 'utf8'))
  }
  const cycloneDx = read('.cdx.json')
  const listed = cycloneDx.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl))
  expect(cycloneDx.bomFormat).toBe('CycloneDX')
  expect(listed).toEqual(expect.arrayContaining(ids.map((id) => `pkg:npm/${id}`)))
  expect(listed).toContainEqual(expect.stringMatching(/^pkg:npm\/jose@6/))
  expect(listed).toContainEqual(expect.stringMatching(/^pkg:npm\/hono@4/))
  const spdx = read('.spdx.json')
  expect(spdx.spdxVersion).toBe('SPDX-2.3')
  expect(spdx.packages.length).toBeGreaterThan(packages.length)
})

test('every package is published once, after those that it depends on', async () => {
  const first = await release('publish', '--registry', registry.url)
  expect(registry.published).toEqual(ids)
  expect(first.match(/ is published\.$/gm)).toHaveLength(ids.length)
  const second = await release('publish', '--registry', registry.url)
  expect(second.match(/ is there already\.$/gm)).toHaveLength(ids.length)
  expect(registry.published).toEqual(ids)
})

test('the quick start runs with the published packages: a person signs in', async () => {
  const folder = mkdtempSync(join(temp, 'app-'))
  const npm = (...args: string[]) => run('npm', args, { cwd: folder, env: registry.env })
  await npm('init', '-y')
  await npm('pkg', 'set', 'type=module')
  await npm('install', 'express', '@latchkey/express', '@latchkey/worker', 'latchkey')

  const port = await freePort()
  const redirectUris = [`http://localhost:${port}/auth/callback/videoapp`]
  const videoApp = createSandbox({ clients: [{ ...defaultClient, redirectUris }] })
  sandbox = serve({ fetch: videoApp.fetch, port: 0, hostname: 'localhost' })
  await once(sandbox, 'listening')

  const walk = walks.find(({ name }) => name === 'Express')
  const steps = walk ? stepsOf(walk) : []
  const [example] = steps.flatMap((step) => ('file' in step ? [step] : []))
  expect(example?.text).toContain('app.listen(3000)')
  const code = example?.text.replace(
    'app.listen(3000)',
    `app.listen(${port}, () => console.log(1))`,
  )
  writeFileSync(join(folder, 'app.js'), code ?? '')
  const settings = {
    AUTH_SECRET: 'a-secret-of-the-release-0123456789abcdef',
    ...sandboxSettings((sandbox.address() as AddressInfo).port),
  }
  const lines = Object.entries(settings).map((pair) => `${pair.join('=')}\n`)
  writeFileSync(join(folder, '.env'), lines.join(''))
  app = spawn(usersNode, ['--env-file=.env', 'app.js'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (app.stdout) await Promise.race([once(app.stdout, 'data'), once(app, 'exit')])
  expect(app.exitCode).toBeNull()
  await signInAsAda(`http://localhost:${port}`, browser)

  const bin = join(folder, 'node_modules/latchkey/dist/latchkey.js')
  const help = await run(usersNode, [bin, '--help'], { cwd: folder })
  expect(help.stdout).toContain('Usage: latchkey <command>')

  // The package that it lacks comes from the registry, in the version of the command.
  const moving = await run(usersNode, [bin, 'migrate', '.', '--json'], {
    cwd: folder,
    env: registry.env,
  })
  expect(JSON.parse(moving.stdout)).toEqual({ changes: [], decisions: [] })
  expect(moving.stderr).toMatch(/^@latchkey\/migrate@\S+ is not installed here, so npx runs it: /)
})
