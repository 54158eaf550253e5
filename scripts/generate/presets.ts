import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { each } from './omissions.ts'

/** A preset of the Worker, with what its section in the documentation says of it. */
export interface Preset {
  /** The name of its file, and the provider's id. */
  readonly id: string
  /** The prefix of its variables, such as `AUTH_GOOGLE`. */
  readonly prefix: string
  /** The page of docs that has the section. */
  readonly page: string
  /** The section's heading. */
  readonly title: string
  /** Every variable by its full name, with an example if the section gives one. */
  readonly variables: ReadonlyMap<string, string>
  /**
   * What its `email` is worth, when `emailVerified` is true, when it gives a refresh token, and what
   * is special about it.
   */
  readonly email: string
  readonly vouches: string
  readonly refreshToken: string
  readonly special: string
}

/** The order of the sign-in page. Presets that are not named come after these, by their ids. */
const ORDER = [
  'videoapp',
  'google',
  'github',
  'apple',
  'microsoft-entra-id',
  'facebook',
  'x',
  'linkedin',
  'discord',
  'slack',
  'gitlab',
  'twitch',
  'spotify',
  'reddit',
  'notion',
  'line',
  'kakao',
  'naver',
  'zoom',
  'strava',
  'bitbucket',
  'figma',
  'patreon',
  'yandex',
  'hugging-face',
  'atlassian',
  'dropbox',
  'hubspot',
  'paypal',
  'vk',
  'auth0',
  'okta',
  'keycloak',
  'cognito',
  'salesforce',
  'zitadel',
  'authentik',
  'workos',
  'azure-ad-b2c',
]
/** The generic presets come last. */
const LAST = ['oidc']

/** Files beside the presets: variables turn them on by a rule of their own, or not at all. */
const NO_PRESETS = [
  'credentials',
  'email',
  'from-hono',
  'oauth',
  'passkey',
  'password',
  // Presets under their former names.
  'azure-ad',
  'tiktok',
  'twitter',
  // Email by a service.
  'loops',
  'mailgun',
  'postmark',
  'resend',
  'sendgrid',
  'ses',
]

const PROVIDERS = 'worker/src/providers'

/**
 * Every module that can be imported as `@latchkey/worker/providers/<id>`, in alphabetical order.
 */
export function providerIds(root: string): string[] {
  const files = globSync(`${PROVIDERS}/*.ts`, { cwd: root })
  return files
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => basename(file, '.ts'))
    .sort()
}

/**
 * Every preset in the order of the sign-in page.
 *
 * @throws {OmissionError} if docs/presets*.md lack a section, or a section lacks a line
 */
export function readPresets(root: string): Preset[] {
  const sections = presetPages(root).flatMap((page) =>
    readFileSync(join(root, 'docs', page), 'utf8')
      .split(/^## /m)
      .map((text) => ({ page, text })),
  )
  const ids = providerIds(root)
    .filter((id) => !NO_PRESETS.includes(id))
    .sort((one, other) => place(one) - place(other))
  return each(ids, (id) => {
    const source = readFileSync(join(root, PROVIDERS, `${id}.ts`), 'utf8')
    // The member `variables` of a provider; by default they are named after the id.
    const [, own] = /^ {4}variables: '(AUTH_\w+)'/m.exec(source) ?? []
    const prefix = own ?? `AUTH_${id.toUpperCase().replaceAll('-', '_')}`
    const section = sections.find(({ text }) => text.includes(`{origin}/auth/callback/${id}\``))
    if (!section) throw new Error(`docs/presets.md has no section for ${id}.`)
    return { id, prefix, page: section.page, ...readSection(section.text, prefix) }
  })
}

/** The pages of docs that have a section for each preset. */
export function presetPages(root: string): string[] {
  return globSync('presets*.md', { cwd: join(root, 'docs') }).sort()
}

/** Sorting is stable: presets without a fixed place stay in alphabetical order. */
function place(id: string): number {
  if (LAST.includes(id)) return ORDER.length + 1
  return ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length
}

function readSection(section: string, prefix: string): Omit<Preset, 'id' | 'prefix' | 'page'> {
  const [title = ''] = section.split('\n', 1)
  const lines = section.replaceAll(/\n {2}(?=\S)/g, ' ')
  const [, named = ''] = /^- Variables: (.*)$/m.exec(lines) ?? []
  const variables = new Map(
    [...named.matchAll(/`(AUTH_\w+)(?:=([^`]*))?`/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
  const foreign = [...variables.keys()].filter((name) => !name.startsWith(`${prefix}_`))
  if (!variables.has(`${prefix}_ID`) || foreign.length > 0) {
    throw new Error(
      `"${title}" in docs/presets.md needs a line "- Variables:" with \`${prefix}_ID\` and others that begin so.`,
    )
  }
  const [found, email = '', vouches = '', refreshToken = '', special = ''] =
    /^- `email`: ([^;\n]*); vouched for: ([^;\n]*); refresh token: ([^;\n]*)(?:; (.*))?$/m.exec(
      lines,
    ) ?? []
  if (!found) {
    throw new Error(
      `"${title}" in docs/presets.md needs a line "- \`email\`: …; vouched for: …; refresh token: …".`,
    )
  }
  return { title, variables, email, vouches, refreshToken, special }
}
