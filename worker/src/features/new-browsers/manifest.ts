import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'new-browsers',
  use: '[A mail about a sign-in from a new browser](new-browsers.md). The shipped Worker has it, and `createAuth` if you list it',
  options: ['newBrowserMail'],
  variables: {
    AUTH_NEW_BROWSER_MAIL:
      'Sends a person a mail when they sign in from a browser that they have not used before: `true` (docs/new-browsers.md). Default: off.',
  },
  texts: 'apart',
  events: ['new-browser'],
} as const satisfies Manifest
