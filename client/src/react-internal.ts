// What the React entries of the adapters are made of.

export {
  clientOfPage,
  ProviderOfSession,
  type SessionProviderProps,
  type UseSession,
  type UseSessionOptions,
  useSessionOfPage,
} from './react-hooks.js'
export { type ShownIfProps, useShownIf } from './react-parts/shown-if.js'
export { SignInOfPage, type SignInProps } from './react-parts/sign-in.js'
export { UserButtonOfPage, type UserButtonProps } from './react-parts/user-button.js'
