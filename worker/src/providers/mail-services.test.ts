import { describe, expect, test } from 'vitest'
import type { ResolvedEmailProvider } from '../features/email/resolve.js'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import type { EmailConfig, MailServiceOptions, VerificationRequest } from '../types.js'
import loops from './loops.js'
import mailgun from './mailgun.js'
import postmark from './postmark.js'
import resend from './resend.js'
import sendgrid from './sendgrid.js'
import ses from './ses.js'

const url = 'https://app.example.com/auth/callback/email?token=8f3kQ2mZ0pXv9rT1uWy4sBn6cDe7gHj5'
const mail = {
  from: 'Example, Inc. <sign-in@mail.example.com>',
  to: 'ada@example.org',
  subject: 'Sign in',
  text: `${url} or 482913`,
  html: `<a href="${url}">Sign in</a> 482913`,
}
const SECRETS = ['the-key', 'the-secret', url, '482913', 'ada@example.org']

interface Case {
  readonly id: string
  readonly service: (options?: MailServiceOptions) => EmailConfig
  readonly env: Readonly<Record<string, string>>
  readonly at: string
  readonly headers: Readonly<Record<string, string | RegExp>>
  readonly body: unknown
  readonly taken: () => Response
  /** Answers that mean failure, whatever their status. */
  readonly refused: readonly (() => Response)[]
}

const error = (status: number) => () =>
  Response.json({ message: `the-key may not mail ada@example.org: ${url}` }, { status })
const json =
  (body: object, status = 200) =>
  () =>
    Response.json(body, { status })
const page = () => new Response('<title>Welcome to the hotel</title>')
const sender = '"Example, Inc." <sign-in@mail.example.com>'
const AUTO = 'auto-generated'

const CASES: readonly Case[] = [
  {
    id: 'resend',
    service: resend,
    env: { AUTH_RESEND_KEY: 'the-key' },
    at: 'https://api.resend.com/emails',
    headers: { authorization: 'Bearer the-key' },
    body: { ...mail, from: sender, to: [mail.to], headers: { 'Auto-Submitted': AUTO } },
    taken: json({ id: '49a3999c' }),
    refused: [error(403), page, json({})],
  },
  {
    id: 'postmark',
    service: postmark,
    env: { AUTH_POSTMARK_KEY: 'the-key' },
    at: 'https://api.postmarkapp.com/email',
    headers: { 'x-postmark-server-token': 'the-key', accept: 'application/json' },
    body: {
      From: sender,
      To: mail.to,
      Subject: mail.subject,
      TextBody: mail.text,
      HtmlBody: mail.html,
      Headers: [{ Name: 'Auto-Submitted', Value: AUTO }],
      TrackLinks: 'None',
      TrackOpens: false,
    },
    taken: json({ To: mail.to, ErrorCode: 0, Message: 'OK', MessageID: 'b7bc2f4a' }),
    refused: [
      json({ ErrorCode: 406, Message: 'Inactive recipient' }, 422),
      json({ ErrorCode: 10 }),
      page,
    ],
  },
  {
    id: 'sendgrid',
    service: sendgrid,
    env: { AUTH_SENDGRID_KEY: 'the-key' },
    at: 'https://api.sendgrid.com/v3/mail/send',
    headers: { authorization: 'Bearer the-key' },
    body: {
      personalizations: [{ to: [{ email: mail.to }] }],
      from: { name: 'Example, Inc.', email: 'sign-in@mail.example.com' },
      subject: mail.subject,
      content: [
        { type: 'text/plain', value: mail.text },
        { type: 'text/html', value: mail.html },
      ],
      headers: { 'Auto-Submitted': AUTO },
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
      },
    },
    taken: () => new Response(null, { status: 202 }),
    refused: [error(401), page],
  },
  {
    id: 'mailgun',
    service: mailgun,
    env: { AUTH_MAILGUN_KEY: 'the-key' },
    at: 'https://api.mailgun.net/v3/mail.example.com/messages',
    headers: { authorization: `Basic ${btoa('api:the-key')}` },
    body: { ...mail, from: sender, 'o:tracking': 'no', 'h:Auto-Submitted': AUTO },
    taken: json({ id: '<2026.1@mail.example.com>', message: 'Queued. Thank you.' }),
    refused: [error(401), page, json({ message: 'Queued. Thank you.' })],
  },
  {
    id: 'loops',
    service: loops,
    env: { AUTH_LOOPS_KEY: 'the-key', AUTH_LOOPS_TRANSACTIONAL_ID: 'clfq6dinn' },
    at: 'https://app.loops.so/api/v1/transactional',
    headers: { authorization: 'Bearer the-key' },
    body: {
      transactionalId: 'clfq6dinn',
      email: mail.to,
      addToAudience: false,
      dataVariables: { subject: mail.subject, text: mail.text, url, code: '482913' },
    },
    taken: json({ success: true }),
    refused: [json({ success: false, message: 'x' }, 400), json({ success: false }), page],
  },
  {
    id: 'ses',
    service: ses,
    env: {
      AUTH_SES_KEY: 'AKIDEXAMPLE',
      AUTH_SES_SECRET: 'the-secret',
      AUTH_SES_REGION: 'eu-west-1',
    },
    at: 'https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails',
    headers: {
      'x-amz-date': /^\d{8}T\d{6}Z$/,
      authorization:
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/ses\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
    },
    body: {
      FromEmailAddress: sender,
      Destination: { ToAddresses: [mail.to] },
      Content: {
        Simple: {
          Subject: { Data: mail.subject, Charset: 'UTF-8' },
          Body: {
            Text: { Data: mail.text, Charset: 'UTF-8' },
            Html: { Data: mail.html, Charset: 'UTF-8' },
          },
          Headers: [{ Name: 'Auto-Submitted', Value: AUTO }],
        },
      },
    },
    taken: json({ MessageId: '0100018a' }),
    refused: [json({ message: 'Email address is not verified.' }, 400), page],
  },
]

describe.each(CASES)('$id', ({ id, service, env, at, headers, body, taken, refused }) => {
  const from = { AUTH_EMAIL_FROM: mail.from }

  async function send(answer: () => Response): Promise<{ readonly seen: Request[] }> {
    const seen: Request[] = []
    const network: typeof fetch = async (input, init) => {
      seen.push(new Request(input as string, init))
      return answer()
    }
    const { usable } = await resolveProviders([service({ [customFetch]: network })], {
      ...env,
      ...from,
    })
    const provider = usable.get(id) as unknown as ResolvedEmailProvider
    expect(provider.from).toBe(mail.from)
    await provider.send({ mail, url, code: '482913' } as VerificationRequest)
    return { seen }
  }

  test('sends the mail, with an unchanged link', async () => {
    const { seen } = await send(taken)
    const [request] = seen
    expect([seen.length, request?.method, request?.url, request?.redirect]).toEqual([
      1,
      'POST',
      at,
      'manual',
    ])
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === 'string') expect(request?.headers.get(name)).toBe(value)
      else expect(request?.headers.get(name)).toMatch(value)
    }
    const text = (await request?.text()) ?? ''
    const isForm = request?.headers.get('content-type')?.includes('urlencoded')
    expect(isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)).toEqual(body)
  })

  test.each(refused.map((answer, at) => [at, answer] as const))(
    'a mail that the service refuses is an error without secrets (%d)',
    async (_, answer) => {
      const failure = await send(answer).then(
        () => undefined,
        (reason: Error) => reason,
      )
      expect(failure?.message).toContain('did not take the mail')
      const told = JSON.stringify([failure?.message, failure?.cause, failure?.stack])
      for (const secret of SECRETS) expect(told).not.toContain(secret)
    },
  )

  test('a missing setting is named by its variable', async () => {
    for (const name of Object.keys(env)) {
      const { misconfigured } = await resolveProviders([service()], { ...env, ...from, [name]: '' })
      expect(misconfigured.get(id)?.message).toContain(name)
    }
    const { misconfigured } = await resolveProviders([service()], env)
    expect(misconfigured.get(id)?.message).toContain(`AUTH_${id.toUpperCase()}_FROM`)
  })
})

test('Mailgun has another host in Europe', () => {
  const provider = mailgun({ region: 'eu', apiKey: 'the-key' })
  const ready = { ...mail, sender: { email: 'a@b.example' }, headers: {} }
  expect(provider.service?.request(ready, { KEY: 'the-key' })).toMatchObject({
    url: 'https://api.eu.mailgun.net/v3/b.example/messages',
  })
})
