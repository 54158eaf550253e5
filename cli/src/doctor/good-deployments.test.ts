import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { main } from '../main.js'
import { terminalOf } from '../test-support/terminal.js'
import { inFolder } from './test-support/in-folder.js'
import { SECRET, withSecret } from './test-support/written.js'

const root = join(import.meta.dirname, '../../..')
const { folder, write, findings } = inFolder()

describe('good deployments have no findings:', () => {
  test('the wrangler.toml of the repository with its example of variables', async () => {
    const example = readFileSync(join(root, '.dev.vars.example'), 'utf8')
    cpSync(join(root, 'wrangler.toml'), join(folder(), 'wrangler.toml'))
    write({ '.dev.vars': example.replace(/^AUTH_SECRET=$/m, `AUTH_SECRET=${SECRET}`) })
    expect(await findings()).toEqual([])
    // With each line that is a comment there.
    const open = example.replaceAll(
      /^# (AUTH_\w+)=(.*)$/gm,
      (_, name, value) => `${name}=${value || 'x'}`,
    )
    write({ '.dev.vars': open.replace(/^AUTH_SECRET=$/m, `AUTH_SECRET=${SECRET}`) })
    const found = (await findings()).filter(({ code }) => code === 'variable-unknown')
    expect(found).toEqual([])
  })

  test.each([
    'astro',
    'cli',
    'express',
    'hono',
    'mcp',
    'next',
    'react-router',
    'spa',
    'sveltekit',
    'worker',
  ])('examples/%s', async (name) => {
    const terminal = terminalOf({ directory: root })
    await main(['doctor', `examples/${name}`, '--json'], terminal)
    expect(JSON.parse(terminal.printed())).toEqual({ ok: true, findings: [] })
  })

  test.each([
    [
      'a path of a site',
      `routes = [{ pattern = "example.com/auth/*", zone_name = "example.com" }]\nworkers_dev = false`,
      'AUTH_URL = "https://example.com"',
    ],
    [
      'a domain of its own',
      `routes = [{ pattern = "auth.example.com", custom_domain = true }]\nworkers_dev = false`,
      'AUTH_URL = "https://auth.example.com/auth"\nAUTH_TRUSTED_ORIGINS = "https://app.example.com,https://shop.example.com"\nAUTH_COOKIE_DOMAIN = "example.com"',
    ],
  ])('%s, as docs/deploy.md has it', async (_, routes, vars) => {
    const shipped = readFileSync(join(root, 'wrangler.toml'), 'utf8')
    write({ 'wrangler.toml': `${routes}\n${shipped}\n[vars]\n${vars}` })
    expect(await findings()).toEqual([])
  })
})

/** The variables that a page sets in its commands and files, with a secret for each placeholder. */
function variablesIn(page: string): string {
  const text = readFileSync(join(root, page), 'utf8')
  const code = [...text.matchAll(/^ *```(?:sh|ini|dotenv)?\n([\s\S]*?)^ *```/gm)].map(
    ([, one]) => one,
  )
  const set = code.join('\n').matchAll(/\b(AUTH_\w+)=("[^"]*"|'[^']*'|\$\([^)]*\)|[^\s;,"`]+)/g)
  return [...set]
    .filter(([, , value = '']) => !/^(?:…|[$][\w/])/.test(value))
    .map(([, name, value = '']) => `${name}=${value.startsWith('$(') ? SECRET : value}`)
    .join('\n')
}

const pages = globSync(['README.md', '{adapters,examples}/*/README.md'], { cwd: root })
const withVariables = pages.filter((page) => variablesIn(page) !== '')

test('pages that set variables are found', () => {
  expect(withVariables.length).toBeGreaterThan(5)
})

test.each(withVariables)('the variables of %s have no findings', async (page) => {
  write({ '.env': withSecret(variablesIn(page)) })
  expect(await findings()).toEqual([])
})

test.each(globSync('examples/*/*.{env,vars}', { cwd: root }))(
  '%s beside a secret has no findings',
  async (file) => {
    write({ '.env': withSecret(readFileSync(join(root, file), 'utf8')) })
    expect(await findings()).toEqual([])
  },
)
