import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

// The registry in which `wrangler dev` finds bound Workers. Each file has its own, since Workers of
// files that run in parallel have the same names.
const registry = mkdtempSync(join(tmpdir(), 'latchkey-registry-'))
process.env.WRANGLER_REGISTRY_PATH = registry
afterAll(() => rmSync(registry, { recursive: true, force: true }))
