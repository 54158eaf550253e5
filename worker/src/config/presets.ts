import apple from '../providers/apple.js'
import auth0 from '../providers/auth0.js'
import cognito from '../providers/cognito.js'
import discord from '../providers/discord.js'
import email from '../providers/email.js'
import facebook from '../providers/facebook.js'
import github from '../providers/github.js'
import gitlab from '../providers/gitlab.js'
import google from '../providers/google.js'
import keycloak from '../providers/keycloak.js'
import linkedin from '../providers/linkedin.js'
import microsoftEntraId from '../providers/microsoft-entra-id.js'
import notion from '../providers/notion.js'
import oidc from '../providers/oidc.js'
import okta from '../providers/okta.js'
import reddit from '../providers/reddit.js'
import slack from '../providers/slack.js'
import spotify from '../providers/spotify.js'
import twitch from '../providers/twitch.js'
import videoapp from '../providers/videoapp.js'
import x from '../providers/x.js'
import type { Environment, Provider } from '../types.js'
import { text, variablePrefix } from './environment.js'
import { createLogger } from './logger.js'

/** Every preset that variables alone can turn on, in the order of the sign-in page. */
const PRESETS: readonly (() => Provider)[] = [
  videoapp,
  google,
  github,
  apple,
  microsoftEntraId,
  facebook,
  x,
  linkedin,
  discord,
  slack,
  gitlab,
  twitch,
  spotify,
  reddit,
  notion,
  auth0,
  okta,
  keycloak,
  cognito,
  oidc,
]

/**
 * The providers whose client id is set: `AUTH_<ID>_ID`, and `AUTH_VIDEO_ID` for the video app.
 * E-mail has a sender in its place: `AUTH_EMAIL_FROM`. Where there is no such provider, the log asks.
 */
export function providersOf(env: Environment): Provider[] {
  let unknown = Object.keys(env).filter((name) => /^AUTH_\w+_ID$/.test(name))
  const usable = PRESETS.map((preset) => preset()).filter(({ id }) => {
    const prefix = `${id === 'videoapp' ? 'AUTH_VIDEO' : variablePrefix(id)}_`
    // Some have ids besides that of the client.
    unknown = unknown.filter((name) => !name.startsWith(prefix))
    return text(env, `${prefix}ID`) !== undefined
  })
  for (const name of unknown) {
    createLogger().warn('unknown-provider', `${name} turns no provider on. Is it misspelt?`)
  }
  return text(env, 'AUTH_EMAIL_FROM') === undefined ? usable : [...usable, email()]
}
