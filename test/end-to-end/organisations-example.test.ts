import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { rootDir, startWranglerDev } from '../../scripts/wrangler-dev.ts'
import { freePort } from '../support/free-port.ts'
import { mailbox, newFolder, type Started, startOrganisations } from '../support/organisations.ts'
import { linkIn, Visitor } from '../support/visitor.ts'

/** examples/organisations as its reader starts it: on Node with SQLite, and as a Worker with D1. */
const folder = join(rootDir, 'examples/organisations')
const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'
const run = promisify(execFile)

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

const onNode = () => startOrganisations(stops, { AUTH_SECRET })

async function asWorker(): Promise<Started> {
  const [persistTo, port, { mails, mailTo }] = [newFolder(stops), await freePort(), mailbox()]
  const config = join(folder, 'wrangler.toml')
  const wrangler = join(rootDir, 'node_modules/wrangler/bin/wrangler.js')
  const apply = ['d1', 'migrations', 'apply', 'DB', '--local', '--config', config]
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' }
  await run(process.execPath, [wrangler, ...apply, '--persist-to', persistTo], { env })
  let to = ''
  const url = `http://localhost:${port}`
  const worker = await startWranglerDev({
    name: 'example',
    port,
    config: 'examples/organisations/wrangler.toml',
    persistTo,
    vars: { AUTH_SECRET, AUTH_URL: `${url}/auth` },
    onLine(line) {
      to = /^To: (\S+)$/.exec(line)?.[1] ?? to
      const file = /^Text: (.*[\\/]email-text[\\/].*)$/.exec(line)?.[1]
      if (file) mails.push({ to, text: readFileSync(file, 'utf8') })
    },
  })
  stops.push(worker.stop)
  return { url, mailTo }
}

test.each([
  ['on Node', onNode],
  ['as a Worker', asWorker],
])(
  '%s: an admin invites a person by mail, changes their role, and removes them',
  async (_, start) => {
    const { url, mailTo } = await start()
    const [ada, grace] = [new Visitor(url), new Visitor(url)]
    const sessionOf = async (one: Visitor) =>
      (await (await one.go('/api/me')).json()) as {
        readonly user: { readonly id: string }
        readonly organisation?: string
        readonly role?: string
      }
    await ada.signIn('ada@example.com', mailTo)
    expect((await ada.post('/organisations', { name: 'Acme' })).status).toBe(303)
    const home = await (await ada.go('/')).text()
    const [, organisation = ''] = /data-organisation="([^"]+)"/.exec(home) ?? []
    await ada.update({ organisation })
    expect(await sessionOf(ada)).toMatchObject({ organisation, role: 'admin' })

    const invitation = { organisation, address: 'grace@example.com', role: 'member' }
    expect((await ada.post('/invitations', invitation)).status).toBe(303)
    const link = linkIn(await mailTo('grace@example.com'))
    expect(link.origin).toBe(url)
    const path = link.pathname + link.search
    expect((await grace.go(path)).headers.get('location')).toMatch(/^\/auth\/signin\?callbackUrl=/)
    // Ada has the link too: it is for another address.
    expect((await ada.go(path)).status).toBe(403)
    await grace.signIn('grace@example.com', mailTo)
    expect(await (await grace.go(path)).text()).toContain('Join Acme?')
    const sealed = { invitation: link.searchParams.get('invitation') ?? '' }
    expect((await grace.post('/join', sealed)).status).toBe(303)
    expect((await grace.post('/join', sealed)).status).toBe(403)
    await grace.update({ organisation })
    const { user, role } = await sessionOf(grace)
    expect(role).toBe('member')

    const change = { organisation, person: user.id, role: 'admin' }
    expect((await ada.post('/members/role', change)).status).toBe(303)
    const claim = async () => (await sessionOf(grace)).role
    await expect.poll(claim, { timeout: 15_000, interval: 200 }).toBe('admin')
    expect((await grace.post('/members/remove', change)).status).toBe(303)
    expect(await (await grace.go('/')).text()).toContain('No organization is active')
    await expect.poll(claim, { timeout: 15_000, interval: 200 }).toBeUndefined()
    expect((await sessionOf(grace)).user.id).toBe(user.id)
  },
  120_000,
)
