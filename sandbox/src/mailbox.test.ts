import { describe, expect, it } from 'vitest'
import type { SandboxMail } from './mailbox.js'
import type { Sandbox } from './sandbox.js'
import { sandboxAt, start } from './test-support.js'

const mailboxKey = 'a-key-of-the-tests'
const link = 'http://localhost:8787/auth/callback/email?token=t0ken&callbackUrl=%2F'
const mail = {
  to: 'ada@example.com',
  from: 'Latchkey <sign-in@example.com>',
  subject: 'Sign in to Latchkey',
  text: `Open this link to sign in:\n${link}\n\nOr type this code: 123 456`,
  html: '<p>Hello</p>',
}
const open = () => sandboxAt({ mailboxKey })

const handIn = (sandbox: Sandbox, body: unknown = mail, headers: Record<string, string> = {}) =>
  sandbox.request('/mailbox', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${mailboxKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const mails = async (sandbox: Sandbox) =>
  (await (await sandbox.request('/mailbox.json')).json()) as SandboxMail[]

const textOf = async (sandbox: Sandbox, path: string) => (await sandbox.request(path)).text()

describe('handing in a mail', () => {
  it('answers with its address, and keeps the mail unchanged with the time', async () => {
    const { sandbox, clock } = open()
    clock.now += 1000
    const response = await handIn(sandbox)
    expect([response.status, response.headers.get('location')]).toEqual([201, '/mailbox/1'])
    expect(await response.json()).toEqual({ id: 1 })
    expect(await mails(sandbox)).toEqual([{ ...mail, id: 1, at: start + 1000 }])
  })

  it.each([
    ['no key', { authorization: '' }],
    ['another key', { authorization: 'Bearer a-key-of-the-test5' }],
    ['a part of the key', { authorization: 'Bearer a-key-of-the-test' }],
    ['the key as a password', { authorization: `Basic ${btoa(`:${mailboxKey}`)}` }],
  ])('is refused with %s', async (_, headers) => {
    const { sandbox } = open()
    const { status } = await handIn(sandbox, mail, headers)
    expect([400, 401]).toContain(status)
    expect(await mails(sandbox)).toEqual([])
  })

  it('is refused when it is too large', async () => {
    const { sandbox } = open()
    expect((await handIn(sandbox, { ...mail, text: 'x'.repeat(256 * 1024) })).status).toBe(413)
    expect((await handIn(sandbox, { ...mail, text: 'x'.repeat(250 * 1024) })).status).toBe(201)
    expect(await mails(sandbox)).toHaveLength(1)
  })

  it.each([
    ['no JSON', '{', 'the body must be a JSON object'],
    ['null', null, 'the body must be a JSON object'],
    ['no recipient', { ...mail, to: undefined }, '"to" is missing'],
    ['a text that is not a string', { ...mail, text: ['x'] }, '"text" must be a string'],
    ['HTML that is not a string', { ...mail, html: 5 }, '"html" must be a string'],
  ])('is refused with %s, and says why', async (_, body, reason) => {
    const { sandbox } = open()
    const response = await handIn(sandbox, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: `This is not a mail: ${reason}.` })
    expect(await mails(sandbox)).toEqual([])
  })
})

describe('a sandbox without a key for the mailbox', () => {
  it.each([[{}], [{ mailboxKey: '' }]])('has no mailbox: %j', async (options) => {
    const { sandbox } = sandboxAt(options)
    for (const path of ['/mailbox', '/mailbox.json', '/mailbox/1']) {
      expect((await sandbox.request(path)).status).toBe(404)
    }
    expect((await handIn(sandbox, mail, { authorization: 'Bearer ' })).status).toBe(404)
    expect(await textOf(sandbox, '/')).not.toContain('/mailbox')
  })
})

describe('the mailbox', () => {
  it('is linked on the first page', async () => {
    expect(await textOf(open().sandbox, '/')).toContain('<a href="/mailbox">')
  })

  it('reloads itself only while it is empty', async () => {
    const { sandbox } = open()
    const refresh = '<meta http-equiv="refresh" content="3"/>'
    expect(await textOf(sandbox, '/mailbox')).toContain(refresh)
    await handIn(sandbox)
    expect(await textOf(sandbox, '/mailbox')).not.toContain('http-equiv')
  })

  it('lists the newest first, and keeps 50', async () => {
    const { sandbox } = open()
    for (let count = 1; count <= 52; count++) {
      await handIn(sandbox, { ...mail, subject: `Mail ${count}` })
    }
    const ids = Array.from({ length: 50 }, (_, index) => 52 - index)
    expect((await mails(sandbox)).map(({ id }) => id)).toEqual(ids)
    const page = await textOf(sandbox, '/mailbox')
    expect([...page.matchAll(/href="\/mailbox\/(\d+)"/g)].map((it) => Number(it[1]))).toEqual(ids)
    expect(page).toContain('>Mail 52<')
    expect((await sandbox.request('/mailbox/2')).status).toBe(404)
    expect((await sandbox.request('/mailbox/3')).status).toBe(200)
  })

  it.each([['/mailbox'], ['/mailbox.json'], ['/mailbox/1'], ['/mailbox/1/html'], ['/mailbox/9']])(
    'answers HEAD %s as GET, without a body',
    async (path) => {
      const { sandbox } = open()
      await handIn(sandbox)
      const [head, get] = [
        await sandbox.request(path, { method: 'HEAD' }),
        await sandbox.request(path),
      ]
      expect(head.status).toBe(get.status)
      expect([...head.headers]).toEqual([...get.headers])
      expect(await head.text()).toBe('')
    },
  )

  it.each([
    ['/mailbox/0'],
    ['/mailbox/2'],
    ['/mailbox/-1'],
    ['/mailbox/one'],
    ['/mailbox/2/html'],
    ['/mailbox/%3Cscript%3E'],
  ])('has no mail at %s', async (path) => {
    const { sandbox } = open()
    await handIn(sandbox)
    const response = await sandbox.request(path)
    expect(response.status).toBe(404)
    const page = await response.text()
    expect(page).toContain('There is no mail')
    expect(page).not.toContain('<script')
  })

  it.each([['/mailbox'], ['/mailbox.json'], ['/mailbox/1'], ['/mailbox/1/html']])(
    'DNS rebinding: %s is refused to a request with the Host of a website',
    async (path) => {
      const { sandbox } = open()
      await handIn(sandbox)
      expect((await sandbox.request(`http://127.0.0.1:8788${path}`)).status).toBe(200)
      const response = await sandbox.request(`http://evil.example:8788${path}`)
      expect(response.status).toBe(403)
      expect(await response.text()).not.toContain('Sign in to Latchkey')
    },
  )

  it('is readable by no other website', async () => {
    const { sandbox } = open()
    await handIn(sandbox)
    const response = await sandbox.request('/mailbox.json', {
      headers: { origin: 'https://evil.example' },
    })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})

describe('a mail', () => {
  it('shows its link, its code and both parts', async () => {
    const { sandbox } = open()
    await handIn(sandbox)
    const page = await textOf(sandbox, '/mailbox/1')
    expect(page).toContain(`href="${link.replaceAll('&', '&amp;')}" rel="noreferrer"`)
    expect(page).toContain('<span>123</span><span>456</span>')
    expect(page).toContain('Or type this code: 123 456</pre>')
    expect(page).toContain('src="/mailbox/1/html" sandbox="allow-popups')
    expect(page).toContain('Latchkey &lt;sign-in@example.com&gt;')
  })

  it('without link, code, subject and parts is a page nevertheless', async () => {
    const { sandbox } = open()
    await handIn(sandbox, { to: 'ada@example.com' })
    const page = await textOf(sandbox, '/mailbox/1')
    expect(page).toContain('(no subject)')
    for (const absent of ['<iframe', '<pre', 'class="button"', 'class="mail-code"']) {
      expect(page).not.toContain(absent)
    }
    expect((await sandbox.request('/mailbox/1/html')).status).toBe(404)
  })

  it('hostile mail: no part of it becomes markup of a page', async () => {
    const { sandbox } = open()
    const hostile = '</pre></a>"\'><script>alert(1)</script><img src=x onerror=alert(1)>'
    await handIn(sandbox, {
      to: hostile,
      from: hostile,
      subject: hostile,
      text: `${hostile} https://evil.example/"onclick=alert(1) javascript:alert(1)`,
      html: hostile,
    })
    for (const path of ['/mailbox', '/mailbox/1']) {
      const response = await sandbox.request(path)
      const page = await response.text()
      expect(page).not.toMatch(/<script|<img|onclick=alert\(1\)"|href="javascript/)
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/script-src|unsafe/)
    }
    const raw = await sandbox.request('/mailbox/1/html')
    expect(await raw.text()).toContain(hostile)
    const policy = raw.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^sandbox allow-popups /)
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|allow-forms|script-src/)
    expect(policy).toContain("default-src 'none'")
  })
})
