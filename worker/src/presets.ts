import { text, variablePrefix } from './config/environment.js'
import videoapp from './providers/videoapp.js'
import type { Environment, Provider } from './types.js'

/** Every preset that variables alone can turn on, in the order of the sign-in page. */
const PRESETS: readonly (() => Provider)[] = [videoapp]

/** The providers whose client id is set: `AUTH_<ID>_ID`, and `AUTH_VIDEO_ID` for the video app. */
export function providersOf(env: Environment): Provider[] {
  return PRESETS.map((preset) => preset()).filter(({ id }) => {
    const prefix = id === 'videoapp' ? 'AUTH_VIDEO' : variablePrefix(id)
    return text(env, `${prefix}_ID`) !== undefined
  })
}
