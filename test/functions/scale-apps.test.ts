import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** The costs on docs/scale-apps.md are those that the test in workerd counts, at Cloudflare's prices. */
const read = (path: string) => readFileSync(join(rootDir, path), 'utf8')
const page = read('docs/scale-apps.md')
const counted = read('test/workerd/authorization-server-costs.test.ts')

test.each([
  ['a page of consent', 'authorize, without a code'],
  ['… a first consent, which gives a code', 'a first consent'],
  ['a code without a page', 'a code, by authorize'],
  ['a code → tokens', 'code → tokens'],
  ['a refresh', 'refresh'],
  ['… with `offline_access`, whose end moves with it', 'offline refresh'],
  ['a refresh that comes again within 30 seconds', 'a refresh that comes again'],
  ['UserInfo', 'UserInfo'],
  ['a token is revoked', 'revoke'],
  ['an API key is made', 'key: make'],
  ['… is used, every five minutes at most', 'key: exchange'],
])('the row "%s" has the cost and the price of "%s"', (row, event) => {
  const [, cells = ''] = page.split(`\n| ${row} | `)
  const [found = '', , price = ''] = cells.split('\n')[0]?.split(' | ') ?? []
  const [, calls, rows] = new RegExp(`'?${event}'?: \\['(\\d+) · (\\d+) · 0'`).exec(counted) ?? []
  const said = /^(\d+) calls?(?:, (\d+) rows?)?/.exec(found)
  expect([said?.[1], said?.[2] ?? '0']).toEqual([calls, rows])
  const dollars = Number(calls) * 0.15 + Number(rows)
  expect(price).toContain(`$${dollars.toFixed(2)}`)
})
