import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'passwords',
  use: '[Passwords that people set here](passwords.md), beside sign-in by mail. It needs the package `@phi-ag/argon2`. The shipped Worker has it, and `createAuth` if you list it',
  kinds: ['password'],
  members: ['password'],
  methods: {
    removePassword: {
      takes: ['sub'],
      scope: 'manage',
      event: 'password-removed',
      summary: 'Take the password from a person',
    },
  },
  routes: ['/password', '/password/set', '/password/remove', '/account/password', '/passkey/offer'],
  texts: 'apart',
  script: {
    source: 'offer',
    file: 'offer-script',
    does: 'offer a passkey after a sign-in with a password',
  },
  events: ['password-set', 'password-changed', 'password-removed', 'wrong-passwords'],
  warnings: ['breach-check-skipped', 'password-unreadable'],
  denials: ['no_address'],
} as const satisfies Manifest
