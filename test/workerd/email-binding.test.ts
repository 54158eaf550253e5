import { env } from 'cloudflare:workers'
import email from '@latchkey/worker/providers/email'
import { describe, expect, test } from 'vitest'
import { Browser, location, type Service, service } from './support.ts'

const { EMAIL } = env as unknown as { EMAIL: SendEmail }
const FROM = 'Example, Inc. <sign-in@example.com>'

/** The service with the real binding, and the mails that pass through it. */
function mailingService(from: string): Service & { passed: { mail: Sent; messageId: string }[] } {
  const passed: { mail: Sent; messageId: string }[] = []
  const send = async (mail: Sent) => {
    const { messageId } = await EMAIL.send(mail)
    passed.push({ mail, messageId })
    return { messageId }
  }
  const bindings = { EMAIL: { send } }
  return { ...service({ providers: [email({ from })] }, bindings as object), passed }
}

type Sent = EmailMessageBuilder & { to: string; text: string; html: string }

describe('the real send_email binding', () => {
  test('takes the mail, with its sender in parts and its header', async () => {
    const mailing = mailingService(FROM)
    const answer = await new Browser(mailing).post('/auth/signin/email', {
      email: 'Ada@mail.example',
    })
    expect(location(answer).pathname).toBe('/auth/verify-request')
    expect(mailing.errors).toEqual([])
    expect(mailing.passed).toHaveLength(1)
    const [{ mail, messageId }] = mailing.passed as [(typeof mailing.passed)[0]]
    const { text, html, ...rest } = mail
    expect(rest).toEqual({
      from: { name: 'Example, Inc.', email: 'sign-in@example.com' },
      to: 'ada@mail.example',
      subject: expect.stringMatching(/^Sign in to localhost:8787 · [A-Z]{4}$/),
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    // The binding builds this header from the sender that it parsed.
    expect(messageId).toMatch(/^<?[\w-]+@example\.com>?$/)
    expect(text).toContain('http://localhost:8787/auth/callback/email?token=')
    expect(html).toContain('http://localhost:8787/auth/callback/email?token=')
  })

  test('takes a sender without a name', async () => {
    const mailing = mailingService('sign-in@example.com')
    await new Browser(mailing).post('/auth/signin/email', { email: 'ada@mail.example' })
    expect(mailing.passed.map(({ mail }) => mail.from)).toEqual(['sign-in@example.com'])
    expect(mailing.errors).toEqual([])
  })

  test('the link and the code of a mail that it took sign in', async () => {
    for (const way of ['link', 'code']) {
      const mailing = mailingService(FROM)
      const browser = new Browser(mailing)
      const asked = location(
        await browser.post('/auth/signin/email', { email: 'ada@mail.example' }),
      )
      const text = mailing.passed[0]?.mail.text ?? ''
      if (way === 'link') {
        const { pathname, search } = new URL(/^http:.*$/m.exec(text)?.[0] ?? '')
        await browser.go(pathname + search)
      } else {
        const code = /^\d{6}$/m.exec(text)?.[0] ?? ''
        const flow = asked.searchParams.get('flow') ?? ''
        await browser.post('/auth/callback/email', { flow, code })
      }
      expect(await browser.session()).toMatchObject({ user: { email: 'ada@mail.example' } })
    }
  })
})
