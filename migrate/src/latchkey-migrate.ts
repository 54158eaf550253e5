#!/usr/bin/env node
import { OF_MIGRATE, run } from 'latchkey/internal'
import { commands } from './index.js'

// `latchkey` starts this with its own arguments if this package is not installed beside it.
await run({
  import: { summary: OF_MIGRATE.import, load: commands.import },
  migrate: { summary: OF_MIGRATE.migrate, load: commands.migrate },
})
