// What the React entries of the adapters are made of.
export { type ShownIfProps, useShownIf } from './parts/shown-if.js'
export { SignInOfPage, type SignInProps } from './parts/sign-in.js'
export { UserButtonOfPage, type UserButtonProps } from './parts/user-button.js'
export {
  clientOfPage,
  ProviderOfSession,
  type SessionProviderProps,
  type UseSession,
  type UseSessionOptions,
  useSessionOfPage,
} from './react-hooks.js'
