import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'account',
  use: '[The pages](pages.md) on which users see and end their sessions, and change their account: `GET /account`',
  options: ['accountDeletion'],
  routes: [
    '/account',
    '/account/sessions',
    '/account/ways',
    '/account/security',
    '/account/delete',
  ],
  texts: true,
} as const satisfies Manifest
