// What the React entries of the adapters are made of.
export {
  clientOfPage,
  ProviderOfSession,
  type SessionProviderProps,
  type UseSession,
  type UseSessionOptions,
  useSessionOfPage,
} from './react-hooks.js'
