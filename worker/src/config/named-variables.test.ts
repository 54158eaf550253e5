import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PRESETS } from '../presets/preset-table.js'
import azureAd from '../providers/azure-ad.js'
import email from '../providers/email.js'
import fromHono from '../providers/from-hono.js'
import loops from '../providers/loops.js'
import mailgun from '../providers/mailgun.js'
import passkey from '../providers/passkey.js'
import postmark from '../providers/postmark.js'
import resend from '../providers/resend.js'
import sendgrid from '../providers/sendgrid.js'
import ses from '../providers/ses.js'
import tiktok from '../providers/tiktok.js'
import twitter from '../providers/twitter.js'
import { resolveProviders } from '../sign-in/kinds.js'
import type { Provider } from '../types.js'

const presets = PRESETS.map(([prefix, preset]) => [preset().id, prefix, preset] as const)

/**
 * Providers that take their settings from the environment, but are not presets of the shipped
 * Worker's table.
 */
const others: readonly (() => Provider)[] = [
  () => azureAd() as Provider,
  () => tiktok() as Provider,
  () => twitter() as Provider,
  ...[email, passkey, loops, mailgun, postmark, resend, sendgrid, ses],
  () => fromHono({ id: 'of-hono', name: 'Of Hono', middleware: () => (_, next) => next() }),
]

/** A value that its variable can have, and no other variable has. */
function valueFor(name: string): string {
  const host = name.toLowerCase().replaceAll('_', '-')
  if (name.endsWith('_ISSUER')) return `https://${host}.example`
  return name.endsWith('_FROM') ? `sign-in@${host}.example` : `the value of ${name}`
}

/** Sets what each message names, until the provider lacks nothing. */
function followMessages(provider: () => Provider) {
  const env: Record<string, string> = {}
  const read = new Set<string>()
  const watched = new Proxy(env, {
    get(target, name) {
      read.add(String(name))
      return Reflect.get(target, name)
    },
  })
  for (;;) {
    const { usable, misconfigured } = resolveProviders([provider], watched)
    const [found] = usable.values()
    const [problem] = misconfigured.values()
    if (!problem) return { env, read, found }
    const named = problem.message.match(/AUTH_[A-Z\d_]+/g) ?? []
    const unset = named.filter((name) => !(name in env))
    expect(unset, `nothing else to set: ${problem.message}`).not.toEqual([])
    for (const name of unset) env[name] = valueFor(name)
  }
}

describe('a provider without its variables names those that are read', () => {
  it('in the table of 40 presets', () => expect(presets).toHaveLength(40))

  it.each(presets)('%s, by %s', (_id, prefix, preset) => {
    const { env, found } = followMessages(preset)
    expect(found).toMatchObject({ clientId: valueFor(`${prefix}_ID`) })
    for (const name of Object.keys(env)) expect(name).toMatch(new RegExp(`^${prefix}_`))
    if (`${prefix}_SECRET` in env) {
      expect(found).toMatchObject({ clientSecret: valueFor(`${prefix}_SECRET`) })
    }
  })

  it.each(presets)('%s, under another id', (_id, prefix, preset) => {
    const { env, found } = followMessages(() => ({ ...preset(), id: 'another-one' }) as Provider)
    // The video app's belong to the app, whatever its id is.
    const own = prefix === 'AUTH_VIDEO' ? prefix : 'AUTH_ANOTHER_ONE'
    expect(found).toMatchObject({ id: 'another-one', clientId: valueFor(`${own}_ID`) })
    for (const name of Object.keys(env)) expect(name).toMatch(new RegExp(`^${own}_`))
  })

  it.each(others.map((one) => [one().id, one] as const))('%s', (id, provider) => {
    expect(followMessages(provider).found).toMatchObject({ id })
  })

  it.each(presets)('%s, and those of its section of docs/presets*.md', (_id, prefix, preset) => {
    const { read } = followMessages(preset)
    const documented = VARIABLES.filter((name) => name.startsWith(`${prefix}_`))
    expect(documented).toContain(`${prefix}_ID`)
    for (const name of documented) expect([...read]).toContain(name)
  })
})

const DOCS = join(import.meta.dirname, '../../../docs')

/** What the sections of the presets say under "Variables". */
const VARIABLES = [
  ...globSync('presets*.md', { cwd: DOCS })
    .map((page) => readFileSync(join(DOCS, page), 'utf8'))
    .join('\n')
    .matchAll(/^- Variables: (?:.+\n)(?: {2}.+\n)*/gm),
].flatMap(([text]) => text.match(/AUTH_[A-Z\d_]+/g) ?? [])
