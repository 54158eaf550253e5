import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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
    // One letter beyond Latin doubles the memory of the whole text. esbuild escapes letters but in tagged templates: put
    // them there as ${'·'}.
    const code = readFileSync(join(dir, 'worker.js'), 'utf8')
    expect(code.match(/.{0,40}\P{ASCII}.{0,40}/gu)).toBeNull()
  } finally {
    rmSync(dir, { recursive: true })
  }
})
