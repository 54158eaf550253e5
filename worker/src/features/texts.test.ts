import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAuth } from '../core.js'
import { texts as core } from '../languages/english.js'
import { englishOf } from '../languages/english-of.js'
import { OWNERS } from '../languages/feature-texts.js'
import type { Feature } from '../service/feature.js'
import { configWith, origin } from '../test-support/browser.js'
import { english } from '../test-support/english.js'
import { accountsAt } from '../test-support/people.js'
import { all } from './all.js'
import { email } from './email/index.js'

const root = join(import.meta.dirname, '..')
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: root }).filter((file) => !/\.test\.ts$|\/texts\.ts$/.test(file))

/** The sections of texts that a file names. */
function sectionsIn(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(
    /(?<![-\w])texts\.(?!js\b)(\w+)|\btexts: \{ (\w+) \}|\{ ([\w, ]+) \} = [\w.]*\btexts$/gm,
  )
  return [...found].flatMap(([, one, other, several]) => one ?? other ?? several?.split(', ') ?? [])
}

const sectionsOf = (feature: Feature): readonly string[] => [
  ...Object.keys(feature.pages?.texts?.() ?? {}),
  ...(feature.needs ?? []).flatMap(sectionsOf),
]

/** What features show in the page or the mail of another, which calls them. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'second-factor': ['account'],
  email: ['notices'],
}

describe('the texts of features', () => {
  it('are not part of the core, and none has two owners', () => {
    const names = [{ name: '', pages: { texts: core } }, ...all].flatMap(({ name, pages }) =>
      Object.entries(pages?.texts?.() ?? {}).flatMap(([section, some]) =>
        Object.keys(some).map((one) => [`${section}.${one}`, name] as const),
      ),
    )
    expect(names.length).toBe(new Map(names).size)
  })

  it.each(all)('$name names its own texts, or those of its needs, or of the core', (feature) => {
    const known = [...Object.keys(core()), ...sectionsOf(feature), ...(BESIDE[feature.name] ?? [])]
    const named = filesOf(`features/${feature.name}/**/*.ts`).flatMap(sectionsIn)
    expect(named.filter((section) => !known.includes(section))).toEqual([])
  })

  it('the core names its own, but in the parts of pages that features share', () => {
    const named = filesOf('{http,pages,routes,service,session,sign-in}/**/*.ts').flatMap((file) =>
      sectionsIn(file).map((section) => [section, file] as const),
    )
    const known = Object.keys(core())
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(([section]) => !known.includes(section)).sort()).toEqual([
      ['account', 'pages/time.ts'],
      ['account', 'pages/waits.ts'],
    ])
  })

  it('the packed tables of languages have the features in their order', () => {
    const names = all.flatMap(({ name, pages }) => (pages?.texts ? [name] : []))
    expect(OWNERS).toEqual(['', ...names.sort()])
  })

  it('other languages have those of the features that are there', () => {
    expect(Object.keys(englishOf([email]).words.texts)).toContain('mail')
    expect(Object.keys(englishOf([]).words.texts)).toEqual(Object.keys(core()))
    expect(Object.keys(english.words.texts)).toContain('notices')
  })
})

describe('a service without features says each thing in words of its own', () => {
  const auth = createAuth(configWith({ providers: [accountsAt('one')] }))
  const errors =
    'CredentialsSignin OAuthAccountNotLinked OAuthCallbackError AccessDenied Verification MissingCSRF InvalidCheck Configuration Unavailable constructor'
  const codes =
    'rate_limited unknown_passkey invalid_address turnstile not_sent wrong_code spent_code last_way too_many_ways blocked access_denied constructor'

  it.each(['signin', 'error'])('/%s, whatever a stranger writes into its address', async (page) => {
    for (const error of errors.split(' ')) {
      for (const code of codes.split(' ')) {
        const url = `${origin}/auth/${page}?error=${error}&code=${code}`
        const text = await (await auth.request(url)).text()
        expect(text, url).not.toMatch(
          /undefined|<h1><\/h1>|<p [^>]*(role="alert"|class="mid")[^>]*><\/p>/,
        )
      }
    }
  })

  it.each(['signin?maxAge=1', 'signin?acr=2', 'signout', 'nowhere', 'callback/one'])(
    '/%s',
    async (path) => {
      const text = await (await auth.request(`${origin}/auth/${path}`)).text()
      expect(text).not.toContain('undefined')
    },
  )
})
