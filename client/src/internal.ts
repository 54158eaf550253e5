// What the adapters of a framework are made of.
export { memberOf } from './answer.js'
export {
  type AuthorizationParams,
  type AuthResult,
  flowOf,
  queryOf,
  type SignIn,
  type SignInOptions,
  type SignOut,
  type SignOutOptions,
} from './flow.js'
export { askBy, checkedPath } from './service.js'
export { alone, onReturn, type Tab } from './tabs.js'
