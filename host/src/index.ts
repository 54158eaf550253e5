/**
 * The code that all adapters for frameworks share. For packages of this repository: it may change
 * with any release.
 */

export { isWorkerd, refusalResponse } from '@latchkey/session/internal'
export { isEnough } from '@latchkey/session/issue'
export { type ActionOptions, formOf } from './adapter/action-options.js'
export { parseCookieLine } from './adapter/cookie-line.js'
export { FetchRequest, processEnv } from './adapter/fetch-request.js'
export { finishPersonal, privateHeader } from './adapter/finish-response.js'
export { createHost, type Host } from './adapter/host.js'
export type {
  ForwardedConfigOf,
  HostConfigOf,
  InProcessConfigOf,
} from './adapter/host-config.js'
export type { HostMessage, HostRequest } from './adapter/host-request.js'
export { inProcess } from './adapter/in-process.js'
export { logErrorOf } from './adapter/log-error.js'
export { answerToFault, logMistake } from './adapter/log-mistake.js'
export { McpGate, type McpOptions } from './adapter/mcp-gate.js'
export { mergeCookies, replaceCookies } from './adapter/merge-cookies.js'
export { finishNewest } from './adapter/newest-cookies.js'
export { warnBy } from './adapter/origin-warnings.js'
export { withPrefix } from './adapter/path-prefix.js'
export { ofProcess } from './adapter/process-state.js'
export { Refusal } from './adapter/refusal.js'
export { RequestSession } from './adapter/request-session.js'
export {
  detourOf,
  type RequireSessionOptions,
  type SessionGate,
  sessionGate,
  targetOf,
} from './adapter/session-gate.js'
export { type ActionForm, submitForm, submitUpdate } from './adapter/submit-form.js'
export {
  type RequireTokenOptions,
  TokenGate,
  type TokenServiceConfig,
} from './adapter/token-gate.js'
export { checkNeeds } from './shared/check-needs.js'
export { configurationFailure } from './shared/configuration-failure.js'
export { customFetch } from './shared/custom-fetch.js'
export { InvalidConfiguration } from './shared/invalid-configuration.js'
export { readRequestBody } from './shared/read-body.js'
