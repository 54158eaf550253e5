import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'people',
  use: '[`deletePerson` and `exportPerson`](accounts.md#erasing-a-user): all stored data of a user',
  methods: {
    deletePerson: {
      takes: ['sub'],
      scope: 'manage',
      event: 'person-erased',
      summary: 'Erase a person',
    },
    exportPerson: {
      takes: ['sub'],
      scope: 'manage',
      isRead: true,
      summary: 'All data of a person',
      result: 'ExportedPerson | null',
    },
  },
  events: ['person-erased'],
} as const satisfies Manifest
