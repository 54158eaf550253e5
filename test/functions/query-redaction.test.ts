import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** Cloudflare's logs hold the URL of every request, and a mailed link is a URL that signs in. */
const exclude = (name: string) => /^(node_modules|[.].+)$/.test(name)
const configs = globSync('**/*.toml', { cwd: rootDir, exclude })

function observabilityOf(config: string) {
  const { enabled, logs, traces, ...rest } =
    readConfig({ config: join(rootDir, config) }).observability ?? {}
  const isOn = enabled === true || logs?.enabled === true || traces?.enabled === true
  return { isOn, isRedacted: rest.redact_query_string === true }
}

test('every Worker with logged requests keeps the query out of the log', () => {
  const logged = configs.filter((config) => observabilityOf(config).isOn)
  expect(logged.filter((config) => !observabilityOf(config).isRedacted)).toEqual([])
  const deployed = ['wrangler.toml', 'examples/worker/wrangler.toml']
  expect(logged).toEqual(expect.arrayContaining([...deployed, 'examples/sveltekit/wrangler.toml']))
})

test('every wrangler configuration in the documentation does too', () => {
  const pages = globSync('**/*.md', { cwd: rootDir, exclude })
  const told = pages.flatMap((page) =>
    [...readFileSync(join(rootDir, page), 'utf8').matchAll(/```toml\n([\s\S]*?)```/g)]
      .map(([, code = '']) => ({ page, code }))
      .filter(({ code }) => /^\[observability/m.test(code)),
  )
  expect(told.map(({ page }) => page)).toContain('adapters/sveltekit/README.md')
  for (const { page, code } of told) {
    expect(code, page).toMatch(/^\[observability\]\n(?:.+\n)*redact_query_string = true$/m)
  }
})
