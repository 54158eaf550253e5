import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'ways',
  use: '[Several ways to sign in](accounts.md) for one user: to list, add and remove them, with a mail about each change',
  options: ['ways'],
  members: [
    'ways',
    'isAlone',
    'hadMeans',
    'mergedInto',
    'were',
    'erasing',
    'asked',
    'removed',
    'deleted',
  ],
  exported: ['ways'],
  methods: {
    listWays: {
      takes: ['sub'],
      scope: 'read',
      summary: 'The ways by which a person signs in',
      result: 'ListedWay[]',
    },
  },
  routes: ['/ways', '/ways/add', '/ways/remove', '/ways/rename', '/ways/confirm'],
  texts: true,
  events: ['way-added', 'way-removed', 'way-confirmed', 'people-merged'],
  denials: ['last_way', 'too_many_ways'],
} as const satisfies Manifest
