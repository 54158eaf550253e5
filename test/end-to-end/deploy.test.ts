import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

it('wrangler deploy builds the Worker with all its bindings', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'latchkey-deploy-'))
  const wrangler = join(rootDir, 'node_modules/wrangler/bin/wrangler.js')
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [wrangler, 'deploy', '--dry-run', '--minify', '--outdir', dir],
      { cwd: rootDir, env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
    )
    expect(stdout).toContain('env.SESSIONS')
    expect(stdout).toContain('env.LEDGER (Ledger)')
    expect(stdout).toContain('env.RATE_LIMIT')
    expect(stdout).toContain('env.EMAIL')
  } finally {
    rmSync(dir, { recursive: true })
  }
})
