import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sandboxSettings } from '../dev-servers.ts'
import { rootDir } from '../wrangler-dev.ts'
import { stepsOf, textUnder, walks } from './walks.ts'

const readmes = globSync(['README.md', '{adapters/*,worker,session,cli,migrate}/README.md'], {
  cwd: rootDir,
})
const { scripts, workspaces } = JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
  workspaces: string[]
}

it('the stopwatch follows every quick start of a README', () => {
  const pages = readmes.filter((page) =>
    /^## Quick start$/m.test(readFileSync(join(rootDir, page), 'utf8')),
  )
  const followed = walks.filter(({ heading }) => heading === 'Quick start').map(({ page }) => page)
  expect(followed.toSorted()).toEqual(pages.toSorted())
})

describe.each(walks)('$name', (walk) => {
  const steps = stepsOf(walk)
  const shells = steps.flatMap((step) => ('commands' in step ? [step.commands] : []))

  it('ends with the command that serves the address of the sign-in, which the page names', () => {
    const last = steps.at(-1)
    expect(last).toHaveProperty('serves')
    const [serves = ''] = (last && 'serves' in last && last.serves) || []
    expect(new URL(serves).origin).toBe(new URL(walk.address).origin)
    expect(shells.join() + textUnder(walk.page, walk.heading)).toContain(
      new URL(walk.address).origin,
    )
  })

  it('runs scripts and packs workspaces that exist', () => {
    const own = shells.filter((text) => !text.includes('npx wrangler dev')).join('\n')
    const asked = [...own.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    const ofTheScaffold = ['dev', 'preview', 'gen']
    expect(asked.filter((name) => !scripts[name] && !ofTheScaffold.includes(name))).toEqual([])
    const packed = [...own.matchAll(/ -w (\S+)/g)].map(([, folder = '']) => folder)
    expect(packed.filter((folder) => !workspaces.includes(folder))).toEqual([])
  })

  it('gives the app what the stand-in knows, and a secret of its own', () => {
    for (const text of shells) {
      const [, settings] = /<<EOF\n([\s\S]*?)^EOF$/m.exec(text) ?? []
      if (settings === undefined) continue
      const { AUTH_SECRET, AUTH_STORE, ...others } = parseEnv(settings)
      expect([undefined, 'file:auth.db']).toContain(AUTH_STORE)
      expect(AUTH_SECRET).toBe('$(openssl rand -hex 32)')
      expect(others).toEqual(sandboxSettings())
    }
  })

  it('names the files that it takes from another quick start, which has them', () => {
    const { files = [] } = walk.borrows ?? {}
    const text = textUnder(walk.page, walk.heading)
    expect(files.filter((file) => !text.includes(`\`${file}\``))).toEqual([])
    const written = steps.flatMap((step) => ('file' in step ? [step.file] : []))
    expect(files.filter((file) => !written.includes(file))).toEqual([])
    expect(new Set(written).size).toBe(written.length)
  })
})

it('a heading that is missing, or a block that is neither a file nor commands, is named', () => {
  expect(() => textUnder('README.md', 'Nowhere')).toThrow('no heading "Nowhere"')
  const walk = {
    name: 'x',
    page: 'README.md',
    heading: 'Build your own',
    address: '',
    goal: 1,
  }
  expect(() => stepsOf(walk)).toThrow('A block of README.md names no file')
})
