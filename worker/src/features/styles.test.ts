import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAuth } from '../core.js'
import { createAuth as wholeAuth } from '../index.js'
import { stylesheet } from '../pages/styles.js'
import type { Feature } from '../service/feature.js'
import { configWith, origin } from '../test-support/browser.js'
import { accountsAt } from '../test-support/people.js'
import { account } from './account/index.js'
import { all } from './all.js'
import { email } from './email/index.js'

const root = join(import.meta.dirname, '..')

/** The classes that the markup of some files has. */
function classesIn(pattern: string): ReadonlySet<string> {
  const files = globSync(pattern, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  const found = files.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(/class="([\w -]+)/g),
  ])
  return new Set(found.flatMap(([, names = '']) => names.split(' ')))
}

/** The classes that rules select. */
function classesOf(css: string): ReadonlySet<string> {
  return new Set([...css.matchAll(/\.([a-z][\w-]*)(?![^{]*;)/g)].map(([, name = '']) => name))
}

const cssOf = (feature: Feature): string =>
  [...(feature.pages?.styles ?? []), ...(feature.needs ?? []).map(cssOf)].join('')
const core = classesOf(stylesheet({}))
const ofFeatures = classesOf(all.map(cssOf).join(''))

/** Parts of pages that a feature alone asks for. */
const ASKED_FOR = ['bad', 'ask', 'here', 'marked']

/** What a feature shows on the page of the account, which has the rules. */
const ON_ACCOUNT = classesOf(cssOf(account))

it('the pages of the core have its own rules, or those of what only a feature asks for', () => {
  const missing = [...classesIn('pages/*.ts')].filter((name) => !core.has(name))
  expect(missing.filter((name) => ofFeatures.has(name)).sort()).toEqual(ASKED_FOR.sort())
})

it.each(all)('$name has the rules for its pages', (feature) => {
  const own = classesOf(cssOf(feature))
  const missing = [...classesIn(`features/${feature.name}/*.ts`)].filter(
    (name) => ofFeatures.has(name) && !core.has(name) && !own.has(name),
  )
  const isShownThere = feature.name === 'second-factor'
  expect(missing.filter((name) => !(isShownThere && ON_ACCOUNT.has(name)))).toEqual([])
})

it('each rule is there once, and the policy has the hash of all', async () => {
  const config = configWith({ providers: [accountsAt('one')] })
  const sizes: number[] = []
  for (const auth of [
    createAuth(config),
    createAuth({ ...config, features: [email] }),
    wholeAuth(config),
  ]) {
    const page = await auth.request(`${origin}/auth/signin`)
    const [, css = ''] = /<style>(.*)<\/style>/s.exec(await page.text()) ?? []
    const hash = createHash('sha256').update(css).digest('base64')
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`)
    const lines = css.split('\n')
    expect(new Set(lines).size).toBe(lines.length)
    sizes.push(css.length)
  }
  expect(sizes).toEqual([...sizes].sort((one, other) => one - other))
  expect(new Set(sizes).size).toBe(3)
})
