import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

// Where `wrangler dev` looks for the Workers that others are bound to: those of another file that runs
// beside this one have the same names.
const registry = mkdtempSync(join(tmpdir(), 'latchkey-registry-'))
process.env.WRANGLER_REGISTRY_PATH = registry
afterAll(() => rmSync(registry, { recursive: true, force: true }))
