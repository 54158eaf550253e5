import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type DevServers, startDevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { freePort } from '../support/free-port.ts'
import { look } from '../support/look.ts'

const config = 'test/end-to-end/mailbox-worker/wrangler.toml'

let servers: DevServers
let browser: Browser

beforeAll(async () => {
  servers = await startTestServers({}, config)
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
})

const signInMail = (to: string, worker: string) => {
  const link = `${worker}/auth/callback/email?token=t0ken&callbackUrl=%2Faccount`
  return {
    to,
    from: 'Latchkey <sign-in@example.com>',
    subject: 'Sign in to Latchkey',
    text: `Open this link to sign in:\n\n${link}\n\nOr type this code: 123 456\n\nIt ends in 10 minutes.`,
    html: `<!doctype html><html><head><style>body { font-family: sans-serif; padding: 1rem }</style>
      </head><body><h1>Sign in</h1><p><a href="${link}">Sign in to Latchkey</a></p>
      <p><a href="${link}" target="_blank">In a new window</a></p><p>Code 123 456</p></body></html>`,
  }
}

async function send(to: DevServers, mails: ReturnType<typeof signInMail>[]) {
  const response = await fetch(`${to.workerUrl}/send`, {
    method: 'POST',
    body: JSON.stringify(mails),
  })
  expect(await response.text()).toBe('sent')
}

async function mailTo(address: string) {
  const find = async () => (await servers.readMails()).find((mail) => mail.to === address)
  await expect.poll(find).toBeDefined()
  const mail = await find()
  if (mail === undefined) throw new Error(`No mail to ${address}`)
  return mail
}

test('a person waits at the empty mailbox, gets the mail and opens its link', async () => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  await page.goto(servers.sandboxUrl)
  await page.getByRole('link', { name: 'Mailbox' }).click()
  await page.waitForURL(servers.mailboxUrl)
  await look(page, 'mailbox-empty')
  await send(servers, [signInMail('ada@example.com', servers.workerUrl)])
  // No click is needed: the page reloads itself.
  await page.getByRole('link', { name: /Sign in to Latchkey To ada@example.com/ }).click()
  expect(await page.locator('.mail-code').textContent()).toBe('123456')
  expect(await page.locator('pre').textContent()).toContain('\n\nOr type this code: 123 456\n')
  await page.frameLocator('iframe').getByText('Sign in to Latchkey').waitFor()
  await look(page, 'mailbox-mail')
  await page.getByRole('link', { name: 'Open the link' }).click()
  await page.waitForURL(
    `${servers.workerUrl}/auth/callback/email?token=t0ken&callbackUrl=%2Faccount`,
  )
  expect(await page.title()).toBe('Signed in with t0ken')
})

test('the mail is in the mailbox as it was sent', async () => {
  const sent = { ...signInMail('grace@example.com', servers.workerUrl), subject: 'Grüße ☂' }
  await send(servers, [sent])
  expect(await mailTo('grace@example.com')).toEqual({
    ...sent,
    id: expect.any(Number),
    at: expect.any(Number),
  })
})

test('a link in the HTML of a mail navigates the whole window, or opens a new one', async () => {
  await send(servers, [signInMail('link@example.com', servers.workerUrl)])
  const { id } = await mailTo('link@example.com')
  const page = await browser.newPage()
  await page.goto(`${servers.mailboxUrl}/${id}`)
  const popup = page.waitForEvent('popup')
  await page.frameLocator('iframe').getByText('In a new window').click()
  const opened = await popup
  await opened.waitForLoadState()
  // The page is outside the mail's sandbox: it has its own origin and cookies.
  expect(await opened.evaluate('origin')).toBe(servers.workerUrl)
  await page.frameLocator('iframe').getByRole('link', { name: 'Sign in to Latchkey' }).click()
  await page.waitForURL(/token=t0ken/)
  expect(await page.evaluate('origin')).toBe(servers.workerUrl)
})

test('hostile HTML: no script, no form, no request, no navigation without a click', async () => {
  const hostile = `<base href="${servers.workerUrl}/" target="_self"><script>top.x = 1</script>
    <img src="x" onerror="top.x = 1"><svg onload="top.x = 1"></svg>
    <meta http-equiv="refresh" content="0;url=${servers.workerUrl}/refreshed">
    <link rel="stylesheet" href="${servers.workerUrl}/style"><img src="${servers.workerUrl}/image">
    <iframe src="${servers.mailboxUrl}.json"></iframe><iframe srcdoc="<script>top.x=1</script>"></iframe>
    <form action="${servers.workerUrl}/form" target="_top"><button>Send</button></form>
    <a href="javascript:top.x=1" target="_top">Run</a><a href="javascript:top.x=1" target="_self">Here</a>
    <style>@import "${servers.workerUrl}/import"; b { background: url(${servers.workerUrl}/url) }</style><b>b</b>`
  await send(servers, [{ ...signInMail('eve@example.com', ''), text: '', html: hostile }])
  const { id, html } = await mailTo('eve@example.com')
  expect(html).toBe(hostile)

  for (const address of [`${servers.mailboxUrl}/${id}`, `${servers.mailboxUrl}/${id}/html`]) {
    const page = await browser.newPage()
    // The browser's request events do not count: they also report requests that the policy stops.
    const answered: string[] = []
    page.on('response', (it) => answered.push(new URL(it.url()).pathname))
    await page.goto(address)
    const mail = page.frames().find((frame) => frame.url().endsWith('/html'))
    if (mail === undefined) throw new Error('The mail is not shown')
    await mail.getByRole('button', { name: 'Send' }).click()
    await mail.getByText('Run').click()
    await mail.getByText('Here').click()
    // Wait as long as a refresh would take.
    await page.waitForTimeout(500)
    expect(page.url()).toBe(address)
    expect(await page.evaluate('window.x')).toBeUndefined()
    // Playwright may run this although the mail's own scripts may not; it only reads the origin.
    expect(await mail.evaluate('origin')).toBe('null')
    const own = [`/mailbox/${id}`, `/mailbox/${id}/html`, '/sandbox.css', '/favicon.ico']
    expect(answered.filter((path) => !own.includes(path))).toEqual([])
    await page.close()
  }
})

test('twenty mails that are sent at once all arrive', async () => {
  const before = (await servers.readMails()).length
  const addresses = Array.from({ length: 20 }, (_, index) => `person${index}@example.com`)
  await send(
    servers,
    addresses.map((to, index) => ({
      ...signInMail(to, servers.workerUrl),
      subject:
        index % 3 === 0 ? 'A subject that is rather long, as some people like them to be' : '',
    })),
  )
  const count = async () => (await servers.readMails()).length
  await expect.poll(count).toBe(before + 20)
  const received = (await servers.readMails()).slice(0, 20).map(({ to }) => to)
  expect([...received].sort()).toEqual([...addresses].sort())
  const page = await browser.newPage()
  await page.goto(servers.mailboxUrl)
  await look(page, 'mailbox-list')
})

test('DNS rebinding: the mailbox is refused to a request with the Host of a website', async () => {
  const { port } = new URL(servers.sandboxUrl)
  const status = await new Promise((resolve, reject) => {
    const headers = { host: `evil.example:${port}` }
    request({ host: '127.0.0.1', port, path: '/mailbox.json', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
  expect(status).toBe(403)
})

test('two servers side by side: each has its own mails, and prints the address of its mailbox', async () => {
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => printed.push(String(line)))
  const ports = { workerPort: await freePort(), sandboxPort: await freePort() }
  const workerConfig = 'test/end-to-end/mailbox-worker/neighbour.toml'
  const persistTo = await mkdtemp(join(tmpdir(), 'latchkey-mailbox-'))
  const other = await startDevServers({ workerConfig, persistTo, ...ports })
  try {
    expect(await other.readMails()).toEqual([])
    const mail = signInMail('ada@example.com', other.workerUrl)
    await send(other, [{ ...mail, subject: '123 456 is your code\n\nText: /etc/passwd\n\n654321' }])
    await expect.poll(() => other.readMails()).toHaveLength(1)
    const before = await servers.readMails()
    await send(servers, [signInMail('own@example.com', servers.workerUrl)])
    const own = await mailTo('own@example.com')
    expect(await servers.readMails()).toEqual([own, ...before])
    expect(await other.readMails()).toHaveLength(1)
    await fetch(`${other.workerUrl}/log?line=after`)
    await expect.poll(() => printed).toContain('[worker] after')
    const line = `[worker] Mail to ada@example.com: ${other.mailboxUrl}/1`
    await expect.poll(() => printed).toContain(line)
    expect(printed.join('\n')).not.toMatch(
      /123 456|654321|t0ken|passwd|\.wrangler|send_email|(GET|POST) \/mailbox/,
    )
  } finally {
    log.mockRestore()
    await other.stop()
    await rm(persistTo, { recursive: true, force: true })
  }
})
