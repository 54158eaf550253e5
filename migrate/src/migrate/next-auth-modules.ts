import { authjsModule, presetModule, SHARED } from './authjs-modules.js'
import type { Destination } from './move-imports.js'

const SERVER = {
  ...SHARED,
  default: 'default',
  AuthOptions: 'NextAuthConfig',
  NextAuthConfig: 'NextAuthConfig',
  NextAuthOptions: 'NextAuthConfig',
  NextAuthRequest: 'NextAuthRequest',
  NextAuthResult: 'NextAuthResult',
}

const CLIENT = {
  SessionProvider: 'SessionProvider',
  SessionProviderProps: 'SessionProviderProps',
  SignInOptions: 'SignInOptions',
  SignInResponse: 'AuthResult',
  SignOutParams: 'SignOutOptions',
  getSession: 'getSession',
  signIn: 'signIn',
  signOut: 'signOut',
  useSession: 'useSession',
}

/** The new modules for the exports of each module of `next-auth`, 4 and 5, and of `@auth/core`. */
export function nextAuthModule(module: string): Destination {
  const preset = /^next-auth\/providers\/([\w-]+)$/.exec(module)?.[1]
  // Some file systems find `GitHub` too.
  if (preset !== undefined && preset !== 'index')
    return presetModule(preset.toLowerCase(), '@latchkey/next')
  switch (module) {
    case 'next-auth':
    case 'next-auth/next':
      return { to: '@latchkey/next', names: SERVER }
    case 'next-auth/react':
      return { to: '@latchkey/next/react', names: CLIENT }
    case 'next-auth/middleware':
      return { to: '@latchkey/next', names: { NextRequestWithAuth: 'NextAuthRequest' } }
    case 'next-auth/package.json':
      return {
        to: '@latchkey/next/package.json',
        names: { default: 'default', name: 'name', version: 'version' },
      }
    case 'next-auth/adapters':
      return { why: 'There is no adapter: remove this with the option `adapter`.' }
    case 'next-auth/providers':
    case '@auth/core/providers':
      return {
        why: "Types of providers are in `@latchkey/worker/types`; a list of providers is `AuthConfig['providers']` of `@latchkey/worker`.",
      }
    case 'next-auth/webauthn':
      return {
        why: "`signIn('passkey')` of `@latchkey/next/react` takes its place: docs/passkeys.md.",
      }
  }
  return authjsModule(module, '@latchkey/next')
}
