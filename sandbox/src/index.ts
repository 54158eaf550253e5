export {
  type ChallengeEncoding,
  defaultClient,
  type SandboxClient,
} from './clients.js'
export type { Lifetimes } from './grants.js'
export type { SandboxMail } from './mailbox.js'
export { type Person, type PersonProfile, testPeople } from './people.js'
export type { SandboxRequest } from './request-log.js'
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.js'
export type { Scope, UserField } from './scopes.js'
