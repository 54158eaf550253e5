import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Sources of the packages and of the scripts. Tests, generated files, tables of languages and doctor's rules are left out. */
const sources = globSync('{session,host,client,worker,cli,migrate,adapters/*,scripts}/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules', '**/dist', 'worker/languages', 'worker/src/languages'],
})
  .filter((path) => !/\.test\.ts$|test-support|\/testing|\/doctor\/|\.d\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  .filter(({ text }) => !text.includes('Do not edit.'))

/** What names a capability, and the places that are its own. */
const CAPABILITIES = [
  [/turnstile/i, /features\/turnstile\//],
  [/second-?factor/i, /features\/second-factor\//],
  [/webhook/i, /features\/operate\/|^cli\/src\/webhooks\//],
  // Not `apiKey`, the key of a mail service.
  [
    /\bapi[ -]keys?\b|ApiKey/,
    /features\/authorization-server\/|^session\/src\/(?:token\/api|verifier\/exchange)-key|verifier-vectors/,
  ],
  // The word "password" is the field's, and the `type` of a provider.
  [
    /features\/passwords|\/passwords\/index|'passwords'/,
    /features\/passwords\/|^worker\/src\/passwords/,
  ],
  [/bound-sessions|[bB]oundSessions?\b/, /features\/bound-sessions\/|verifier-vectors/],
  // Not the claim `company` of tokens, which names one.
  [
    /features\/companies|\/companies\/index|'companies'|[cC]ompanySubject|SubjectOfCompany/,
    /features\/companies\//,
  ],
  [/[nN]ew-?[bB]rowsers?\b/, /features\/new-browsers\//],
  [/[bB]ack-?[cC]hannel/, /features\/(?:authorization-server|companies)\//],
] as const

it.each(CAPABILITIES)('%s is named by hand in three files at most outside its own', (name, own) => {
  const found = sources.filter(({ path, text }) => name.test(text) && !own.test(path))
  expect(sources.length).toBeGreaterThan(600)
  expect(found.length, found.map(({ path }) => path).join(' ')).toBeLessThanOrEqual(3)
})
