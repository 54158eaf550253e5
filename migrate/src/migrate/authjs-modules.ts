import type { Destination } from './move-imports.js'
import { ownOf } from './own-of.js'
import { PRESETS } from './presets.js'

/** Names that are the same in all adapters. */
export const SHARED = {
  Account: 'Account',
  AuthError: 'AuthError',
  CredentialsSignin: 'CredentialsSignin',
  DefaultSession: 'DefaultSession',
  Profile: 'Profile',
  Session: 'Session',
  User: 'User',
  customFetch: 'customFetch',
}

/** The package that takes the place of the one that an app uses. */
export type Adapter =
  | '@latchkey/express'
  | '@latchkey/next'
  | '@latchkey/sveltekit'
  | '@latchkey/worker'

/** The new modules for the exports of each module of Auth.js. */
export function authjsModule(module: string, adapter: Adapter): Destination {
  const preset = /^@auth\/(?:core|express|sveltekit)\/providers\/([\w-]+)$/.exec(module)?.[1]
  if (preset !== undefined) return presetModule(preset, adapter)
  const manifest = /^@auth\/(express|sveltekit)\/package[.]json$/.exec(module)?.[1]
  if (manifest !== undefined) {
    const names = { default: 'default', name: 'name', version: 'version' }
    return { to: `@latchkey/${manifest}/package.json`, names }
  }
  switch (module) {
    case '@auth/express':
      return {
        to: '@latchkey/express',
        names: {
          ...SHARED,
          ExpressAuth: 'MiddlewareAuth',
          ExpressAuthConfig: 'MiddlewareAuthConfig',
          getSession: 'getSession',
        },
      }
    case '@auth/sveltekit':
      return {
        to: '@latchkey/sveltekit',
        names: {
          ...SHARED,
          SvelteKitAuth: 'ComponentKitAuth',
          SvelteKitAuthConfig: 'ComponentKitAuthConfig',
        },
      }
    case '@auth/sveltekit/client':
      return { to: '@latchkey/sveltekit/client', names: { signIn: 'signIn', signOut: 'signOut' } }
    case '@auth/sveltekit/components':
      return {
        to: '@latchkey/sveltekit/components',
        names: { SignIn: 'SignIn', SignOut: 'SignOut' },
      }
    case '@auth/core':
      return {
        to: '@latchkey/worker',
        names: {
          Auth: 'Auth',
          AuthConfig: 'AuthConfig',
          customFetch: 'customFetch',
          raw: 'raw',
          skipCSRFCheck: 'skipCSRFCheck',
        },
      }
    case '@auth/core/types':
    case '@auth/core/errors':
    case '@auth/express/types':
    case '@auth/sveltekit/types':
      return {
        to: adapter === '@latchkey/worker' ? '@latchkey/worker/types' : adapter,
        names: SHARED,
      }
    case '@auth/core/jwt':
    case 'next-auth/jwt':
      return { to: '@latchkey/worker/types', names: { JWT: 'JWT' } }
  }
  if (/^@auth\/[\w-]*adapter(?:\/|$)/.test(module)) return undefined
  if (/^(?:@auth\/|next-auth(?:\/|$)|@hono\/auth-js(?:\/|$))/.test(module)) {
    return { why: `Nothing is known here of \`${module}\`: docs/migrate-from-authjs.md.` }
  }
  return undefined
}

export function presetModule(value: string, adapter: Adapter): Destination {
  const types = ownOf(PRESETS, value)
  if (types === undefined) {
    if (EMAIL.has(value))
      return { why: `Sign-in by email names its sender in another way: docs/email.md.` }
    return {
      why: `There is no preset \`${value}\`: write the provider as an object (docs/any-provider.md).`,
    }
  }
  const names = Object.fromEntries([['default', 'default'], ...types.map((name) => [name, name])])
  return { to: `${adapter}/providers/${value}`, names }
}

/** The advice about a preset that is used in another way here. */
export function presetChange(module: string): string | undefined {
  const id = /\/providers\/([\w-]+)$/.exec(module)?.[1] ?? ''
  if (EMAIL.has(id) && ownOf(PRESETS, id)) {
    return 'Compare the options of sign-in by email: docs/email.md. Old links in mails do not work any more.'
  }
  if (id === 'passkey' || id === 'webauthn') {
    return 'Your database keeps its passkeys; they are not taken over: docs/passkeys.md.'
  }
  return undefined
}

const EMAIL = new Set([
  'email',
  'forwardemail',
  'loops',
  'mailgun',
  'nodemailer',
  'postmark',
  'resend',
  'sendgrid',
])
