import { textOf } from '@latchkey/host/shared'
import { createLogger } from '../config/logger.js'
import email from '../providers/email.js'
import passkey from '../providers/passkey.js'
import type { Environment, Provider } from '../types.js'
import { passwordIn } from './password.js'
import { PRESETS } from './preset-table.js'

/**
 * The providers whose client id is set: `AUTH_<ID>_ID`, and `AUTH_VIDEO_ID` for the video app.
 * Email is on when its sender is set: `AUTH_EMAIL_FROM`; passkeys when the site has a name for them:
 * `AUTH_PASSKEY_NAME`; passwords with `AUTH_PASSWORD=true`. No other preset is called. A warning
 * names each variable that looks like a client id and belongs to no preset.
 *
 * @throws {InvalidConfiguration} naming the variable about passwords
 */
export function providersOf(env: Environment): Provider[] {
  let unknown = Object.keys(env).filter(
    (name) => /^AUTH_\w+_ID$/.test(name) && name !== 'AUTH_PASSKEY_RP_ID',
  )
  const usable = PRESETS.filter(([prefix]) => {
    // Others of a preset may end in `_ID` too: `AUTH_APPLE_TEAM_ID`.
    unknown = unknown.filter((name) => !name.startsWith(`${prefix}_`))
    return textOf(env, `${prefix}_ID`) !== undefined
  }).map(([, preset]) => preset())
  for (const name of unknown) {
    createLogger({}, { json: textOf(env, 'AUTH_LOG') === 'json' }).warn(
      'unknown-provider',
      `${name} turns no provider on. Is it misspelt?`,
    )
  }
  // The first form of the sign-in page is open; the others are folded.
  usable.push(...passwordIn(env))
  if (textOf(env, 'AUTH_EMAIL_FROM') !== undefined) usable.push(email())
  if (textOf(env, 'AUTH_PASSKEY_NAME') !== undefined) usable.push(passkey())
  return usable
}
