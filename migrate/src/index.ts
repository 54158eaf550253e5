import type { Command, OF_MIGRATE } from 'latchkey/internal'

/** The commands that `latchkey` takes from this package; each is loaded when it is asked for. */
export const commands: Readonly<Record<keyof typeof OF_MIGRATE, () => Promise<Command>>> = {
  import: async () => (await import('./import/import.js')).importAccounts,
  migrate: async () => (await import('./migrate/migrate.js')).migrate,
}
