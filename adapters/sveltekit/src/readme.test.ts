import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Every example of the README, compiled as the file that its first line names, against the sources.
 */
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
let folder: string

beforeAll(() => {
  const parent = join(import.meta.dirname, '../node_modules')
  mkdirSync(parent, { recursive: true })
  folder = mkdtempSync(join(parent, '.readme-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every example type-checks in strict mode', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  expect(examples.length).toBeGreaterThan(5)
  const written = new Set<string>()
  for (const [index, code] of examples.entries()) {
    const named = /^\/\/ (src\/[\w/+.-]+\.ts)/.exec(code)?.[1] ?? `src/example-${index}.ts`
    const path = written.has(named) ? named.replace('.ts', `-${index}.ts`) : named
    written.add(path)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), code)
  }
  const compilerOptions = {
    noEmit: true,
    composite: false,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node', '@cloudflare/workers-types'],
  }
  writeFileSync(join(folder, 'src/app.d.ts'), PLATFORM)
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['src'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript7/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--singleThreaded']).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})

/** As the scaffold for Cloudflare and `wrangler types` declare it. */
const PLATFORM = `
declare global {
  interface Env {
    AUTH: Fetcher
  }
  namespace App {
    interface Platform {
      env: Env
      ctx: ExecutionContext
    }
  }
}

export {}
`
