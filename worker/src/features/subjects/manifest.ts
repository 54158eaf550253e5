import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'subjects',
  use: "[Ids of the app's own](accounts.md#ids-of-your-own)",
  options: ['subject', 'sharedSubjects'],
} as const satisfies Manifest
