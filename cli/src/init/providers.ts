import { PRESETS, resolveProviders } from '@latchkey/worker/migrate'
import { WrongUse } from '../command.js'
import { nearest } from '../nearest.js'
import { printable } from '../printable.js'
import type { ChosenProvider } from './planned.js'

type Preset = (typeof PRESETS)[number]

/** By id: what signs people in without registering anything, and all presets. */
const KNOWN = new Map<string, Preset | undefined>([
  ['passkey', undefined],
  ...PRESETS.map((preset): [string, Preset] => [preset[1]().id, preset]),
])

/** The ids, in the order of the sign-in page. */
export const PROVIDER_IDS: readonly string[] = [...KNOWN.keys()]

/** @throws {WrongUse} there is none with this id */
export function chosenProvider(id: string): ChosenProvider {
  if (!KNOWN.has(id)) {
    const [near] = nearest(id, KNOWN.keys())
    const hint = MAILS.includes(id)
      ? NEEDS_MAIL
      : near === undefined
        ? ''
        : ` Did you mean ${near}?`
    throw new WrongUse(
      `There is no provider ${JSON.stringify(printable(id))} here.${hint} There are ${PROVIDER_IDS.join(', ')}.`,
    )
  }
  const preset = KNOWN.get(id)
  const name = id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { id, name, variables: preset ? variablesOf(id, preset) : PASSKEY }
}

/** What people sign in by at the app itself, with mails whose sender the command cannot know. */
const MAILS = ['email', 'magic-link', 'credentials', 'password', 'passwords']
const NEEDS_MAIL =
  ' Sign-in by email and by password needs a sender of mails: begin with passkey, and add email() or password() by docs/email.md or docs/passwords.md.'

const PASSKEY = [['AUTH_PASSKEY_NAME', 'My app']] as const

/** The sandbox, which `npm run sandbox` starts in a clone of the repository. */
const SANDBOX = [
  ['AUTH_VIDEO_ID', 'sandbox-client-key'],
  ['AUTH_VIDEO_SECRET', 'sandbox-client-secret'],
  ['AUTH_VIDEO_AUTHORIZATION_URL', 'http://localhost:8788/v2/auth/authorize/'],
  ['AUTH_VIDEO_TOKEN_URL', 'http://localhost:8788/v2/oauth/token/'],
  ['AUTH_VIDEO_USERINFO_URL', 'http://localhost:8788/v2/user/info/'],
] as const

/** Apple's secret is made of a key of the team. */
const APPLE = ['ID', 'TEAM_ID', 'KEY_ID', 'PRIVATE_KEY']

/** Which variables a provider may need, the fewest first. */
const FORMS = [['ID'], ['ID', 'SECRET'], ['ID', 'ISSUER'], ['ID', 'SECRET', 'ISSUER']]

/** Empty ones count as not set: the provider is off until they have values. */
function variablesOf(id: string, preset: Preset): ChosenProvider['variables'] {
  if (id === 'videoapp') return SANDBOX
  const [prefix] = preset
  const form = id === 'apple' ? APPLE : FORMS.find((one) => isEnough(preset, one))
  return (form ?? ['ID', 'SECRET', 'ISSUER']).map((part) => [`${prefix}_${part}`, ''] as const)
}

function isEnough([prefix, preset]: Preset, form: readonly string[]): boolean {
  // It has the right form, so that only missing variables count.
  const value = (part: string) => (part === 'ISSUER' ? 'https://id.example.com' : 'x')
  const env = Object.fromEntries(form.map((part) => [`${prefix}_${part}`, value(part)]))
  return resolveProviders([preset], env).usable.size > 0
}
